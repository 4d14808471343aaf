// Gets us let in by the suites' servers: as the product does, but for the person, who is played by
// following the redirect of the authorization page.
#pragma once

#include "src/oauth/upstream/sign_in.hpp"
#include "src/oauth/upstream/upstream_authorizer.hpp"

#include "tests/conformance_client/scenarios.hpp"

#include <memory>

namespace sallyport::conformance {

// What the scenario says about us.
oauth::upstream::ServerSettings server_settings(Scenario const& scenario, std::string url);

class ObligingSignIn final : public http::Authorizer {
 public:
  // All outlive it.
  ObligingSignIn(oauth::upstream::ServerSettings settings, http::Client& client,
                 oauth::upstream::GrantStore& store)
      : settings_{settings},
        client_{client},
        sign_in_{client, store},
        authorizer_{std::move(settings), client, store} {}

  Task<http::Headers> headers_for(std::string_view method, std::string_view url,
                                  Deadline deadline) override {
    return authorizer_.headers_for(method, url, deadline);
  }
  Task<bool> refused(int status, http::Headers const& answer, http::Headers const& sent,
                     Deadline deadline) override;

 private:
  Task<bool> sign_in(Deadline deadline);

  oauth::upstream::ServerSettings settings_;
  http::Client& client_;
  oauth::upstream::SignIn sign_in_;
  oauth::upstream::UpstreamAuthorizer authorizer_;
};

}  // namespace sallyport::conformance
