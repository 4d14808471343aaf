#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/strings_impl.hpp"

namespace sallyport::rego::builtins {
namespace {

// A string counts as a collection of one.
bool read_some(BuiltinCall& call, Operands operands, int position, std::span<Value const>& out) {
  auto const& value = operands[static_cast<std::size_t>(position) - 1];
  if (value.is(Kind::String)) {
    out = {&value, 1};
    return true;
  }
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) {
    call.wrong_type(position, "one of {string, set, array}", value);
    return false;
  }
  return read_strings(call, operands, position, out);
}

template <class Matches>
Value any_match(BuiltinCall& call, Operands operands, Matches matches) {
  std::span<Value const> texts;
  std::span<Value const> parts;
  if (!read_some(call, operands, 1, texts) || !read_some(call, operands, 2, parts)) return {};
  for (auto const text : texts) {
    if (!call.budget.charge(1 + parts.size() / 8)) return stopped(call);
    for (auto const part : parts) {
      if (matches(text.as_string(), part.as_string())) return Value::boolean(true);
    }
  }
  return Value::boolean(false);
}

}  // namespace

Value any_prefix_match(BuiltinCall& call, Operands operands) {
  return any_match(call, operands, [](std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix);
  });
}

Value any_suffix_match(BuiltinCall& call, Operands operands) {
  return any_match(call, operands, [](std::string_view text, std::string_view suffix) {
    return text.ends_with(suffix);
  });
}

}  // namespace sallyport::rego::builtins
