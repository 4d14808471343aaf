#include "src/rego/vm/machine.hpp"

#include <algorithm>
#include <bit>

namespace sallyport::rego::vm {

using plan::DocumentKind;
using plan::kNone;

Frame Machine::make_frame(plan::FrameSize size) {
  Frame frame;
  auto* const memory = static_cast<std::byte*>(
      frames_.take(size.registers * sizeof(Value) + size.slots * sizeof(Slot)));
  static_assert(alignof(Slot) <= sizeof(Value));
  frame.registers = reinterpret_cast<Value*>(memory);
  frame.slots = reinterpret_cast<Slot*>(memory + size.registers * sizeof(Value));
  return frame;
}

bool Machine::enter_call(Location at) {
  if (++depth_ > deepest_) {
    budget_.exceed(Exceeded::Depth);
    return stop_exceeded(at);
  }
  return charge();
}

bool Machine::rule_value(std::uint32_t number, Value& value) {
  auto const& plan = program_->rules[number];
  if (plan.is_constant) {
    value = plan.value;
    return true;
  }
  if (plan.kind == DocumentKind::Function) {
    value = {};
    return true;
  }
  auto const& known = remembered_[context_.depth][number];
  if (known.epoch == context_.epoch) {
    value = known.value;
    return true;
  }
  auto const mark = frames_.mark();
  if (!enter_call(plan.at) || !evaluate_rule(plan, value)) return false;
  --depth_;
  frames_.release(mark);
  remembered_[context_.depth][number] = {context_.epoch, value};
  return true;
}

bool Machine::evaluate_rule(plan::RulePlan const& plan, Value& value) {
  auto frame = make_frame(plan.frame);
  frame.rule = &plan;
  switch (plan.kind) {
    case DocumentKind::Complete:
    case DocumentKind::Function:
      if (!run_bodies(plan, frame)) return false;
      value = frame.result;
      return true;
    case DocumentKind::Set: {
      SetBuilder members{arena_};
      frame.members = &members;
      if (!run_bodies(plan, frame)) return false;
      value = members.finish();
      return true;
    }
    case DocumentKind::Object: {
      ObjectBuilder pairs{arena_};
      frame.pairs = &pairs;
      if (!run_bodies(plan, frame)) return false;
      value = pairs.finish_without_conflicts();
      break;
    }
    case DocumentKind::NestedObject: {
      Entries entries{arena_};
      frame.entries = &entries;
      if (!run_bodies(plan, frame)) return false;
      value = entries.finish();
      break;
    }
  }
  return value.is_defined() || stop(Code::Conflict, "object keys must be unique", plan.at);
}

namespace {

// Of operands as they are held, not as they are written: equal ones that were made twice are
// computed twice, but long ones cost nothing to look up.
std::uint64_t hash_of_handles(Operands operands, std::uint32_t rule) {
  std::uint64_t result = rule + 0x9e3779b97f4a7c15U;
  for (auto const& operand : operands) {
    std::array<std::uint64_t, 2> halves{};
    static_assert(sizeof(halves) == sizeof(Value));
    if (operand.is(Kind::String) && operand.size() <= 64) {
      halves[0] = hash(operand);
    } else {
      halves = std::bit_cast<std::array<std::uint64_t, 2>>(operand);
    }
    for (auto const half : halves) {
      result = (result ^ half) * 0xff51afd7ed558ccdU;
      result ^= result >> 32;
    }
  }
  return result;
}

bool same_handles(Value left, Value right) {
  using Bits = std::array<std::uint64_t, 2>;
  if (left.is(Kind::String) && right.is(Kind::String) && left.size() <= 64) {
    return left.as_string() == right.as_string();
  }
  return std::bit_cast<Bits>(left) == std::bit_cast<Bits>(right);
}

}  // namespace

bool Machine::call_function(std::uint32_t number, Operands operands, Value& value) {
  auto const& plan = program_->rules[number];
  if (!plan.remembers_calls) return evaluate_function(plan, operands, value);
  constexpr std::size_t kCalls = 256;
  if (remembered_calls_.empty()) remembered_calls_.resize(kCalls);
  auto const hash = hash_of_handles(operands, number);
  auto* known = &remembered_calls_[hash % kCalls];
  if (known->epoch == context_.epoch && known->hash == hash && known->rule == number &&
      std::ranges::equal(operands, Operands{known->operands, operands.size()}, same_handles)) {
    value = known->value;
    return true;
  }
  if (!evaluate_function(plan, operands, value)) return false;
  auto const copy = arena_.allocate_span<Value>(operands.size());
  std::ranges::copy(operands, copy.begin());
  *known = {context_.epoch, hash, number, copy.data(), value};
  return true;
}

bool Machine::evaluate_function(plan::RulePlan const& plan, Operands operands, Value& value) {
  auto const mark = frames_.mark();
  if (!enter_call(plan.at)) return false;
  auto frame = make_frame(plan.frame);
  frame.rule = &plan;
  std::ranges::copy(operands, frame.registers);
  if (!run_bodies(plan, frame)) return false;
  value = frame.result;
  --depth_;
  frames_.release(mark);
  return true;
}

bool Machine::run_body(plan::RulePlan const& plan, std::uint32_t body, Frame& frame) {
  frame.emitted = false;
  if (charge() && run(program_->code, plan.bodies[body], frame)) return true;
  if (error_ && error_->at.row == 0) {
    // A limit was exceeded somewhere in it.
    error_->at = plan.body_places[body];
    error_->file = file_of(error_->at);
  }
  return false;
}

bool Machine::run_bodies(plan::RulePlan const& plan, Frame& frame) {
  auto const enough = [&] { return plan.first_is_enough && frame.result.is_defined(); };
  if (plan.index) {
    auto const& ref = plan.index->ref();
    auto known =
        ref.parameter == plan::IndexedRef::kInput ? context_.input : frame.registers[ref.parameter];
    for (auto const key : ref.path) known = get(known, key);
    auto asking = plan.index->asking_for(known);
    auto others = plan.index->others();
    while (!enough() && (!asking.empty() || !others.empty())) {
      auto& next =
          others.empty() || (!asking.empty() && asking.front() < others.front()) ? asking : others;
      if (!run_body(plan, next.front(), frame)) return false;
      next = next.subspan(1);
    }
  } else {
    for (std::uint32_t body = 0; body < plan.bodies.size() && !enough(); ++body) {
      if (!run_body(plan, body, frame)) return false;
    }
  }
  if (plan.default_body == kNone || frame.result.is_defined()) return true;
  return run(program_->code, plan.default_body, frame);
}

bool Machine::emit(Frame& frame, Value value, Location at) {
  frame.emitted = true;
  if (!frame.result.is_defined()) {
    frame.result = value;
    return true;
  }
  if (equal(frame.result, value)) return true;
  return stop(Code::Conflict,
              frame.rule->kind == DocumentKind::Function
                  ? "functions must not produce multiple outputs for same inputs"
                  : "complete rules must not produce multiple outputs",
              at);
}

bool Machine::emit_entry(plan::Code const& code, plan::Instruction const& instruction,
                         Frame& frame) {
  std::array<Value, 16> room;
  auto const operands = gather(code, instruction, frame.registers, room);
  if (frame.pairs != nullptr) {
    frame.pairs->add(operands[0], operands[1]);
  } else {
    frame.entries->add(operands.first(operands.size() - 1), operands.back(),
                       (instruction.flags & plan::kMember) != 0);
  }
  return true;
}

}  // namespace sallyport::rego::vm
