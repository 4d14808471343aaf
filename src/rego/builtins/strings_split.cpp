#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/strings_impl.hpp"

#include <limits>

namespace sallyport::rego::builtins {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// The first `most` parts; they point into the text. An empty separator parts runes. Undefined
// where the budget is used up.
Value parts_of(BuiltinCall& call, std::string_view text, std::string_view separator,
               std::size_t most) {
  ArrayBuilder parts{call.arena};
  if (!charge_bytes(call, text.size())) return stopped(call);
  if (separator.empty()) {
    while (!text.empty() && parts.size() < most) {
      auto const rune = first_rune(text);
      parts.add(Value::string(text.substr(0, rune.width)));
      text.remove_prefix(rune.width);
      if (!call.budget.charge()) return stopped(call);
    }
    return parts.finish();
  }
  while (parts.size() < most) {
    auto const at = find(text, separator);
    parts.add(Value::string(text.substr(0, at)));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + separator.size());
    if (!call.budget.charge()) return stopped(call);
  }
  return parts.finish();
}

}  // namespace

Value split(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::string_view separator;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, separator))
    return {};
  return parts_of(call, text, separator, kNoLimit);
}

Value split_n(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::string_view separator;
  std::int64_t wanted = 0;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, separator) ||
      !read_int(call, operands, 3, wanted)) {
    return {};
  }
  if (wanted >= 0) return parts_of(call, text, separator, static_cast<std::size_t>(wanted));

  auto const all = parts_of(call, text, separator, kNoLimit);
  if (!all.is_defined()) return all;
  // The negation of the least number is not one; its complement plus one does not overflow here.
  auto const last = static_cast<std::size_t>(~wanted) + 1;
  auto const items = all.items();
  return Value::array(items.last(std::min(last, items.size())));
}

}  // namespace sallyport::rego::builtins
