// Which encoding a text came in, and its text as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::content {

struct Decoded {
  std::string text;      // valid UTF-8, without a byte order mark
  std::string charset;   // "utf-8", "windows-1251", …
  bool replaced{false};  // some bytes had no meaning and became U+FFFD
};

// By byte order mark, then `declared` (charset of the Content-Type, may be empty), then a <meta> of
// HTML within the first KiB, then whether it is UTF-8, then by statistics.
Decoded to_utf8(std::string bytes, std::string_view declared, bool html);

}  // namespace sallyport::content
