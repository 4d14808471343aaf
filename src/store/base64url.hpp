// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5; RFC 7515, section 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::store {

std::string base64url_encode(std::string_view bytes);

// Strict: padding, foreign characters and bits that do not belong to a byte are refused, so that
// exactly one text stands for a sequence of bytes.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace sallyport::store
