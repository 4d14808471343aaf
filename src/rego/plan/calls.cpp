#include "src/rego/budget.hpp"
#include "src/rego/host.hpp"
#include "src/rego/plan/body_planner.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::plan {

using ast::Term;
using ast::TermKind;

namespace {

struct Comparison {
  std::string_view builtin;
  Op op;
  bool swapped;
};
constexpr std::array kComparisons{
    Comparison{"equal", Op::Equal, false},
    Comparison{"neq", Op::NotEqual, false},
    Comparison{"lt", Op::Less, false},
    Comparison{"lte", Op::LessEqual, false},
    Comparison{"gt", Op::Less, true},
    Comparison{"gte", Op::LessEqual, true},
    Comparison{"internal.member_2", Op::Member, false},
};

bool may_fold(Builtin const& builtin) {
  constexpr auto kNever = Builtin::kNondeterministic | Builtin::kRelation | Builtin::kVoid;
  return (builtin.flags & kNever) == 0;
}

}  // namespace

std::uint32_t BodyPlanner::parameters_of(Term const& function, Builtin const*& builtin,
                                         std::uint32_t& rule) const {
  if (function.kind == TermKind::Var) {
    builtin = find_builtin(function.name);
    return builtin == nullptr ? 0 : arity_of(*builtin);
  }
  rule = environment_.rule_at(Keys{function.items.begin() + 1, function.items.size() - 1});
  return rule == kNone ? 0 : environment_.program.rules[rule].parameters;
}

void BodyPlanner::call_statement(Term const& term) {
  auto const& function = *term.items[0];
  auto const operands = term.items.size() - 1;
  if (function.kind == TermKind::Var && function.name == "eq" && operands == 2) {
    return unify(*term.items[1], *term.items[2]);
  }
  if (comparison(term)) return;
  Builtin const* builtin = nullptr;
  std::uint32_t rule = kNone;
  auto const parameters = parameters_of(function, builtin, rule);
  if (builtin != nullptr && (builtin->flags & Builtin::kRelation) != 0) {
    return relation(term, *builtin);
  }
  if (operands <= parameters) {
    call(term, operands, kTest);
    return;
  }
  match(*term.items[operands], call(term, operands - 1, 0));
}

Operand BodyPlanner::call_value(Term const& term) {
  return call(term, term.items.size() - 1, 0);
}

bool BodyPlanner::comparison(Term const& term) {
  auto const& function = *term.items[0];
  if (function.kind != TermKind::Var || term.items.size() != 3) return false;
  auto const found = std::ranges::find(kComparisons, function.name, &Comparison::builtin);
  if (found == kComparisons.end()) return false;
  if (environment_.replaceables.builtins.contains(find_builtin(function.name))) return false;
  auto left = value(*term.items[1]);
  auto right = value(*term.items[2]);
  if (found->swapped) std::swap(left, right);
  test({.op = found->op, .a = left, .b = right});
  return true;
}

void BodyPlanner::relation(Term const& term, Builtin const& builtin) {
  auto const parameters = arity_of(builtin);
  auto const all = call(term, std::min<std::size_t>(parameters, term.items.size() - 1), 0);
  auto const slot = writer_.new_slot();
  begin_scan(slot, all);
  auto const next = writer_.new_label();
  writer_.place(next);
  auto const element = writer_.new_register();
  test({.op = Op::ScanNext, .a = slot, .c = element});
  fail_ = next;
  if (term.items.size() - 1 > parameters) match(*term.items.back(), element);
}

Operand BodyPlanner::call(Term const& term, std::size_t operand_count, std::uint8_t flags) {
  CallSite site{.at = term.at};
  parameters_of(*term.items[0], site.builtin, site.rule);
  std::vector<Operand> operands;
  for (std::size_t i = 1; i <= operand_count; ++i) operands.push_back(value(*term.items[i]));
  if (site.builtin == nullptr && site.rule == kNone) return never();

  auto const& known = environment_.replaceables;
  Instruction instruction{.flags = flags};
  if (site.builtin != nullptr) {
    auto const& builtin = *site.builtin;
    if (auto const found = known.builtins.find(&builtin); found != known.builtins.end()) {
      site.replaceable = found->second;
      pure_ = false;
      costly_ = true;
    } else if (auto const folded = fold_call(builtin, operands); folded != kNothing) {
      auto const fails = (flags & kTest) != 0 && writer_.constant_value(folded).is_false();
      return fails ? never() : folded;
    }
    if ((builtin.flags & Builtin::kNondeterministic) != 0) asks_the_world_ = true;
    pure_ = pure_ && (builtin.flags & (Builtin::kNondeterministic | Builtin::kVoid)) == 0;
    if (builtin.prepare != nullptr) {
      std::vector<Value> constants;
      constants.reserve(operands.size());
      for (auto const operand : operands) {
        constants.push_back(CodeWriter::is_constant(operand) ? writer_.constant_value(operand)
                                                             : Value{});
      }
      site.prepared = builtin.prepare(constants);
    }
    instruction.op = Op::CallBuiltin;
  } else {
    auto const& rule = environment_.program.rules[site.rule];
    if (auto const found = known.functions.find(site.rule); found != known.functions.end()) {
      site.replaceable = found->second;
      pure_ = false;
    }
    pure_ = pure_ && rule.planned && rule.pure;
    costly_ = true;
    instruction.op = Op::CallFunction;
  }
  instruction.b = writer_.operands(operands);
  instruction.c = static_cast<Operand>(operands.size());
  instruction.count = writer_.site(std::move(site));
  return emit_value(instruction);
}

// What is the same each time is computed once. Errors are not: they belong to the evaluation.
Operand BodyPlanner::fold_call(Builtin const& builtin, std::span<Operand const> operands) {
  if (!may_fold(builtin) || environment_.instrument) return kNothing;
  std::vector<Value> constants;
  for (auto const operand : operands) {
    if (!CodeWriter::is_constant(operand)) return kNothing;
    constants.push_back(writer_.constant_value(operand));
  }
  constexpr std::size_t kMostMemory = std::size_t{1} << 20;
  Arena scratch{kMostMemory};
  Budget budget;
  budget.start({.steps = 100'000,
                .time = std::chrono::milliseconds{20},
                .memory = kMostMemory,
                .most_items = 10'000});
  Host host;
  BuiltinCall call{.arena = scratch, .budget = budget, .host = host};
  auto const result = builtin.function(call, constants);
  auto const failed = call.error != BuiltinErrc::None || !result.is_defined() ||
                      budget.exceeded() != Exceeded::Nothing || scratch.exhausted();
  return failed ? kNothing : writer_.constant(deep_copy(result, environment_.arena));
}

}  // namespace sallyport::rego::plan
