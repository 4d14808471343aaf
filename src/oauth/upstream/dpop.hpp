// Proofs that we hold the key to which a token is bound (DPoP, RFC 9449).
#pragma once

#include "src/base/result.hpp"
#include "src/base/secret.hpp"
#include "src/json/value.hpp"
#include "src/oauth/private_key.hpp"
#include "src/oauth/token_request.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace sallyport::oauth::upstream {

struct ProofRequest {
  std::string_view method;
  std::string_view url;           // its query and fragment are left out of the proof
  std::string_view nonce;         // empty: none was asked for
  std::string_view access_token;  // empty: for a token endpoint
};

// A key on P-256, for ES256: what every server that knows DPoP can check. From any thread.
class DpopKey {
 public:
  static Result<DpopKey> generate();
  // Fails with InvalidInput.
  static Result<DpopKey> from_pem(Secret const& pem);

  Secret const& pem() const noexcept { return pem_; }

  // Different each time. Fails with InvalidInput where the URL is none, and with Internal.
  Result<std::string> proof(ProofRequest const& request, WallClock::time_point now) const;

 private:
  DpopKey(Secret pem, PrivateKey key, json::Object jwk)
      : pem_{std::move(pem)},
        key_{std::make_shared<PrivateKey const>(std::move(key))},
        jwk_{std::move(jwk)} {}

  Secret pem_;
  std::shared_ptr<PrivateKey const> key_;
  json::Object jwk_;  // of the public half
};

// The nonces that servers want to see in the next proof, by origin. From any thread.
class DpopNonces {
 public:
  std::string of(std::string_view url) const;
  // From the DPoP-Nonce field of an answer, if it has a usable one.
  void remember(std::string_view url, http::Headers const& answer);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> nonces_;
};

// The nonce in a proof of ours; empty where it has none.
std::string nonce_in(std::string_view proof);

}  // namespace sallyport::oauth::upstream
