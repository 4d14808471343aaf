// `=` with nothing left to find out at run time: each side is a value, or a pattern for the other.
#include "src/rego/plan/body_planner.hpp"

#include <algorithm>

namespace sallyport::rego::plan {

using ast::Term;
using ast::TermKind;

bool BodyPlanner::is_unbound(Term const& term) const {
  return term.kind == TermKind::Var &&
         bindings_[static_cast<std::size_t>(term.value.as_int64())] == kNothing;
}

// Whether value() can be asked for it. Refs need only their head: unbound keys become loops.
bool BodyPlanner::is_ready(Term const& term) const {
  auto const ready = [this](Term const* item) { return is_ready(*item); };
  switch (term.kind) {
    case TermKind::Constant:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: return true;
    case TermKind::Var: return !is_unbound(term);
    case TermKind::Ref: {
      auto const& head = *term.items[0];
      return head.kind != TermKind::Var || !head.value.is_defined() || !is_unbound(head);
    }
    case TermKind::Call: return std::all_of(term.items.begin() + 1, term.items.end(), ready);
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object:
    case TermKind::Template: return std::all_of(term.items.begin(), term.items.end(), ready);
  }
  return false;
}

void BodyPlanner::compare_equal(Operand left, Operand right) {
  if (CodeWriter::is_constant(left) && CodeWriter::is_constant(right)) {
    if (!equal(writer_.constant_value(left), writer_.constant_value(right))) test({.op = Op::Fail});
    return;
  }
  // The comparison with a constant has it on the right.
  if (CodeWriter::is_constant(left)) std::swap(left, right);
  test({.op = Op::Equal, .a = left, .b = right});
}

void BodyPlanner::unify(Term const& left, Term const& right) {
  std::vector<Pair> open{{&left, &right}};
  while (!open.empty()) {
    bool progress = false;
    for (std::size_t i = 0; i < open.size() && !progress; ++i) {
      auto const pair = open[i];
      std::vector<Pair> parts;
      progress = solve(pair, parts);
      if (!progress) continue;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      open.insert(open.begin() + static_cast<std::ptrdiff_t>(i), parts.begin(), parts.end());
    }
    if (progress) continue;
    environment_.errors.push_back({.code = rego::Code::Compile,
                                   .message = "cannot unify objects that both have unbound values "
                                              "and keys that are not constants",
                                   .hint = "name the value of the key first: x := {…}[k]",
                                   .at = left.at});
    return;
  }
}

bool BodyPlanner::solve(Pair pair, std::vector<Pair>& open) {
  auto [left, right] = pair;
  auto const left_ready = is_ready(*left);
  if (!left_ready && !is_ready(*right)) return split(pair, open);
  // The ready side is computed, the other is a pattern. Of two ready ones a ref goes first: its
  // loops bind what the other may need.
  if (!left_ready ||
      (is_ready(*right) && right->kind == TermKind::Ref && left->kind != TermKind::Ref)) {
    std::swap(left, right);
  }
  match(*right, value(*left));
  return true;
}

bool BodyPlanner::split(Pair pair, std::vector<Pair>& open) {
  auto const [left, right] = pair;
  if (left->kind == TermKind::Var || right->kind == TermKind::Var || left->kind != right->kind) {
    return false;
  }
  if (left->kind != TermKind::Array && left->kind != TermKind::Object) return false;
  if (left->items.size() != right->items.size()) {
    test({.op = Op::Fail});
    return true;
  }
  if (left->kind == TermKind::Array) {
    for (std::size_t i = 0; i < left->items.size(); ++i) {
      open.emplace_back(left->items[i], right->items[i]);
    }
    return true;
  }
  for (std::size_t i = 0; i < left->items.size(); i += 2) {
    auto const key = constant_of(*left->items[i]);
    Term const* other = nullptr;
    for (std::size_t j = 0; j < right->items.size(); j += 2) {
      auto const candidate = constant_of(*right->items[j]);
      if (!key.is_defined() || !candidate.is_defined()) return false;
      if (equal(key, candidate)) other = right->items[j + 1];
    }
    if (other == nullptr) {
      test({.op = Op::Fail});
      open.clear();
      return true;
    }
    open.emplace_back(left->items[i + 1], other);
  }
  return true;
}

void BodyPlanner::match(Term const& pattern, Operand held) {
  if (pattern.kind == TermKind::Var && is_unbound(pattern)) {
    return bind(static_cast<std::uint32_t>(pattern.value.as_int64()), held);
  }
  if (auto const constant = constant_of(pattern); constant.is_defined()) {
    return compare_equal(held, writer_.constant(constant));
  }
  if (pattern.kind == TermKind::Array) return match_array(pattern, held);
  if (pattern.kind == TermKind::Object) return match_object(pattern, held);
  compare_equal(held, value(pattern));
}

void BodyPlanner::match_array(Term const& pattern, Operand held) {
  test({.op = Op::IsArray, .count = static_cast<std::uint32_t>(pattern.items.size()), .a = held});
  // What binds comes before what may need it.
  for (bool const binding : {true, false}) {
    for (std::size_t i = 0; i < pattern.items.size(); ++i) {
      auto const& item = *pattern.items[i];
      auto const binds = item.kind != TermKind::Ref && item.kind != TermKind::Call;
      if (binds != binding) continue;
      match(item, emit_value({.op = Op::Element, .b = held, .c = static_cast<Operand>(i)}));
    }
  }
}

void BodyPlanner::match_object(Term const& pattern, Operand held) {
  test({.op = Op::IsObject,
        .count = static_cast<std::uint32_t>(pattern.items.size() / 2),
        .a = held});
  for (std::size_t i = 0; i < pattern.items.size(); i += 2) {
    auto const key = value(*pattern.items[i]);
    match(*pattern.items[i + 1], emit_value({.op = Op::Get, .b = held, .c = key}));
  }
}

}  // namespace sallyport::rego::plan
