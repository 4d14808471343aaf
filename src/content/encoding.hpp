// The encodings of the WHATWG Encoding Standard: their labels, and how to decode them.
//
// Inside content; others use to_utf8 (charset.hpp).
#pragma once

#include <string>
#include <string_view>

namespace sallyport::content {

struct Encoding {
  std::string_view name;       // the standard's, in lower case: "windows-1252"
  std::string_view converter;  // ICU's name of the one that decodes as the standard asks
  std::string_view labels;     // besides the name, each between blanks
};

// https://encoding.spec.whatwg.org/#names-and-labels, so "latin1" is windows-1252 and "gb2312" is
// gbk. nullptr: no such label, or no converter for it.
Encoding const* encoding_of(std::string_view label);

// From an encoding other than UTF-8. `replaced` becomes true when bytes had no meaning.
std::string decode(std::string_view bytes, Encoding const& encoding, bool& replaced);

}  // namespace sallyport::content
