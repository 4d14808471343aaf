// The encoding that a document names itself, or shows, in its first bytes.
//
// Inside content; others use to_utf8 (charset.hpp).
#pragma once

#include <string>
#include <string_view>

namespace sallyport::content {

// The label in a <meta> within the first KiB
// (https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding);
// empty when there is none.
std::string meta_charset(std::string_view html);

// The label in an XML declaration; empty when there is none.
std::string xml_charset(std::string_view bytes);

// "utf-16le" or "utf-16be" when every other byte is a zero and the rest is no control character, as
// in text of western scripts; otherwise empty.
std::string_view utf16_without_mark(std::string_view bytes) noexcept;

}  // namespace sallyport::content
