#include "src/rego/vm/machine.hpp"

#include <algorithm>

namespace sallyport::rego::vm {

using plan::kNone;

// `c` says how many for calls, `count` for the rest.
Operands Machine::gather(plan::Code const& code, plan::Instruction const& instruction,
                         Value const* registers, std::span<Value> room) {
  auto const is_call =
      instruction.op == plan::Op::CallBuiltin || instruction.op == plan::Op::CallFunction;
  auto const count = is_call ? static_cast<std::size_t>(instruction.c) : instruction.count;
  if (count > room.size()) room = arena_.allocate_span<Value>(count);
  auto const* const operands = code.operands.data() + instruction.b;
  for (std::size_t i = 0; i < count; ++i) {
    room[i] = operands[i] >= 0 ? registers[operands[i]]
                               : code.constants[static_cast<std::uint32_t>(~operands[i])];
  }
  return room.first(count);
}

Mock const* Machine::mock_of(std::uint32_t replaceable) const noexcept {
  if (replaceable == kNone) return nullptr;
  auto const* mock = context_.mocks;
  while (mock != nullptr && mock->replaceable != replaceable) mock = mock->next;
  return mock;
}

bool Machine::call_builtin_site(plan::Code const& code, plan::Instruction const& instruction,
                                Value const* registers, Value& value) {
  std::array<Value, 8> room;
  auto const operands = gather(code, instruction, registers, room);
  auto const& site = code.sites[instruction.count];
  if (auto const* mock = mock_of(site.replaceable)) {
    return call_mock(*mock, operands, site.at, value);
  }
  return call_builtin(*site.builtin, site.prepared.get(), operands, site.at, value);
}

bool Machine::call_function_site(plan::Code const& code, plan::Instruction const& instruction,
                                 Value const* registers, Value& value) {
  std::array<Value, 8> room;
  auto const operands = gather(code, instruction, registers, room);
  auto const& site = code.sites[instruction.count];
  if (auto const* mock = mock_of(site.replaceable)) {
    return call_mock(*mock, operands, site.at, value);
  }
  return call_function(site.rule, operands, value);
}

// While a stand-in runs, nothing is replaced: it may call what it stands for.
bool Machine::call_mock(Mock const& mock, Operands operands, Location at, Value& value) {
  if (mock.value.is_defined()) {
    value = mock.value;
    return true;
  }
  if (mock.builtin != nullptr) return call_builtin(*mock.builtin, nullptr, operands, at, value);
  if (mock.rule == kNone) {
    value = {};
    return true;
  }
  auto const outer = context_;
  auto inner = context_;
  inner.mocks = nullptr;
  enter_new_context(inner);
  if (!call_function(mock.rule, operands, value)) return false;
  context_ = outer;
  return true;
}

bool Machine::call_builtin(Builtin const& builtin, Prepared const* prepared, Operands operands,
                           Location at, Value& value) {
  if ((builtin.flags & Builtin::kNondeterministic) != 0) {
    return call_world(builtin, prepared, operands, at, value);
  }
  call_->prepared = prepared;
  value = builtin.function(*call_, operands);
  if (call_->error != BuiltinErrc::None) {
    value = {};
    if (!builtin_failed(builtin, at)) return false;
  } else if ((builtin.flags & Builtin::kVoid) != 0) {
    value = Value::boolean(true);
  }
  return charge();
}

bool Machine::call_world(Builtin const& builtin, Prepared const* prepared, Operands operands,
                         Location at, Value& value) {
  for (auto const* known = world_calls_; known != nullptr; known = known->next) {
    if (known->builtin == &builtin &&
        std::ranges::equal(known->operands, operands,
                           [](Value left, Value right) { return equal(left, right); })) {
      value = known->value;
      return true;
    }
  }
  call_->prepared = prepared;
  value = builtin.function(*call_, operands);
  if (call_->error != BuiltinErrc::None) {
    value = {};
    return builtin_failed(builtin, at);
  }
  auto const copy = arena_.allocate_span<Value>(operands.size());
  std::ranges::copy(operands, copy.begin());
  world_calls_ = arena_.make<WorldCall>(&builtin, Operands{copy}, value, world_calls_);
  return charge();
}

bool Machine::builtin_failed(Builtin const& builtin, Location at) {
  auto const errc = std::exchange(call_->error, BuiltinErrc::None);
  auto text = std::exchange(call_->message, {});
  if (budget_.exceeded() != Exceeded::Nothing) return stop_exceeded(at);
  if (errc == BuiltinErrc::Halt) return stop(Code::Cancel, std::move(text), at);
  auto const code = errc == BuiltinErrc::Type ? Code::EvalType : Code::Builtin;
  auto message = std::string{builtin.name} + ": " + text;
  if (program_->strict_builtin_errors) return stop(code, std::move(message), at);
  if (!built_in_error_) {
    built_in_error_.emplace(
        Diagnostic{.code = code, .message = std::move(message), .file = file_of(at), .at = at});
  }
  return true;
}

}  // namespace sallyport::rego::vm
