#include "src/json/parse.hpp"

#include "src/json/syntax_error.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace sallyport::json {
namespace {

using boost::json::error_code;
using Text = boost::json::string_view;

// Builds the value. Boost's own handler takes the parser's approximate doubles; this one reads the
// digits again. All of the text is in one buffer, so a number always arrives whole.
struct Handler {
  static constexpr std::size_t max_object_size = Object::max_size();  // NOLINT: names of Boost
  static constexpr std::size_t max_array_size = Array::max_size();    // NOLINT
  static constexpr std::size_t max_key_size = String::max_size();     // NOLINT
  static constexpr std::size_t max_string_size = String::max_size();  // NOLINT

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) {
    stack.push_array(size);
    return true;
  }
  bool on_object_end(std::size_t size, error_code&) {
    stack.push_object(size);
    return true;
  }
  bool on_string_part(Text part, std::size_t, error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(Text text, std::size_t, error_code&) {
    stack.push_string(text);
    return true;
  }
  bool on_key_part(Text part, std::size_t, error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(Text key, std::size_t, error_code&) {
    stack.push_key(key);
    return true;
  }
  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t number, Text text, error_code&) {
    // An integer has no negative zero; a double keeps the sign.
    if (number == 0 && text.front() == '-') {
      stack.push_double(-0.0);
    } else {
      stack.push_int64(number);
    }
    return true;
  }
  bool on_uint64(std::uint64_t number, Text, error_code&) {
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double approximate, Text text, error_code& error) {
    double exact{0};
    auto const read = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (read.ec == std::errc::result_out_of_range && std::abs(approximate) < 1) {
      exact = std::copysign(0.0, approximate);  // too small: zero is the nearest
    } else if (read.ec != std::errc{} || !std::isfinite(exact)) {
      error = boost::json::error::exponent_overflow;
      return false;
    }
    stack.push_double(exact);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }

  // Room for the values of an ordinary request, so that only what is kept is allocated.
  std::array<unsigned char, 4096> room;
  boost::json::value_stack stack{Storage{}, room.data(), room.size()};
};

}  // namespace

Result<Value> parse(std::string_view text, Storage storage, ParseLimits limits) {
  boost::json::parse_options options;
  options.max_depth = limits.depth;
  boost::json::basic_parser<Handler> parser{options};
  parser.handler().stack.reset(std::move(storage));

  error_code error;
  auto const read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = boost::json::error::extra_data;
  if (error) return syntax_error(error, text, read);
  return parser.handler().stack.release();
}

}  // namespace sallyport::json
