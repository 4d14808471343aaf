// Go's fmt.Sprintf, as far as the values of Rego reach it: texts, integers, floats, large integers,
// and booleans (of templates). What Go writes for a wrong verb or a missing argument
// ("%!d(string=x)") is written too, since policies' messages show it.
#pragma once

#include "src/rego/builtins/operands.hpp"

#include <span>
#include <string_view>

namespace sallyport::rego::builtins {

struct FormatArgument {
  enum class Kind : std::uint8_t { Text, Boolean, Integer, Float, BigInteger };
  Kind kind{Kind::Text};
  std::string_view text{};       // Text; BigInteger: its decimal digits
  std::int64_t integer{0};       // Integer; Boolean: not 0
  double real{0};                // Float
  std::string_view type_name{};  // as Go would say it: "string", "int64", "*big.Int"
};

void go_format(TextBuilder& out, std::string_view format,
               std::span<FormatArgument const> arguments);

// What Go's %v makes of a float: "0.1", "1e+06".
void append_float(TextBuilder& out, double value);

}  // namespace sallyport::rego::builtins
