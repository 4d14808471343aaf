// Keys and tokens of an authorization server that exists only in the test. Keys are generated when
// they are asked for: none is in the repository.
#pragma once

#include "src/base/base64.hpp"
#include "src/json/value.hpp"
#include "src/json/write.hpp"
#include "src/oauth/algorithm.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::test {

class SigningKey {
 public:
  static SigningKey rsa(unsigned bits = 2048) {
    return SigningKey{EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{bits}), "RSA", {}, 0};
  }
  static SigningKey p256() { return ec("P-256", 32); }
  static SigningKey p384() { return ec("P-384", 48); }
  static SigningKey p521() { return ec("P-521", 66); }
  static SigningKey ed25519() {
    return SigningKey{EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), "OKP", "Ed25519", 32};
  }

  // The public part (RFC 7517).
  json::Object jwk(std::string_view kid) const {
    json::Object jwk{{"kty", type_}, {"kid", kid}};
    if (type_ == "RSA") {
      jwk["n"] = number(OSSL_PKEY_PARAM_RSA_N, 0);
      jwk["e"] = number(OSSL_PKEY_PARAM_RSA_E, 0);
    } else if (type_ == "EC") {
      jwk["crv"] = curve_;
      jwk["x"] = number(OSSL_PKEY_PARAM_EC_PUB_X, size_);
      jwk["y"] = number(OSSL_PKEY_PARAM_EC_PUB_Y, size_);
    } else {
      std::string x(size_, '\0');
      auto size = x.size();
      EVP_PKEY_get_raw_public_key(key_.get(), to_bytes(x), &size);
      jwk["crv"] = curve_;
      jwk["x"] = base64::encode_url(x);
    }
    return jwk;
  }

  // The private part (PKCS #8).
  std::string pem() const {
    std::unique_ptr<BIO, Free> const bio{BIO_new(BIO_s_mem())};
    PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    auto const size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
  }

  // As in a JWS; for ECDSA r and s side by side.
  std::string sign(oauth::Algorithm algorithm, std::string_view text) const {
    auto signature = sign_as_openssl_does(algorithm, text);
    return type_ == "EC" ? raw_of(signature) : signature;
  }

  // For ECDSA the DER form, which a JWS must not have.
  std::string sign_as_openssl_does(oauth::Algorithm algorithm, std::string_view text) const {
    std::unique_ptr<EVP_MD_CTX, Free> const context{EVP_MD_CTX_new()};
    EVP_PKEY_CTX* parameters = nullptr;
    EVP_DigestSignInit_ex(context.get(), &parameters, oauth::digest_name_of(algorithm), nullptr,
                          nullptr, key_.get(), nullptr);
    if (oauth::is_pss(algorithm)) {
      EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING);
      EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST);
    }
    auto const* bytes = reinterpret_cast<unsigned char const*>(text.data());
    std::size_t size = 0;
    EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context.get(), to_bytes(signature), &size, bytes, text.size());
    signature.resize(size);
    return signature;
  }

  std::string token(oauth::Algorithm algorithm, json::Object const& header,
                    json::Object const& claims) const {
    auto const text = unsigned_token(header, claims);
    return text + "." + base64::encode_url(sign(algorithm, text));
  }

  static std::string unsigned_token(json::Object const& header, json::Object const& claims) {
    return base64::encode_url(json::to_text(header)) + "." +
           base64::encode_url(json::to_text(claims));
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(BIGNUM* value) const { BN_free(value); }
    void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
  };

  SigningKey(EVP_PKEY* key, std::string type, std::string curve, std::size_t size)
      : key_{key}, type_{std::move(type)}, curve_{std::move(curve)}, size_{size} {}

  static SigningKey ec(char const* curve, std::size_t size) {
    return SigningKey{EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve), "EC", curve, size};
  }

  static unsigned char* to_bytes(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
  }

  static std::string bytes_of(BIGNUM const* value, std::size_t size) {
    std::string bytes(size > 0 ? size : static_cast<std::size_t>(BN_num_bytes(value)), '\0');
    BN_bn2binpad(value, to_bytes(bytes), static_cast<int>(bytes.size()));
    return bytes;
  }

  std::string number(char const* name, std::size_t size) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::unique_ptr<BIGNUM, Free> const owned{value};
    return base64::encode_url(bytes_of(value, size));
  }

  std::string raw_of(std::string const& der) const {
    auto const* at = reinterpret_cast<unsigned char const*>(der.data());
    std::unique_ptr<ECDSA_SIG, Free> const signature{
        d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()))};
    return bytes_of(ECDSA_SIG_get0_r(signature.get()), size_) +
           bytes_of(ECDSA_SIG_get0_s(signature.get()), size_);
  }

  std::unique_ptr<EVP_PKEY, Free> key_;
  std::string type_;
  std::string curve_;
  std::size_t size_;
};

inline std::string key_set(std::initializer_list<json::Object> keys) {
  json::Array array;
  for (auto const& key : keys) array.emplace_back(key);
  return json::to_text(json::Object{{"keys", std::move(array)}});
}

}  // namespace sallyport::test
