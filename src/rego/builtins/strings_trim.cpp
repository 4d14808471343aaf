#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/strings_impl.hpp"

#include <bitset>

namespace sallyport::rego::builtins {
namespace {

// The runes of a text, to ask whether one is among them.
class Cutset {
 public:
  explicit Cutset(std::string_view runes) : runes_{runes} {
    for (char const c : runes) {
      if (auto const byte = static_cast<unsigned char>(c); byte < 0x80) ascii_.set(byte);
    }
  }

  bool has(Rune const& rune) const noexcept {
    if (rune.code < 0x80) return ascii_.test(rune.code);
    for (auto rest = runes_; !rest.empty();) {
      auto const mine = first_rune(rest);
      if (mine.code == rune.code) return true;
      rest.remove_prefix(mine.width);
    }
    return false;
  }

  std::size_t size() const noexcept { return runes_.size(); }

 private:
  std::string_view runes_;
  std::bitset<0x80> ascii_;
};

enum class Side : std::uint8_t { Left = 1, Right = 2, Both = 3 };

constexpr bool includes(Side side, Side one) noexcept {
  return (static_cast<unsigned>(side) & static_cast<unsigned>(one)) != 0;
}

// `cut` says of a rune whether it goes, and counts what asking costs.
template <class Cut>
std::string_view trimmed(std::string_view text, Side side, Cut cut) {
  while (includes(side, Side::Left) && !text.empty()) {
    auto const rune = first_rune(text);
    if (!cut(rune)) break;
    text.remove_prefix(rune.width);
  }
  while (includes(side, Side::Right) && !text.empty()) {
    auto const rune = last_rune(text);
    if (!cut(rune)) break;
    text.remove_suffix(rune.width);
  }
  return text;
}

Value trim_runes(BuiltinCall& call, Operands operands, Side side) {
  std::string_view text;
  std::string_view runes;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, runes)) return {};
  if (!charge_bytes(call, text.size() + runes.size())) return stopped(call);
  Cutset const cutset{runes};
  bool in_time = true;
  auto const rest = trimmed(text, side, [&](Rune const& rune) {
    if (rune.code >= 0x80) in_time = charge_bytes(call, cutset.size());
    return in_time && cutset.has(rune);
  });
  return in_time ? Value::string(rest) : stopped(call);
}

}  // namespace

Value trim(BuiltinCall& call, Operands operands) {
  return trim_runes(call, operands, Side::Both);
}

Value trim_left(BuiltinCall& call, Operands operands) {
  return trim_runes(call, operands, Side::Left);
}

Value trim_right(BuiltinCall& call, Operands operands) {
  return trim_runes(call, operands, Side::Right);
}

Value trim_space(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  return Value::string(
      trimmed(text, Side::Both, [](Rune const& rune) { return is_space(rune.code); }));
}

Value trim_prefix(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::string_view prefix;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, prefix)) return {};
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return Value::string(text);
}

Value trim_suffix(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::string_view suffix;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, suffix)) return {};
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return Value::string(text);
}

}  // namespace sallyport::rego::builtins
