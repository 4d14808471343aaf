// Tells whom an access token names: structure, signature, claims, in this order of trust.
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/inbound_options.hpp"
#include "src/oauth/jwks_cache.hpp"
#include "src/oauth/jws.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::oauth {

class JwtVerifier {
 public:
  struct Clocks {
    std::function<std::chrono::system_clock::time_point()> wall = &std::chrono::system_clock::now;
    std::function<Clock::time_point()> steady = &Clock::now;
  };

  // Fails with InvalidInput when the options make no sense or `jwks_file` cannot be used; the
  // message is for the operator. `client` must outlive the verifier and may only be nullptr when
  // keys come from a file. A file is read once.
  static Result<std::unique_ptr<JwtVerifier>> create(JwtOptions options, http::Client* client,
                                                     Clocks clocks);

  // Fails with InvalidInput (the token is not good), PolicyDenied (it lacks a scope) or
  // CredentialUnavailable (there are no keys to check it with). From any loop.
  Task<Principal> verify(std::string token);

 private:
  explicit JwtVerifier(JwtOptions options) : options_{std::move(options)} {}

  Async<JwksCache::Keys> keys();
  Async<Signature> check_signature(Jws const& jws, JwksCache::Keys keys, bool may_fetch);

  JwtOptions options_;
  std::function<std::chrono::system_clock::time_point()> wall_now_;
  std::vector<Algorithm> algorithms_;
  JwksCache::Keys fixed_;           // of a file; else nullptr, and
  std::optional<JwksCache> cache_;  // of a URL
};

}  // namespace sallyport::oauth
