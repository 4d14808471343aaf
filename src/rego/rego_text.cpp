// Values as Rego writes them. Strings are quoted as Go does it, since OPA's texts come from there.
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <fmt/format.h>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace sallyport::rego {
namespace {

bool is_printable(UChar32 character) noexcept {
  if (character == ' ') return true;
  // Letters, marks, numbers, punctuation and symbols: no space but the plain one.
  return (U_GET_GC_MASK(character) &
          (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_P_MASK | U_GC_S_MASK)) != 0;
}

void append_escaped(UChar32 character, std::string& out) {
  switch (character) {
    case '\a': out += "\\a"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\v': out += "\\v"; return;
    default: break;
  }
  auto const code = static_cast<std::uint32_t>(character);
  if (code < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
  } else if (code < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", code);
  }
}

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  auto const size = static_cast<std::int64_t>(text.size());
  for (std::int64_t at = 0; at < size;) {
    auto const start = at;
    UChar32 character = 0;
    U8_NEXT(text.data(), at, size, character);
    if (character < 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                     static_cast<unsigned char>(text[static_cast<std::size_t>(start)]));
      at = start + 1;
    } else if (character == '"' || character == '\\') {
      out += '\\';
      out += static_cast<char>(character);
    } else if (is_printable(character)) {
      out += text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(at - start));
    } else {
      append_escaped(character, out);
    }
  }
  out += '"';
}

void append(Value value, std::string& out);

void append_items(std::span<Value const> items, std::string& out) {
  for (auto const& item : items) {
    if (&item != items.data()) out += ", ";
    append(item, out);
  }
}

void append_entries(std::span<Entry const> entries, std::string& out) {
  out += '{';
  for (auto const& entry : entries) {
    if (&entry != entries.data()) out += ", ";
    append(entry.key, out);
    out += ": ";
    append(entry.value, out);
  }
  out += '}';
}

void append(Value value, std::string& out) {
  switch (value.kind()) {
    case Kind::Undefined: return;
    case Kind::Null: out += "null"; return;
    case Kind::Boolean: out += value.as_boolean() ? "true" : "false"; return;
    case Kind::Number: append_number(value, out); return;
    case Kind::String: append_quoted(value.as_string(), out); return;
    case Kind::Array:
      out += '[';
      append_items(value.items(), out);
      out += ']';
      return;
    case Kind::Object: append_entries(value.entries(), out); return;
    case Kind::Set:
      if (value.size() == 0) {
        out += "set()";
        return;
      }
      out += '{';
      append_items(value.items(), out);
      out += '}';
      return;
  }
}

}  // namespace

std::string to_rego(Value value) {
  std::string out;
  append(value, out);
  return out;
}

}  // namespace sallyport::rego
