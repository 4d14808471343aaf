#include "src/rego/crypto/digest.hpp"

#include "src/base/assert.hpp"
#include "src/rego/crypto/openssl.hpp"

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <array>

namespace sallyport::rego::crypto {
namespace {

// Fetched once: asking the provider each time costs more than hashing a short text.
EVP_MD const* algorithm_of(Hash hash) {
  static std::array<EVP_MD*, 5> const algorithms{
      EVP_MD_fetch(nullptr, "MD5", nullptr), EVP_MD_fetch(nullptr, "SHA1", nullptr),
      EVP_MD_fetch(nullptr, "SHA2-256", nullptr), EVP_MD_fetch(nullptr, "SHA2-384", nullptr),
      EVP_MD_fetch(nullptr, "SHA2-512", nullptr)};
  return algorithms[static_cast<std::size_t>(hash)];
}

}  // namespace

std::string digest(Hash hash, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  auto const done =
      EVP_Digest(text.data(), text.size(), out.data(), &size, algorithm_of(hash), nullptr);
  SP_ASSERT(done == 1, "the default provider has the hash");
  return text_of(out.data(), size);
}

std::string hmac(Hash hash, std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  // A null pointer would mean "the key of the last time".
  auto const* const key_bytes = key.empty() ? "" : key.data();
  auto const* const done = HMAC(algorithm_of(hash), key_bytes, static_cast<int>(key.size()),
                                bytes_of(text), text.size(), out.data(), &size);
  SP_ASSERT(done != nullptr, "the default provider has the hash");
  return text_of(out.data(), size);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string to_hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (auto const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return out;
}

}  // namespace sallyport::rego::crypto
