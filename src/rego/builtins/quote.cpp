#include "src/rego/builtins/quote.hpp"

#include "src/rego/builtins/runes.hpp"

namespace sallyport::rego::builtins {
namespace {

void append_hex(std::string& out, char32_t code, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[code >> shift & 0xF];
  }
}

void append_escape(std::string& out, char32_t code) {
  switch (code) {
    case '\a': out += "\\a"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\v': out += "\\v"; return;
    default: break;
  }
  if (code < 0x20 || code == 0x7F) {
    out += "\\x";
    append_hex(out, code, 2);
  } else if (code < 0x10000) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += "\\U";
    append_hex(out, code, 8);
  }
}

void append_rune(std::string& out, char32_t code, char mark, Quoting quoting) {
  if (code == static_cast<unsigned char>(mark) || code == '\\') {
    out += '\\';
    out += static_cast<char>(code);
  } else if (code < 0x80 ? is_printable(code) : quoting == Quoting::Unicode && is_printable(code)) {
    out += encode(code).view();
  } else {
    append_escape(out, code);
  }
}

}  // namespace

std::string quoted(std::string_view text, Quoting quoting) {
  std::string out{'"'};
  while (!text.empty()) {
    auto const rune = first_rune(text);
    if (rune.is_malformed()) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text.front()), 2);
    } else {
      append_rune(out, rune.code, '"', quoting);
    }
    text.remove_prefix(rune.width);
  }
  out += '"';
  return out;
}

std::string quoted_rune(char32_t code, Quoting quoting) {
  if (code > kLastRune || (code >= 0xD800 && code <= 0xDFFF)) code = kReplacementRune;
  std::string out{'\''};
  append_rune(out, code, '\'', quoting);
  out += '\'';
  return out;
}

}  // namespace sallyport::rego::builtins
