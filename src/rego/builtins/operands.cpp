#include "src/rego/builtins/operands.hpp"

namespace sallyport::rego::builtins {

bool read_int(BuiltinCall& call, Operands operands, int position, std::int64_t& out) {
  auto const value = operand_at(operands, position);
  if (!value.is(Kind::Number)) {
    call.wrong_type(position, "number", value);
    return false;
  }
  if (!value.is_int64()) {
    call.wrong_operand(position, "must be integer number but got floating-point number");
    return false;
  }
  out = value.as_int64();
  return true;
}

bool read_array(BuiltinCall& call, Operands operands, int position, std::span<Value const>& out) {
  auto const value = operand_at(operands, position);
  if (!value.is(Kind::Array)) {
    call.wrong_type(position, "array", value);
    return false;
  }
  out = value.items();
  return true;
}

bool read_object(BuiltinCall& call, Operands operands, int position, std::span<Entry const>& out) {
  auto const value = operand_at(operands, position);
  if (!value.is(Kind::Object)) {
    call.wrong_type(position, "object", value);
    return false;
  }
  out = value.entries();
  return true;
}

bool read_strings(BuiltinCall& call, Operands operands, int position, std::span<Value const>& out) {
  auto const value = operand_at(operands, position);
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) {
    call.wrong_type(position, "one of {array, set}", value);
    return false;
  }
  for (auto const item : value.items()) {
    if (item.is(Kind::String)) continue;
    wrong_element(call, position, value, item, "string");
    return false;
  }
  out = value.items();
  return true;
}

Value wrong_element(BuiltinCall& call, int position, Value collection, Value element,
                    std::string_view wanted) {
  std::string const kind{name_of(collection.kind())};
  return call.wrong_operand(position, "must be " + kind + " of " + std::string{wanted} +
                                          "s but got " + kind + " containing " +
                                          std::string{name_of(element.kind())});
}

Value stopped(BuiltinCall& call) {
  return call.halt("the evaluation has used up its budget");
}

Value make_text(BuiltinCall& call, std::string_view text) {
  if (text.size() > call.budget.limits().longest_text) {
    TextBuilder builder{call, 0};
    builder.append(text);
    return builder.finish();
  }
  return Value::string(call.arena.copy(text));
}

void TextBuilder::append(std::size_t count, char c) {
  if (count == 0 || (count > room_.size() - size_ && !grow(count))) return;
  std::memset(room_.data() + size_, c, count);
  size_ += count;
}

bool TextBuilder::grow(std::size_t more) {
  auto const longest = call_->budget.limits().longest_text;
  if (full_ || more > longest || size_ > longest - more) {
    full_ = true;
    return false;
  }
  auto const bigger =
      call_->arena.allocate_span<char>(std::max({size_ + more, room_.size() * 2, std::size_t{64}}));
  if (size_ != 0) std::memcpy(bigger.data(), room_.data(), size_);
  room_ = bigger;
  return true;
}

Value TextBuilder::too_long() {
  return call_->halt("the text is longer than " +
                     std::to_string(call_->budget.limits().longest_text) + " bytes");
}

}  // namespace sallyport::rego::builtins
