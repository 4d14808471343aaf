// A private key of ours, with which we prove to an authorization server who we are
// (private_key_jwt, RFC 7523). SECURITY: nothing here gives the key out, nor a message that has any
// of it.
#pragma once

#include "src/base/result.hpp"
#include "src/base/secret.hpp"
#include "src/oauth/algorithm.hpp"

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::oauth {

class PrivateKey {
 public:
  // RSA from 2048 bits, P-256, P-384, P-521 or Ed25519, in PEM without a password. `algorithm` is
  // empty for the usual one of the key's type. Fails with InvalidInput, fit to stand behind the
  // name of a setting.
  static Result<PrivateKey> from_pem(Secret const& pem, std::string_view algorithm = {});

  Algorithm algorithm() const noexcept { return algorithm_; }

  // As in a JWS: for ECDSA two numbers side by side. Fails with Internal. From any thread.
  Result<std::string> sign(std::string_view text) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const noexcept;
  };
  using Handle = std::unique_ptr<EVP_PKEY, Free>;

  PrivateKey(Algorithm algorithm, Handle handle)
      : algorithm_{algorithm}, handle_{std::move(handle)} {}

  Algorithm algorithm_;
  Handle handle_;
};

}  // namespace sallyport::oauth
