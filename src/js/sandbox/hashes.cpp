#include "src/js/sandbox/hashes.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <utility>

namespace sallyport::js::sandbox {
namespace {

constexpr std::array<std::pair<std::string_view, EVP_MD const* (*)()>, 4> kAlgorithms{
    {{"SHA-1", EVP_sha1},
     {"SHA-256", EVP_sha256},
     {"SHA-384", EVP_sha384},
     {"SHA-512", EVP_sha512}}};

EVP_MD const* find_algorithm(std::string_view name) {
  for (auto const& [known, algorithm] : kAlgorithms) {
    if (known == name) return algorithm();
  }
  return nullptr;
}

unsigned char const* bytes(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

}  // namespace

std::optional<std::string> digest(std::string_view algorithm, std::string_view data) {
  auto const* const found = find_algorithm(algorithm);
  if (found == nullptr) return std::nullopt;
  std::string result(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), reinterpret_cast<unsigned char*>(result.data()), &size,
                 found, nullptr) != 1) {
    return std::nullopt;
  }
  result.resize(size);
  return result;
}

std::optional<std::string> hmac(std::string_view algorithm, std::string_view key,
                                std::string_view data) {
  auto const* const found = find_algorithm(algorithm);
  if (found == nullptr) return std::nullopt;
  std::string result(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  // No key at all is a null pointer to OpenSSL, which takes that for "the key of before".
  auto const* const some_key = key.empty() ? "" : key.data();
  if (HMAC(found, some_key, static_cast<int>(key.size()), bytes(data), data.size(),
           reinterpret_cast<unsigned char*>(result.data()), &size) == nullptr) {
    return std::nullopt;
  }
  result.resize(size);
  return result;
}

void warm_hashes() {
  for (auto const& [name, algorithm] : kAlgorithms) {
    digest(name, "x");
    hmac(name, "x", "x");
  }
}

}  // namespace sallyport::js::sandbox
