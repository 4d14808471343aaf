#include "src/rego/builtins/encoding_impl.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {
namespace {

Value hex_encode(BuiltinCall& call, Operands operands) {
  std::string_view bytes;
  if (!read_string(call, operands, 1, bytes)) return {};
  if (!charge_bytes(call, bytes.size())) return stopped(call);
  TextBuilder text{call, bytes.size() * 2};
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    text.append("0123456789abcdef"[byte >> 4]);
    text.append("0123456789abcdef"[byte & 0xF]);
  }
  return text.finish();
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Value bad_hex(BuiltinCall& call, char c) {
  auto const code = static_cast<unsigned char>(c);
  std::string text = "encoding/hex: invalid byte: U+00";
  text += "0123456789ABCDEF"[code >> 4];
  text += "0123456789ABCDEF"[code & 0xF];
  if (is_printable(code)) text += " '" + std::string{encode(code).view()} + "'";
  return call.fail(std::move(text));
}

Value hex_decode(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  TextBuilder bytes{call, text.size() / 2};
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    if (hex_value(text[i]) < 0) return bad_hex(call, text[i]);
    if (hex_value(text[i + 1]) < 0) return bad_hex(call, text[i + 1]);
    bytes.append(static_cast<char>(hex_value(text[i]) << 4 | hex_value(text[i + 1])));
  }
  if (text.size() % 2 == 1) {
    if (hex_value(text.back()) < 0) return bad_hex(call, text.back());
    return call.fail("encoding/hex: odd length hex string");
  }
  return bytes.finish();
}

constexpr Builtin kTable[] = {
    {"base64.decode", "string -> string", base64_decode},
    {"base64.encode", "string -> string", base64_encode},
    {"base64.is_valid", "string -> boolean", base64_is_valid},
    {"base64url.decode", "string -> string", base64url_decode},
    {"base64url.encode", "string -> string", base64url_encode},
    {"base64url.encode_no_pad", "string -> string", base64url_encode_no_pad},
    {"hex.decode", "string -> string", hex_decode},
    {"hex.encode", "string -> string", hex_encode},
    {"urlquery.decode", "string -> string", url_query_decode},
    {"urlquery.decode_object", "string -> object[string: array[string]]", url_query_decode_object},
    {"urlquery.encode", "string -> string", url_query_encode},
    {"urlquery.encode_object", "object[string: any<string, array[string], set[string]>] -> string",
     url_query_encode_object},
    {"yaml.is_valid", "string -> boolean", yaml_is_valid},
    {"yaml.marshal", "any -> string", yaml_marshal},
    {"yaml.unmarshal", "string -> any", yaml_unmarshal},
};

}  // namespace

BuiltinTable encoding() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
