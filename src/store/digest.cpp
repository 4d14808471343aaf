#include "src/store/digest.hpp"

#include "src/base/assert.hpp"
#include "src/base/base64.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace sallyport::store {

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  unsigned size = 0;
  auto const done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  SP_ASSERT(done == 1 && size == digest.size(), "OpenSSL has SHA-256");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (auto const byte : sha256(bytes)) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string sha256_base64url(std::string_view bytes) {
  auto const digest = sha256(bytes);
  return base64::encode_url({reinterpret_cast<char const*>(digest.data()), digest.size()});
}

bool equal_in_constant_time(Sha256 const& left, Sha256 const& right) noexcept {
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace sallyport::store
