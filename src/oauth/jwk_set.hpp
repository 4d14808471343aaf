// The keys of an authorization server (RFC 7517, section 5). Immutable once read; loops share it.
#pragma once

#include "src/base/result.hpp"
#include "src/oauth/public_key.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sallyport::oauth {

class JwkSet {
 public:
  static constexpr std::size_t kMaxKeys = 64;
  static constexpr std::size_t kMaxBytes = 256 * std::size_t{1024};

  // Leaves out keys that are of no use here, as section 5 asks. Fails with InvalidInput when the
  // text is no key set, is larger than the limits, or no key is left.
  static Result<JwkSet> parse(std::string_view text);

  // The keys that may have signed a token with this header. With a `kid` those that carry it;
  // without one all of the right type, but only a few: each one costs a verification.
  std::vector<PublicKey const*> candidates(Algorithm algorithm, std::string_view kid) const;

  std::size_t size() const noexcept { return keys_.size(); }

 private:
  std::vector<PublicKey> keys_;
};

}  // namespace sallyport::oauth
