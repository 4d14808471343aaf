#include "src/json/syntax_error.hpp"

#include <boost/json/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sallyport::json {
namespace {

using boost::system::error_code;

std::string unexpected(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the text ends too early";
  auto const byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return "a byte that is not UTF-8, or not inside a string";
  if (byte < 0x20 || byte == 0x7f)
    return fmt::format("unexpected control character 0x{:02x}", byte);
  return fmt::format("unexpected character '{}'", text[at]);
}

std::string what_is_wrong(error_code const& error, std::string_view text, std::size_t at) {
  using boost::json::error;
  if (error == error::too_deep) return "the nesting is too deep";
  if (error == error::exponent_overflow) return "the number is out of range";
  if (error == error::incomplete) return "the text ends too early";
  if (error == error::extra_data) return "more text after the end of the value";
  if (error == error::illegal_leading_surrogate || error == error::illegal_trailing_surrogate ||
      error == error::expected_utf16_escape) {
    return "an escaped surrogate without its other half";
  }
  if (error == error::expected_hex_digit) return "expected a hexadecimal digit";
  if (error == error::syntax) return unexpected(text, at);
  return error.message();
}

}  // namespace

Error syntax_error(error_code const& error, std::string_view text, std::size_t at) {
  auto const before = text.substr(0, at);
  auto const line = 1 + std::count(before.begin(), before.end(), '\n');
  auto const line_start = before.find_last_of('\n') + 1;  // npos + 1 is 0
  auto const column =
      1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                        [](char byte) { return (byte & 0xc0) != 0x80; });
  return fail(Errc::InvalidInput, fmt::format("Not valid JSON: line {}, column {}: {}.", line,
                                              column, what_is_wrong(error, text, at)));
}

}  // namespace sallyport::json
