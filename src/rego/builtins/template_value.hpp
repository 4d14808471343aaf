// What a template computes with. Data comes from JSON, as in OPA: its numbers are json.Number, a
// kind of text to Go's templates (0 is true, and comparing one with 1 is an error).
#pragma once

#include "src/rego/builtins/operands.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::rego::builtins {

struct TemplateValue {
  enum class Kind : std::uint8_t { Missing, Nil, Boolean, Integer, Float, Text, Number, List, Map };
  Kind kind{Kind::Missing};
  std::int64_t integer{0};  // Boolean: 0 or 1
  double real{0};
  Value data;  // Text, Number, List, Map

  static TemplateValue of(Value value);
  static TemplateValue of(std::int64_t integer) { return {Kind::Integer, integer, 0, {}}; }
  static TemplateValue of(bool boolean) { return {Kind::Boolean, boolean ? 1 : 0, 0, {}}; }
  static TemplateValue text(std::string_view text) {
    return {Kind::Text, 0, 0, Value::string(text)};
  }

  bool is_true() const noexcept;
  bool is_valid() const noexcept { return kind != Kind::Missing && kind != Kind::Nil; }
  // As Go names it: "string", "map[string]interface {}".
  std::string_view type_name() const noexcept;
};

// The digits of a number.
std::string number_text(Value number);

// As fmt.Print writes it: lists as [a b], maps as map[a:1].
void print_template_value(TextBuilder& out, TemplateValue const& value);

// The value of a field of a map; Missing where there is none.
TemplateValue template_field(TemplateValue const& map, std::string_view name);

// Calls one of the functions; false with the reason in `error`.
bool call_template_function(BuiltinCall& call, std::string_view name,
                            std::span<TemplateValue const> arguments, TemplateValue& result,
                            std::string& error);

}  // namespace sallyport::rego::builtins
