// SHA-256, for digests that identify something: never for passwords.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::store {

using Sha256 = std::array<unsigned char, 32>;

Sha256 sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::string sha256_base64url(std::string_view bytes);
Sha256 hmac_sha256(std::string_view key, std::string_view text);

std::string to_hex(std::string_view bytes);

inline std::string_view view(Sha256 const& digest) noexcept {
  return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

// For many digests in a row, each of several pieces: OpenSSL's look-ups are done once.
class Sha256Hasher {
 public:
  Sha256Hasher();

  Sha256Hasher& add(std::string_view bytes);
  Sha256 finish();  // and begins the next one

 private:
  struct Free {
    void operator()(void* context) const noexcept;
  };
  std::unique_ptr<void, Free> context_;  // OpenSSL's, whose headers stay out of this one
};

// SECURITY: takes the same time wherever the first difference is.
bool equal_in_constant_time(Sha256 const& left, Sha256 const& right) noexcept;

}  // namespace sallyport::store
