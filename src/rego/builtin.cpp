#include "src/rego/builtin.hpp"

#include <utility>

namespace sallyport::rego {
namespace {

Value record(BuiltinCall& call, BuiltinErrc error, std::string text) {
  call.error = error;
  call.message = std::move(text);
  return {};
}

}  // namespace

Value BuiltinCall::fail(std::string text) {
  return record(*this, BuiltinErrc::Builtin, std::move(text));
}

Value BuiltinCall::wrong_type(int operand, std::string_view wanted, Value got) {
  return wrong_operand(
      operand, "must be " + std::string{wanted} + " but got " + std::string{name_of(got.kind())});
}

Value BuiltinCall::wrong_operand(int operand, std::string_view text) {
  return record(*this, BuiltinErrc::Type,
                "operand " + std::to_string(operand) + " " + std::string{text});
}

Value BuiltinCall::halt(std::string text) {
  return record(*this, BuiltinErrc::Halt, std::move(text));
}

}  // namespace sallyport::rego
