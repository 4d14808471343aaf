// Hashes and keyed hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::rego::crypto {

enum class Hash : std::uint8_t { Md5, Sha1, Sha256, Sha384, Sha512 };

std::string digest(Hash hash, std::string_view text);
std::string hmac(Hash hash, std::string_view key, std::string_view text);

// SECURITY: takes the same time wherever they differ. Of different lengths: false at once.
bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept;

std::string to_hex(std::string_view bytes);

}  // namespace sallyport::rego::crypto
