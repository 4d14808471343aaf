// Keys of signatures: what a token is verified with, or made with.
//
// Made from PEM, certificates and JWKs, with the breadth that OPA has: what the policy names is
// what is trusted. (oauth/public_key.hpp is narrower: its keys come from the network.)
#pragma once

#include "src/rego/crypto/digest.hpp"
#include "src/rego/value.hpp"

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

enum class Family : std::uint8_t { Hmac, Rsa, RsaPss, Ecdsa, EdDsa };

struct Algorithm {
  std::string_view name;  // "RS256"
  Family family;
  Hash hash;  // not of EdDSA, which hashes by itself
};

// Exact; "none" is not one.
Algorithm const* find_algorithm(std::string_view name) noexcept;

class Key {
 public:
  struct Free {
    void operator()(EVP_PKEY* key) const noexcept;
  };
  using Handle = std::unique_ptr<EVP_PKEY, Free>;

  explicit Key(Handle handle, bool is_private = false)
      : handle_{std::move(handle)}, is_private_{is_private} {}
  explicit Key(std::string secret) : secret_{std::move(secret)} {}

  bool is_private() const noexcept { return is_private_; }
  bool is_secret() const noexcept { return secret_.has_value(); }

  // False also where the key is of another kind than the algorithm.
  bool verify(Algorithm const& algorithm, std::string_view text, std::string_view signature) const;
  // Nothing where the key is of another kind, or has no private part.
  std::optional<std::string> sign(Algorithm const& algorithm, std::string_view text) const;

 private:
  bool suits(Algorithm const& algorithm) const noexcept;

  Handle handle_;
  bool is_private_{false};
  std::optional<std::string> secret_;
};

struct NamedKey {
  std::string algorithm;  // empty: any
  std::string id;         // empty: none
  Key key;
};

struct Keys {
  std::vector<NamedKey> keys;
  std::string problem;  // empty: there is none
};

// One JWK or a set of them (RFC 7517).
Keys keys_of_jwk(std::string_view json);
// One PEM block with a certificate or a public key, or JWKs.
Keys keys_of_text(std::string_view text);

}  // namespace sallyport::rego::crypto
