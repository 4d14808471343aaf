// Owners of what OpenSSL hands out. Only sources include this.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::rego::crypto {

struct FreeEach {
  void operator()(BIGNUM* number) const noexcept { BN_clear_free(number); }
  void operator()(OSSL_PARAM_BLD* builder) const noexcept { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const noexcept { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
  void operator()(PKCS8_PRIV_KEY_INFO* info) const noexcept { PKCS8_PRIV_KEY_INFO_free(info); }
  void operator()(BIO* stream) const noexcept { BIO_free(stream); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(X509_REQ* request) const noexcept { X509_REQ_free(request); }
  void operator()(unsigned char* bytes) const noexcept { OPENSSL_free(bytes); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeEach>;

inline unsigned char const* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<unsigned char const*>(text.data());
}

inline std::string text_of(unsigned char const* bytes, std::size_t size) {
  return {reinterpret_cast<char const*>(bytes), size};
}

inline Owned<BIGNUM> number_of(std::string_view bytes) {
  return Owned<BIGNUM>{BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr)};
}

inline std::string bytes_of_number(BIGNUM const* number) {
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes;
}

// OpenSSL keeps a queue of errors per thread; whoever caused some takes them away again.
struct ErrorsForgotten {
  ErrorsForgotten() = default;
  ErrorsForgotten(ErrorsForgotten const&) = delete;
  ErrorsForgotten& operator=(ErrorsForgotten const&) = delete;
  ~ErrorsForgotten() { ERR_clear_error(); }
};

}  // namespace sallyport::rego::crypto
