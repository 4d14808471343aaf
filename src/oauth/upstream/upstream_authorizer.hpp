// Lets our requests into one server: the token at hand with each, and what to do about a refusal.
//
//   401 ─► a nonce is wanted (DPoP)?  another token by now?     ─► try again
//            └─► discovery: still the same authorization server? ─► renew ─► try again
//            └─► by machine: a grant from wherever it is got now ─► try again
//            └─► a person has to sign in
//   403 with insufficient_scope ─► the same with more rights, three times at most
#pragma once

#include "src/http/authorizer.hpp"
#include "src/oauth/upstream/grant_keeper.hpp"
#include "src/oauth/upstream/shared_discovery.hpp"

#include <mutex>

namespace sallyport::oauth::upstream {

// From any loop. `client` and `store` must live as long as the loops run.
class UpstreamAuthorizer final : public http::Authorizer {
 public:
  UpstreamAuthorizer(ServerSettings settings, http::Client& client, GrantStore& store,
                     Clocks clocks = {});

  // None for a URL of another origin than the server's.
  Task<http::Headers> headers_for(std::string_view method, std::string_view url,
                                  Deadline deadline) override;
  Task<bool> refused(int status, http::Headers const& answer, http::Headers const& sent,
                     Deadline deadline) override;

 private:
  Task<bool> unauthorized(ServerChallenge const& challenge, Secret const& token, Deadline deadline);
  Task<bool> insufficient(ServerChallenge challenge, Secret const& token, Deadline deadline);
  Task<bool> obtain(ServerChallenge const& challenge, std::string const& scope, Secret const& token,
                    Deadline deadline);
  Task<void> find_for_machine(ServerChallenge const& challenge, std::string const& scope,
                              Deadline deadline);
  Result<Held> newest();
  Task<void> check_issuer(Held const& held, ServerChallenge const& challenge, Secret const& token,
                          Deadline deadline);
  Error person_needed(std::string_view why) const;
  // What it asked for, for the next sign-in: somebody has to sign in.
  void keep(ServerChallenge const& challenge, Secret const& token);
  bool is_kept(ServerChallenge const& challenge, Secret const& token);
  bool may_step_up(Secret const& token);

  ServerSettings const settings_;
  GrantStore& store_;
  Clocks const clocks_;
  GrantKeeper keeper_;
  SharedDiscovery discovery_;

  std::mutex mutex_;
  int steps_up_{0};
  Secret too_little_;  // the token of the last step
  Clock::time_point last_step_up_;
  struct Kept {
    ServerChallenge challenge;
    Secret token;
    Clock::time_point at;
  };
  std::optional<Kept> kept_;  // for the next sign-in
};

}  // namespace sallyport::oauth::upstream
