// Seals with AES-256-GCM: what a peer holds for us can neither be read nor changed by it.
//
// A sealed text is base64url of: version, nonce, ciphertext, tag. The nonce is random, which is
// safe for some four thousand million texts under one key (NIST SP 800-38D, section 8.3); rotate
// the key before. Nothing here keeps a text from being opened twice: who needs that puts an expiry
// or an id inside.
#pragma once

#include "src/base/sealer.hpp"
#include "src/base/secret.hpp"

#include <array>
#include <vector>

namespace sallyport::store {

class SealingKey {
 public:
  // Dies with the process: what was sealed before a restart cannot be opened after it.
  static SealingKey random();

  // Derived by HKDF, which does not slow down a guesser: `secret` must be random, not a word one
  // remembers. Fails with InvalidInput when it is shorter than 32 bytes.
  static Result<SealingKey> derive(Secret const& secret);

  SealingKey(SealingKey const&) = default;
  SealingKey& operator=(SealingKey const&) = default;
  ~SealingKey();  // leaves no copy in memory

  unsigned char const* data() const noexcept { return bytes_.data(); }

 private:
  SealingKey() = default;

  std::array<unsigned char, 32> bytes_{};
};

// From any thread.
class AeadSealer final : public Sealer {
 public:
  // Seals with `key`. Opens with `key` and with `older_keys`: a rotation moves the old key there
  // until what it sealed has expired.
  explicit AeadSealer(SealingKey key, std::vector<SealingKey> older_keys = {});

  std::string seal(std::string_view text, std::string_view context) const override;
  Result<std::string> open(std::string_view sealed, std::string_view context) const override;

 private:
  std::vector<SealingKey> keys_;  // the one that seals comes first
};

}  // namespace sallyport::store
