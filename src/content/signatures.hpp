// What the first bytes of a file say about it.
//
// Inside content; others use sniff (media_type.hpp).
#pragma once

#include "src/content/media_type.hpp"

#include <optional>
#include <string_view>

namespace sallyport::content {

// Images, audio, PDF and the commonest other files that are no text, by their magic numbers
// (https://mimesniff.spec.whatwg.org/). Numbers that text could begin with are checked further.
// `declared` chooses where one container carries several kinds.
std::optional<Sniffed> by_signature(std::string_view bytes, std::string_view declared);

enum class Controls { None, Few };

// Whether the first bytes have no control characters that text has not; `Few` forgives some, for
// what is said to be text.
bool looks_like_text(std::string_view bytes, Controls tolerated) noexcept;

// By its byte order mark, or by a zero in every other byte.
bool looks_like_utf16(std::string_view bytes) noexcept;

}  // namespace sallyport::content
