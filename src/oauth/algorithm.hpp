// The signature algorithms of tokens (RFC 7518, section 3.1; RFC 8037).
//
// Only algorithms with a public key. HS256 and its kin are left out on purpose: with them whoever
// can check a token can also make one, and a server that knows them can be tricked into using a
// public key as the secret.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::oauth {

enum class Algorithm {
  Rs256,
  Rs384,
  Rs512,
  Ps256,
  Ps384,
  Ps512,
  Es256,
  Es384,
  Es512,
  EdDsa,
};

enum class KeyType { Rsa, P256, P384, P521, Ed25519 };

// Exact, case included. `none` is not an algorithm.
std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept;

std::string_view name_of(Algorithm algorithm) noexcept;

// All of them, for messages to the operator.
std::vector<std::string_view> algorithm_names();

// The one type of key that an algorithm works with. ES256 is bound to P-256 and so on (RFC 7518,
// section 3.4), so a token cannot choose another curve.
KeyType key_type_of(Algorithm algorithm) noexcept;

// "SHA256" and the like; nullptr for EdDSA, which hashes by itself.
char const* digest_name_of(Algorithm algorithm) noexcept;

bool is_pss(Algorithm algorithm) noexcept;

}  // namespace sallyport::oauth
