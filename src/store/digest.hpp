// SHA-256, for digests that identify something: never for passwords.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sallyport::store {

using Sha256 = std::array<unsigned char, 32>;

Sha256 sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::string sha256_base64url(std::string_view bytes);

// SECURITY: takes the same time wherever the first difference is.
bool equal_in_constant_time(Sha256 const& left, Sha256 const& right) noexcept;

}  // namespace sallyport::store
