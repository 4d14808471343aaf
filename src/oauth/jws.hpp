// A token in compact form (RFC 7515, section 7.1): split and decoded, nothing believed yet.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/oauth/jwk_set.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::oauth {

struct Jws {
  static constexpr std::size_t kMaxBytes = 16 * std::size_t{1024};

  Algorithm algorithm{};
  std::string kid;               // empty: none
  std::string typ;               // empty: none
  std::string_view signed_text;  // inside the token
  std::string signature;
  json::Object claims;  // SECURITY: worth nothing before verify() has said Valid
};

// `token` must outlive the result. Fails with InvalidInput, also for an algorithm that is not in
// `allowed` (`none` never is) and for extensions marked critical: we know none. Keys and addresses
// of keys inside the token are not looked at.
Result<Jws> parse_jws(std::string_view token, std::vector<Algorithm> const& allowed);

enum class Signature {
  Valid,
  Invalid,
  UnknownKey,  // newer keys may know it
};

Signature verify(Jws const& jws, JwkSet const& keys);

}  // namespace sallyport::oauth
