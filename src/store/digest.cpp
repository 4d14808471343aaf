#include "src/store/digest.hpp"

#include "src/base/assert.hpp"
#include "src/base/base64.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace sallyport::store {
namespace {

EVP_MD_CTX* context_of(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  unsigned size = 0;
  auto const done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  SP_ASSERT(done == 1 && size == digest.size(), "OpenSSL has SHA-256");
  return digest;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  return to_hex(view(sha256(bytes)));
}

std::string sha256_base64url(std::string_view bytes) {
  auto const digest = sha256(bytes);
  return base64::encode_url({reinterpret_cast<char const*>(digest.data()), digest.size()});
}

Sha256 hmac_sha256(std::string_view key, std::string_view text) {
  Sha256 digest{};
  unsigned size = 0;
  auto const* const done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<unsigned char const*>(text.data()), text.size(), digest.data(), &size);
  SP_ASSERT(done != nullptr && size == digest.size(), "OpenSSL has HMAC with SHA-256");
  return digest;
}

void Sha256Hasher::Free::operator()(void* context) const noexcept {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Sha256Hasher::Sha256Hasher() : context_{EVP_MD_CTX_new()} {
  auto const ready = EVP_DigestInit_ex2(context_of(context_.get()), EVP_sha256(), nullptr);
  SP_ASSERT(ready == 1, "OpenSSL has SHA-256");
}

Sha256Hasher& Sha256Hasher::add(std::string_view bytes) {
  auto const done = EVP_DigestUpdate(context_of(context_.get()), bytes.data(), bytes.size());
  SP_ASSERT(done == 1, "a digest takes any bytes");
  return *this;
}

Sha256 Sha256Hasher::finish() {
  Sha256 digest{};
  auto* context = context_of(context_.get());
  bool const done = EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1 &&
                    EVP_DigestInit_ex2(context, nullptr, nullptr) == 1;
  SP_ASSERT(done, "a digest can be finished and begun again");
  return digest;
}

bool equal_in_constant_time(Sha256 const& left, Sha256 const& right) noexcept {
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace sallyport::store
