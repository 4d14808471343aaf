#include "src/rego/vm/machine.hpp"

#include "src/rego/vm/collections.hpp"

#include <algorithm>
#include <chrono>
#include <random>

namespace sallyport::rego::vm {

using plan::Collect;
using plan::Instruction;
using plan::kNothing;
using plan::Op;

Arena& Machine::arena_for_input() {
  if (!input_is_in_arena_) arena_.reset();
  input_is_in_arena_ = true;
  return arena_;
}

BuiltinCall Machine::start(plan::Program const& program, Value input,
                           EvaluationOptions const& options, bool asks_the_world) {
  // Each frame of the machine takes a part of the thread's stack.
  constexpr int kDeepest = 1024;
  if (!std::exchange(input_is_in_arena_, false)) arena_.reset();
  arena_.set_limit(options.limits.memory);
  budget_.start(options.limits);
  program_ = &program;
  observer_ = options.observer;
  frames_.release({});
  context_ = {.input = input, .epoch = ++last_epoch_};
  remembered();
  depth_ = 0;
  deepest_ = std::min(options.limits.depth, kDeepest);
  world_calls_ = nullptr;
  answers_.clear();
  answer_count_ = 0;
  error_.reset();
  built_in_error_.reset();

  BuiltinCall call{.arena = arena_,
                   .budget = budget_,
                   .host = options.host != nullptr ? *options.host : no_host_,
                   .now = options.now,
                   .seed = options.seed};
  if (asks_the_world && options.now.count() == 0) {
    call.now = std::chrono::system_clock::now().time_since_epoch();
  }
  if (asks_the_world && options.seed == 0) {
    std::random_device random;
    call.seed = (std::uint64_t{random()} << 32U) | random();
  }
  return call;
}

void Machine::run(plan::Program const& program, plan::QueryPlan const& query, Value input,
                  EvaluationOptions const& options, bool only_first) {
  auto call = start(program, input, options, program.asks_the_world || query.asks_the_world);
  call_ = &call;
  only_first_ = only_first;
  auto frame = make_frame(query.frame);
  run(query.code, 0, frame);
}

std::optional<Value> Machine::run_rule(plan::Program const& program, std::uint32_t rule,
                                       Limits const& limits) {
  auto call = start(program, {}, {.limits = limits}, false);
  call_ = &call;
  Value value;
  if (!rule_value(rule, value) || built_in_error_) return std::nullopt;
  return value;
}

std::string Machine::file_of(Location at) const {
  return at.row > 0 && at.file < program_->files.size() ? program_->files[at.file] : std::string{};
}

bool Machine::stop(Code code, std::string message, Location at) {
  if (!error_) {
    error_.emplace(
        Diagnostic{.code = code, .message = std::move(message), .file = file_of(at), .at = at});
  }
  return false;
}

bool Machine::stop_exceeded(Location at) {
  auto const& limits = budget_.limits();
  switch (budget_.exceeded()) {
    case Exceeded::Nothing: return stop(Code::Cancel, "stopped by a built-in", at);
    case Exceeded::Steps:
      return stop(Code::Cancel,
                  "evaluation needs more than " + std::to_string(limits.steps) + " steps", at);
    case Exceeded::Time:
      return stop(
          Code::Cancel,
          "evaluation takes longer than " +
              std::to_string(
                  std::chrono::duration_cast<std::chrono::milliseconds>(limits.time).count()) +
              " ms",
          at);
    case Exceeded::Memory:
      return stop(
          Code::Cancel,
          "evaluation needs more than " + std::to_string(limits.memory) + " bytes of memory", at);
    case Exceeded::Depth:
      return stop(Code::Cancel,
                  "rules and functions call each other more than " + std::to_string(deepest_) +
                      " levels deep",
                  at);
  }
  return false;
}

void Machine::tell(TraceOp op, Location at, Frame const& frame) {
  observer_->event({.op = op,
                    .at = at,
                    .depth = depth_,
                    .rule = frame.rule == nullptr ? std::string_view{} : frame.rule->name});
}

bool Machine::charge(std::uint64_t steps) {
  if (!budget_.charge(steps)) return stop_exceeded({});
  if (!arena_.exhausted()) return true;
  budget_.exceed(Exceeded::Memory);
  return stop_exceeded({});
}

// A table of what each instruction does. `goto failed` is "this instruction failed".
// NOLINTNEXTLINE(readability-function-size)
bool Machine::run(plan::Code const& code, std::uint32_t start, Frame& frame) {
  auto const* const first = code.instructions.data();
  auto const* const constants = code.constants.data();
  auto* const registers = frame.registers;
  auto const at = [&](plan::Operand operand) -> Value const& {
    return operand >= 0 ? registers[operand] : constants[~operand];
  };
  auto const slot = [&](plan::Operand operand) -> Slot& { return frame.slots[operand]; };
  auto const path_of = [&](Instruction const& instruction) {
    auto value = context_.input;
    auto const* key = code.operands.data() + instruction.b;
    for (std::uint32_t i = 0; i < instruction.count; ++i) value = get(value, at(key[i]));
    return value;
  };

  for (auto const* next = first + start;;) {
    auto const& now = *next++;
    switch (now.op) {
      case Op::Move: registers[now.a] = at(now.b); continue;
      case Op::Input:
        registers[now.a] = context_.input;
        if (!context_.input.is_defined()) goto failed;
        continue;
      case Op::InputPath:
        registers[now.a] = path_of(now);
        if (!registers[now.a].is_defined()) goto failed;
        continue;
      case Op::InputMaybe: registers[now.a] = path_of(now); continue;
      case Op::Defined:
        if (!at(now.a).is_defined()) goto failed;
        continue;
      case Op::Get:
        registers[now.a] = get(at(now.b), at(now.c));
        if (!registers[now.a].is_defined()) goto failed;
        continue;
      case Op::Element:
        registers[now.a] = at(now.b).items()[static_cast<std::size_t>(now.c)];
        continue;
      case Op::MakeArray:
      case Op::MakeSet:
      case Op::MakeObject: {
        std::array<Value, 16> room;
        registers[now.a] = make_collection(now.op, gather(code, now, registers, room), arena_);
        if (!charge(now.count / 8)) return false;
        continue;
      }

      case Op::Equal:
        if (!charge(steps_through(at(now.a)))) return false;
        if (!same(at(now.a), at(now.b))) goto failed;
        continue;
      case Op::NotEqual:
        if (!charge(steps_through(at(now.a)))) return false;
        if (same(at(now.a), at(now.b))) goto failed;
        continue;
      case Op::Less:
        if (!charge(steps_through(at(now.a)))) return false;
        if (compare(at(now.a), at(now.b)) >= 0) goto failed;
        continue;
      case Op::LessEqual:
        if (!charge(steps_through(at(now.a)))) return false;
        if (compare(at(now.a), at(now.b)) > 0) goto failed;
        continue;
      case Op::Member:
        if (!charge(at(now.b).is(Kind::Set) ? 0 : steps_through(at(now.b)))) return false;
        if (!is_member(at(now.a), at(now.b))) goto failed;
        continue;
      case Op::True:
        if (at(now.a).is_false()) goto failed;
        continue;
      case Op::IsArray:
        if (!at(now.a).is(Kind::Array) || at(now.a).size() != now.count) goto failed;
        continue;
      case Op::IsObject:
        if (!at(now.a).is(Kind::Object) || at(now.a).size() != now.count) goto failed;
        continue;
      case Op::Fail:
      case Op::Jump: goto failed;

      case Op::ScanBegin:
        slot(now.a).collection = at(now.b);
        slot(now.a).index = 0;
        if (!is_collection(at(now.b))) goto failed;
        continue;
      case Op::ScanNext:
        if (!charge()) return false;
        if (!advance(slot(now.a), now.b == kNothing ? nullptr : &registers[now.b],
                     now.c == kNothing ? nullptr : &registers[now.c])) {
          goto failed;
        }
        continue;

      case Op::CallBuiltin:
        if (!call_builtin_site(code, now, registers, registers[now.a])) return false;
        goto called;
      case Op::CallFunction:
        if (!call_function_site(code, now, registers, registers[now.a])) return false;
        goto called;
      case Op::CallRule:
        if (!rule_value(now.count, registers[now.a])) return false;
        goto called;

      case Op::DataBegin: slot(now.a).pointer = data_root(); continue;
      case Op::DataStep: {
        bool found = false;
        if (!data_step(slot(now.b), at(now.c), slot(now.a), found)) return false;
        if (!found) goto failed;
        continue;
      }
      case Op::DataKeys:
        registers[now.a] = data_keys(slot(now.b));
        if (!charge(registers[now.a].size())) return false;
        continue;
      case Op::DataValue:
        if (!data_value(slot(now.b), registers[now.a])) return false;
        if (!charge(1 + registers[now.a].size())) return false;
        goto called;

      case Op::CollectBegin:
        begin_collection(slot(now.a), static_cast<Collect>(now.b), arena_);
        continue;
      case Op::CollectItem:
        switch (slot(now.a).collect) {
          case Collect::Array:
            static_cast<ArrayBuilder*>(slot(now.a).pointer)->add(at(now.b));
            continue;
          case Collect::Set:
            static_cast<SetBuilder*>(slot(now.a).pointer)->add(at(now.b));
            continue;
          case Collect::Object:
            static_cast<ObjectBuilder*>(slot(now.a).pointer)->add(at(now.b), at(now.c));
            continue;
        }
        continue;
      case Op::CollectEnd:
        registers[now.b] = end_collection(slot(now.a));
        if (registers[now.b].is_defined()) continue;
        return stop(rego::Code::Conflict, "object keys must be unique",
                    code.places[static_cast<std::size_t>(now.c)]);

      case Op::WithPush:
        push_context(code, code.withs[static_cast<std::size_t>(now.b)], registers, slot(now.a));
        if (!charge(1 + steps_through(context_.input))) return false;
        continue;
      case Op::WithLeave:
        context_ = static_cast<SavedContext*>(slot(now.a).pointer)->outer;
        continue;
      case Op::WithEnter:
        context_ = static_cast<SavedContext*>(slot(now.a).pointer)->inner;
        continue;

      case Op::Emit:
        if (!emit(frame, at(now.a), code.places[static_cast<std::size_t>(now.b)])) return false;
        continue;
      case Op::EmitMember: frame.members->add(at(now.a)); continue;
      case Op::EmitEntry:
        if (!emit_entry(code, now, frame)) return false;
        continue;
      case Op::Answer: {
        for (std::uint32_t i = 0; i < now.count; ++i) {
          answers_.push_back(at(code.operands[static_cast<std::size_t>(now.b) + i]));
        }
        ++answer_count_;
        if (only_first_) return true;
        if (!charge()) return false;
        continue;
      }
      case Op::ElseGuard:
        if (frame.emitted) return true;
        continue;
      case Op::Return: return true;
      case Op::Note:
        if (observer_ != nullptr && (now.a == kNothing || !registers[now.a].is_true())) {
          tell(static_cast<TraceOp>(now.count), code.places[static_cast<std::size_t>(now.b)],
               frame);
        }
        continue;
    }
  called:
    if (!registers[now.a].is_defined()) goto failed;
    if ((now.flags & plan::kTest) != 0 && registers[now.a].is_false()) goto failed;
    continue;
  failed:
    next = first + now.fail;
  }
}

}  // namespace sallyport::rego::vm
