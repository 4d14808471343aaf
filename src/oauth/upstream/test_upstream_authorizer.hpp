// An authorizer of a server that exists only in the test, whose clock stands still until the test
// moves it.
#pragma once

#include "src/oauth/upstream/test_upstream.hpp"
#include "src/oauth/upstream/upstream_authorizer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::oauth::upstream::fakes {

inline http::Headers challenge(std::string const& text = "Bearer") {
  return {{"WWW-Authenticate", text}};
}

class UpstreamAuthorizerTest : public testing::Test {
 protected:
  UpstreamAuthorizerTest() { usual_servers(servers_); }

  // Of the settings at that moment.
  UpstreamAuthorizer& authorizer() {
    if (!authorizer_) {
      authorizer_ = std::make_unique<UpstreamAuthorizer>(settings_, servers_, *store_, clocks());
    }
    return *authorizer_;
  }
  Clocks clocks() {
    return {.wall = [this] { return now_; },
            .steady = [this] { return Clock::time_point{now_.time_since_epoch()}; }};
  }
  Result<http::Headers> headers(std::string_view url = kServer) {
    return test::run(authorizer().headers_for("POST", url, {}));
  }
  std::string token() {
    auto const found = headers();
    if (!found) return "error: " + found.error().message;
    auto const* const field = found->find("Authorization");
    return field == nullptr ? "none" : *field;
  }
  Result<bool> refused(int status, http::Headers const& answer, std::string const& sent = {}) {
    http::Headers fields;
    if (!sent.empty()) fields.add("Authorization", sent);
    return test::run(authorizer().refused(status, answer, fields, {}));
  }
  static std::string message(Result<bool> const& result) {
    return result ? (*result ? "true" : "false") : result.error().message;
  }

  void sign_in(std::string const& name, bool refreshable = true, GrantStore* store = nullptr) {
    Grant const grant{.server_url = settings_.url,
                      .issuer = "https://as.example",
                      .resource = kServer,
                      .token_endpoint = "https://as.example/token",
                      .client = {.id = "client-1"},
                      .requested_scope = "x",
                      .header_value = Secret{"Bearer " + name},
                      .refresh_token = Secret{refreshable ? "refresh-" + name : ""},
                      .issued_at = unix_seconds(now_),
                      .expires_at = unix_seconds(now_ + std::chrono::hours{1})};
    ASSERT_TRUE((store == nullptr ? *store_ : *store).put(settings_, grant));
  }
  Grant stored() { return (*store_->grant(settings_)).value_or(Grant{}); }

  test::TempFolder folder_;
  store::SealingKey key_ = store::SealingKey::random();
  std::unique_ptr<GrantStore> store_ = open_store(folder_, key_);
  ScriptedServers servers_;
  ServerSettings settings_ = usual_settings();
  WallClock::time_point now_{std::chrono::hours{500'000}};
  std::unique_ptr<UpstreamAuthorizer> authorizer_;
};

}  // namespace sallyport::oauth::upstream::fakes
