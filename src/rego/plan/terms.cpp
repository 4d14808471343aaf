#include "src/rego/plan/body_planner.hpp"
#include "src/rego/plan/ground.hpp"

namespace sallyport::rego::plan {

using ast::Term;
using ast::TermKind;

namespace {

Op maker_of(TermKind kind) {
  if (kind == TermKind::Array) return Op::MakeArray;
  return kind == TermKind::Set ? Op::MakeSet : Op::MakeObject;
}

Collect collector_of(TermKind kind) {
  if (kind == TermKind::ArrayOf) return Collect::Array;
  return kind == TermKind::SetOf ? Collect::Set : Collect::Object;
}

}  // namespace

// For what can never have a value; the code after it is not reached.
Operand BodyPlanner::never() {
  test({.op = Op::Fail});
  return writer_.constant(Value::null());
}

Value BodyPlanner::constant_of(Term const& term) const {
  if (term.kind == TermKind::Constant) return term.value;
  if (term.kind == TermKind::Var) {
    auto const held = bindings_[static_cast<std::size_t>(term.value.as_int64())];
    return held != kNothing && CodeWriter::is_constant(held) ? writer_.constant_value(held)
                                                             : Value{};
  }
  auto const is_collection =
      term.kind == TermKind::Array || term.kind == TermKind::Set || term.kind == TermKind::Object;
  if (!is_collection) return {};
  std::vector<Value> items;
  for (auto const* item : term.items) {
    items.push_back(constant_of(*item));
    if (!items.back().is_defined()) return {};
  }
  return make_collection(term.kind, items, environment_.arena);
}

Operand BodyPlanner::value(Term const& term) {
  switch (term.kind) {
    case TermKind::Constant: return writer_.constant(term.value);
    case TermKind::Var: {
      auto const held = bindings_[static_cast<std::size_t>(term.value.as_int64())];
      return held == kNothing ? never() : held;
    }
    case TermKind::Ref: return reference(term);
    case TermKind::Call: return call_value(term);
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object: return collection(term);
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: return comprehension(term);
    case TermKind::Template: return never();  // the checker has made calls of them
  }
  return never();
}

Operand BodyPlanner::collection(Term const& term) {
  if (auto const constant = constant_of(term); constant.is_defined()) {
    return writer_.constant(constant);
  }
  std::vector<Operand> items;
  items.reserve(term.items.size());
  for (auto const* item : term.items) items.push_back(value(*item));
  auto const first = writer_.operands(items);
  return emit_value(
      {.op = maker_of(term.kind), .count = static_cast<std::uint32_t>(items.size()), .b = first});
}

Operand BodyPlanner::comprehension(Term const& term) {
  costly_ = true;
  auto const slot = writer_.new_slot();
  auto const result = writer_.new_register();
  auto const kind = collector_of(term.kind);
  writer_.emit({.op = Op::CollectBegin, .a = slot, .b = static_cast<Operand>(kind)});
  auto const done = writer_.new_label();
  auto const outer = std::exchange(fail_, done);
  {
    Scope const scope{*this};
    body(term.body);
    Instruction item{.op = Op::CollectItem, .a = slot, .b = value(*term.items[0])};
    if (kind == Collect::Object) item.c = value(*term.items[1]);
    writer_.emit(item);
    if (fail_ != done) writer_.jump(fail_);
  }
  writer_.place(done);
  fail_ = outer;
  writer_.emit({.op = Op::CollectEnd, .a = slot, .b = result, .c = writer_.place_of(term.at)});
  return result;
}

}  // namespace sallyport::rego::plan
