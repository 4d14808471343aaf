// Base64 (RFC 4648), strict: what encode() would not have written is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::base64 {

enum class Alphabet {
  Standard,  // + / and padding
  Url,       // - _ and no padding
};

std::string encode(std::string_view bytes, Alphabet alphabet = Alphabet::Standard);
// The same at the end of a text that is being written.
void append(std::string& out, std::string_view bytes, Alphabet alphabet = Alphabet::Standard);
std::optional<std::string> decode(std::string_view text, Alphabet alphabet = Alphabet::Standard);

inline std::string encode_url(std::string_view bytes) {
  return encode(bytes, Alphabet::Url);
}
inline std::optional<std::string> decode_url(std::string_view text) {
  return decode(text, Alphabet::Url);
}

}  // namespace sallyport::base64
