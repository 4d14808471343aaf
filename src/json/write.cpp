#include "src/json/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sallyport::json {
namespace {

enum class Form { AsGiven, Canonical };

// What stands after the backslash for each byte: 0 for a byte that needs none, 'u' for \u00XX.
constexpr std::array<char, 256> escapes() {
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}
constexpr auto kEscapes = escapes();

// Whether one of eight bytes has to be escaped: is below 0x20, a quote or a backslash. Each of the
// three tests sets the high bit of a byte that is below a bound; a byte above 0x7F is none of them.
bool has_escape(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighBits = 0x80U * kOnes;
  auto const quote = word ^ (kOnes * '"');
  auto const backslash = word ^ (kOnes * '\\');
  auto const found = (word - kOnes * 0x20U) | (quote - kOnes) | (backslash - kOnes);
  return (found & ~word & kHighBits) != 0;
}

// The first byte that has to be escaped, or `end`: whole pages pass here.
char const* skip_plain(char const* at, char const* end) noexcept {
  for (std::uint64_t word = 0; end - at >= 8; at += 8) {
    std::memcpy(&word, at, sizeof word);
    if (has_escape(word)) break;
  }
  while (at != end && kEscapes[static_cast<unsigned char>(*at)] == 0) ++at;
  return at;
}

void append_escape(unsigned char byte, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  out += kEscapes[byte];
  if (kEscapes[byte] != 'u') return;
  out += "00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xf];
}

template <class Number>
std::string_view digits(Number number, std::array<char, 32>& buffer) {
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

template <class Integer>
void append_integer(Integer number, std::string& out) {
  std::array<char, 32> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  out += digits(number, buffer);
}

void append_double(double number, std::string& out) {
  if (!std::isfinite(number)) {  // never from json::parse; JSON has no word for it
    out += "null";
    return;
  }
  std::array<char, 32> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  auto const text = digits(number, buffer);
  out += text;
  // Without a mark of a double it would read back as an integer.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// An integral double that an integer can hold is written like that integer.
void append_canonical_double(double number, std::string& out) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (number == std::trunc(number) && number >= -kTwoTo63 && number < 2 * kTwoTo63) {
    if (number < kTwoTo63) return append_integer(static_cast<std::int64_t>(number), out);
    return append_integer(static_cast<std::uint64_t>(number), out);
  }
  append_double(number, out);
}

void append(Value const& value, std::string& out, Form form);

void append_member(boost::json::key_value_pair const& member, std::string& out, Form form) {
  auto const key = member.key();
  write_string({key.data(), key.size()}, out);
  out += ':';
  append(member.value(), out, form);
}

void append_sorted(Object const& object, std::string& out) {
  std::vector<boost::json::key_value_pair const*> members;
  members.reserve(object.size());
  for (auto const& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](auto const* left, auto const* right) { return left->key() < right->key(); });
  for (auto const* member : members) {
    if (member != members.front()) out += ',';
    append_member(*member, out, Form::Canonical);
  }
}

void append(Object const& object, std::string& out, Form form) {
  out += '{';
  if (form == Form::Canonical) {
    append_sorted(object, out);
  } else {
    for (auto const& member : object) {
      if (&member != object.begin()) out += ',';
      append_member(member, out, form);
    }
  }
  out += '}';
}

void append(Array const& array, std::string& out, Form form) {
  out += '[';
  for (auto const& element : array) {
    if (&element != array.begin()) out += ',';
    append(element, out, form);
  }
  out += ']';
}

void append(Value const& value, std::string& out, Form form) {
  switch (value.kind()) {
    case boost::json::kind::null: out += "null"; return;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
    case boost::json::kind::int64: append_integer(value.get_int64(), out); return;
    case boost::json::kind::uint64: append_integer(value.get_uint64(), out); return;
    case boost::json::kind::double_:
      return form == Form::Canonical ? append_canonical_double(value.get_double(), out)
                                     : append_double(value.get_double(), out);
    case boost::json::kind::string: write_string(view(value.get_string()), out); return;
    case boost::json::kind::array: append(value.get_array(), out, form); return;
    case boost::json::kind::object: append(value.get_object(), out, form); return;
  }
}

}  // namespace

void write_string(std::string_view text, std::string& out) {
  // A page grows the text once, not each time it has doubled; lines and quotes take a little more.
  constexpr std::size_t kLong = 512;
  if (text.size() > kLong) out.reserve(out.size() + text.size() + text.size() / 16);
  out += '"';
  auto const* run = text.data();
  auto const* const end = text.data() + text.size();
  for (auto const* at = skip_plain(run, end); at != end; at = skip_plain(run, end)) {
    out.append(run, at);
    append_escape(static_cast<unsigned char>(*at), out);
    run = at + 1;
  }
  out.append(run, end);
  out += '"';
}

void write(Value const& value, std::string& out) {
  append(value, out, Form::AsGiven);
}

void write(Object const& object, std::string& out) {
  append(object, out, Form::AsGiven);
}

std::string to_text(Value const& value) {
  std::string out;
  write(value, out);
  return out;
}

std::string to_text(Object const& object) {
  std::string out;
  write(object, out);
  return out;
}

std::string canonical(Value const& value) {
  std::string out;
  append(value, out, Form::Canonical);
  return out;
}

}  // namespace sallyport::json
