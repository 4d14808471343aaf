#include "src/rego/builtin.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

Value BuiltinCall::fail(std::string text) {
  error = BuiltinErrc::Builtin;
  message = std::move(text);
  return {};
}

Value BuiltinCall::wrong_type(int operand, std::string_view wanted, Value got) {
  error = BuiltinErrc::Type;
  message = fmt::format("operand {} must be {} but got {}", operand, wanted, name_of(got.kind()));
  return {};
}

Value BuiltinCall::wrong_operand(int operand, std::string_view text) {
  error = BuiltinErrc::Type;
  message = fmt::format("operand {} {}", operand, text);
  return {};
}

Value BuiltinCall::halt(std::string text) {
  error = BuiltinErrc::Halt;
  message = std::move(text);
  return {};
}

}  // namespace sallyport::rego
