// A public key of an authorization server, read from a JWK (RFC 7517) and checked when it is read:
// RSA below 2048 bits, points off their curve and keys for another use never get this far.
#pragma once

#include "src/json/value.hpp"
#include "src/oauth/algorithm.hpp"

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::oauth {

class PublicKey {
 public:
  // Nothing when the key is of no use here: another type or use, too weak, or malformed. A private
  // part is not looked at.
  static std::optional<PublicKey> from_jwk(json::Object const& jwk);

  std::string const& kid() const noexcept { return kid_; }  // empty: it has none

  // Whether the key is of the algorithm's type and its JWK does not pin another algorithm.
  bool suits(Algorithm algorithm) const noexcept;

  // `signature` as in a JWS: for ECDSA two numbers of fixed size, never DER. False also when the
  // key does not suit. From any thread.
  bool verify(Algorithm algorithm, std::string_view signed_text, std::string_view signature) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const noexcept;
  };
  using Handle = std::unique_ptr<EVP_PKEY, Free>;
  friend struct KeyMaker;

  PublicKey(KeyType type, Handle handle) : type_{type}, handle_{std::move(handle)} {}

  KeyType type_;
  Handle handle_;
  std::string kid_;
  std::optional<Algorithm> pinned_;
};

}  // namespace sallyport::oauth
