#include "src/rego/builtins/go_format.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/json.hpp"

#include <charconv>
#include <cmath>

namespace sallyport::rego::builtins {
namespace {

FormatArgument text_argument(std::string_view text) {
  return {.kind = FormatArgument::Kind::Text, .text = text, .type_name = "string"};
}

// OPA gives Go an int64, a float64 where there is a point, a *big.Int, and otherwise the text.
FormatArgument number_argument(Value number) {
  if (number.is_int64()) {
    return {
        .kind = FormatArgument::Kind::Integer, .integer = number.as_int64(), .type_name = "int64"};
  }
  auto const text = number.as_number_text();
  if (text.find('.') != std::string_view::npos) {
    double real = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), real);
    if (read.ec == std::errc::result_out_of_range && std::fabs(real) > 1)
      return text_argument(text);
    return {.kind = FormatArgument::Kind::Float, .real = real, .type_name = "float64"};
  }
  if (text.find_first_of("eE") != std::string_view::npos) return text_argument(text);
  return {.kind = FormatArgument::Kind::BigInteger, .text = text, .type_name = "*big.Int"};
}

FormatArgument argument_of(BuiltinCall& call, Value value) {
  if (value.is(Kind::String)) return text_argument(value.as_string());
  if (value.is(Kind::Number)) return number_argument(value);
  if (value.is(Kind::Boolean)) return text_argument(value.as_boolean() ? "true" : "false");
  if (value.is(Kind::Null)) return text_argument("null");
  return text_argument(call.arena.copy(to_rego(value)));
}

Value format(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::span<Value const> items;
  if (!read_string(call, operands, 1, pattern) || !read_array(call, operands, 2, items)) return {};
  if (!charge_bytes(call, pattern.size())) return stopped(call);
  auto const arguments = call.arena.allocate_span<FormatArgument>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::construct_at(&arguments[i], argument_of(call, items[i]));
  }
  TextBuilder out{call, pattern.size() + 64};
  go_format(out, pattern, arguments);
  return out.finish();
}

constexpr Builtin kTable[] = {
    {"sprintf", "string, array[any] -> string", format},
};

}  // namespace

BuiltinTable sprintf() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
