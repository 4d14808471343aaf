#include "src/url/percent_encode.hpp"

#include "src/url/ascii.hpp"

namespace sallyport::url {

void append_encoded(std::string& out, std::string_view text, EncodeSet const& set) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!set.has(text[i])) continue;
    auto const byte = static_cast<unsigned char>(text[i]);
    out.append(text, copied, i - copied);
    out.append({'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]});
    copied = i + 1;
  }
  out.append(text, copied);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const is_encoded = text[i] == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) &&
                            is_hex_digit(text[i + 2]);
    if (is_encoded) {
      out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace sallyport::url
