#include "src/rego/plan/body_planner.hpp"
#include "src/rego/vm/documents.hpp"

#include <algorithm>

namespace sallyport::rego::plan {

using ast::Term;
using ast::TermKind;

Operand BodyPlanner::reference(Term const& term) {
  Keys const keys{term.items.begin() + 1, term.items.size() - 1};
  auto const& head = *term.items[0];
  if (head.kind == TermKind::Var && !head.value.is_defined()) {
    return head.name == "input" ? input_reference(keys) : data_reference(keys);
  }
  return path(value(head), keys);
}

Operand BodyPlanner::path(Operand from, Keys keys) {
  for (auto const* key : keys) from = step(from, *key);
  return from;
}

Operand BodyPlanner::step(Operand from, Term const& key) {
  if (!is_ready(key)) return scan(from, key);
  auto const held = value(key);
  if (!CodeWriter::is_constant(from) || !CodeWriter::is_constant(held)) {
    return emit_value({.op = Op::Get, .b = from, .c = held});
  }
  auto const found = get(writer_.constant_value(from), writer_.constant_value(held));
  return found.is_defined() ? writer_.constant(found) : never();
}

Operand BodyPlanner::scan(Operand collection, Term const& key) {
  auto const slot = writer_.new_slot();
  begin_scan(slot, collection);
  auto const next = writer_.new_label();
  writer_.place(next);
  auto const key_held = writer_.new_register();
  auto const element = writer_.new_register();
  test({.op = Op::ScanNext, .a = slot, .b = key_held, .c = element});
  fail_ = next;
  match(key, key_held);
  return element;
}

void BodyPlanner::begin_scan(Operand slot, Operand collection) {
  costly_ = true;
  // What the loop reads of the input does not change in it: read once, before.
  hoist(remaining_);
  test({.op = Op::ScanBegin, .a = slot, .b = collection});
}

Operand BodyPlanner::input_reference(Keys keys) {
  pure_ = false;
  std::vector<Value> known;
  for (auto const* key : keys) {
    auto const constant = constant_of(*key);
    if (!constant.is_defined()) break;
    known.push_back(constant);
  }
  auto const rest = keys.subspan(known.size());
  return path(load_input(std::move(known)), rest);
}

Operand BodyPlanner::load_input(std::vector<Value> path) {
  auto const same = [&](LoadedInput const& loaded) {
    return std::ranges::equal(loaded.path, path,
                              [](Value left, Value right) { return equal(left, right); });
  };
  if (replaced_ == 0) {
    auto const found = std::ranges::find_if(inputs_, same);
    if (found != inputs_.end()) {
      if (!found->defined) test({.op = Op::Defined, .a = found->held});
      return found->held;
    }
  }
  Operand held = kNothing;
  if (path.empty()) {
    held = emit_value({.op = Op::Input});
  } else {
    std::vector<Operand> keys;
    for (auto const key : path) keys.push_back(writer_.constant(key));
    held = emit_value({.op = Op::InputPath,
                       .count = static_cast<std::uint32_t>(keys.size()),
                       .b = writer_.operands(keys)});
  }
  if (replaced_ == 0) inputs_.push_back({std::move(path), held, true});
  return held;
}

void BodyPlanner::hoist(std::span<ast::Expr* const> exprs) {
  if (replaced_ > 0) return;
  for (auto const* expr : exprs) {
    if (!expr->with.empty() || expr->term == nullptr) continue;
    hoist(*expr->term);
  }
}

void BodyPlanner::hoist(Term const& term) {
  if (term.kind == TermKind::Call) {
    for (auto const* item : term.items) hoist(*item);
  }
  if (term.kind != TermKind::Ref || term.items.size() < 2 || term.items[0]->name != "input" ||
      term.items[0]->value.is_defined()) {
    return;
  }
  LoadedInput loaded;
  std::vector<Operand> keys;
  for (auto const* key : Keys{term.items.begin() + 1, term.items.size() - 1}) {
    if (key->kind != TermKind::Constant) break;
    loaded.path.push_back(key->value);
  }
  auto const known = std::ranges::any_of(inputs_, [&](auto const& other) {
    return std::ranges::equal(other.path, loaded.path,
                              [](Value left, Value right) { return equal(left, right); });
  });
  if (known || loaded.path.empty()) return;
  for (auto const key : loaded.path) keys.push_back(writer_.constant(key));
  loaded.held = emit_value({.op = Op::InputMaybe,
                            .count = static_cast<std::uint32_t>(keys.size()),
                            .b = writer_.operands(keys)});
  inputs_.push_back(std::move(loaded));
}

Operand BodyPlanner::data_reference(Keys keys) {
  auto const& program = environment_.program;
  std::vector<Value> known;
  for (auto const* key : keys) {
    auto const constant = constant_of(*key);
    if (!constant.is_defined()) break;
    known.push_back(constant);
  }
  if (environment_.replaceables.may_replace(known)) return replaceable_data_reference(keys);

  std::uint32_t node = 0;
  auto base = program.base;
  for (std::size_t i = 0; i < known.size(); ++i) {
    base = vm::base_at(base, known[i]);
    node = program.nodes[node].find(known[i]);
    auto const rest = keys.subspan(i + 1);
    if (node == kNone) return base_reference(base, std::span{known}.subspan(i + 1), rest);
    auto const number = program.nodes[node].rule;
    if (number == kNone) continue;
    auto const& rule = program.rules[number];
    if (rule.kind == DocumentKind::Function) return never();
    if (rule.is_constant) {
      return rule.value.is_defined() ? path(writer_.constant(rule.value), rest) : never();
    }
    pure_ = pure_ && rule.planned && rule.pure;
    costly_ = true;
    return path(emit_value({.op = Op::CallRule, .count = number}), rest);
  }
  return replaceable_data_reference(keys);
}

// `known` are the values of the first of `keys`.
Operand BodyPlanner::base_reference(Value base, std::span<Value const> known, Keys keys) {
  for (auto const key : known) base = vm::base_at(base, key);
  return base.is_defined() ? path(writer_.constant(base), keys.subspan(known.size())) : never();
}

// Rules and base documents side by side, with what `with` has put over them.
Operand BodyPlanner::replaceable_data_reference(Keys keys) {
  pure_ = false;
  costly_ = true;
  auto position = writer_.new_slot();
  writer_.emit({.op = Op::DataBegin, .a = position});
  for (auto const* key : keys) {
    Operand held = kNothing;
    if (is_ready(*key)) {
      held = value(*key);
    } else {
      auto const all = emit_value({.op = Op::DataKeys, .b = position});
      auto const slot = writer_.new_slot();
      begin_scan(slot, all);
      auto const next = writer_.new_label();
      writer_.place(next);
      held = writer_.new_register();
      test({.op = Op::ScanNext, .a = slot, .c = held});
      fail_ = next;
      match(*key, held);
    }
    auto const following = writer_.new_slot();
    test({.op = Op::DataStep, .a = following, .b = position, .c = held});
    position = following;
  }
  return emit_value({.op = Op::DataValue, .b = position});
}

}  // namespace sallyport::rego::plan
