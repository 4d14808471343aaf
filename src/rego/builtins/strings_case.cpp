#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/strings_impl.hpp"

#include <unicode/uchar.h>

namespace sallyport::rego::builtins {
namespace {

// Of the 26 letters; `first` is 'A' for lower case and 'a' for upper case.
bool has_letter(std::string_view text, char first) noexcept {
  return std::ranges::any_of(
      text, [first](char c) { return static_cast<unsigned char>(c - first) < 26; });
}

Value flip_ascii(BuiltinCall& call, std::string_view text, char first) {
  auto const flipped = call.arena.allocate_span<char>(text.size());
  std::ranges::transform(text, flipped.begin(), [first](char c) {
    return static_cast<unsigned char>(c - first) < 26 ? static_cast<char>(c ^ 0x20) : c;
  });
  return Value::string({flipped.data(), flipped.size()});
}

Value map_runes(BuiltinCall& call, std::string_view text, UChar32 (*mapped)(UChar32)) {
  TextBuilder result{call, text.size() + text.size() / 8};
  while (!text.empty()) {
    auto const rune = first_rune(text);
    text.remove_prefix(rune.width);
    result.append(encode(static_cast<char32_t>(mapped(static_cast<UChar32>(rune.code)))).view());
  }
  return result.finish();
}

Value change_case(BuiltinCall& call, Operands operands, char first, UChar32 (*mapped)(UChar32)) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  if (!is_ascii(text)) return map_runes(call, text, mapped);
  return has_letter(text, first) ? flip_ascii(call, text, first) : operands[0];
}

}  // namespace

Value lower(BuiltinCall& call, Operands operands) {
  return change_case(call, operands, 'A', [](UChar32 c) { return u_tolower(c); });
}

Value upper(BuiltinCall& call, Operands operands) {
  return change_case(call, operands, 'a', [](UChar32 c) { return u_toupper(c); });
}

}  // namespace sallyport::rego::builtins
