// Which variables are bound by an equation of two terms.
#include "src/rego/check/bindings.hpp"

#include <map>

namespace sallyport::rego::check {
namespace {

constexpr Skip kPattern{.closures = true, .ref_heads = true, .object_keys = true};

bool is_collection(Term const& term) {
  return term.kind == TermKind::Array || term.kind == TermKind::Object;
}

bool same_key(Term const& left, Term const& right) {
  if (left.kind != right.kind) return false;
  if (is_scalar(left)) return equal(left.value, right.value);
  if (is_var(left)) return is_numbered(left) && equal(left.value, right.value);
  return false;
}

class Unifier {
 public:
  explicit Unifier(VarSet const& safe) : safe_{safe} {}

  void unify(Term const& left, Term const& right) {
    if (is_numbered(left))
      unify_var(number_of(left), right);
    else if (is_numbered(right))
      unify_var(number_of(right), left);
    else if (left.kind == TermKind::Array && right.kind == TermKind::Array)
      unify_arrays(left, right);
    else if (left.kind == TermKind::Object && right.kind == TermKind::Object)
      unify_objects(left, right);
    else if (is_collection(left))
      unify_collection(left, right);
    else if (is_collection(right))
      unify_with_collection(left, right);
  }

  VarSet unified;

 private:
  bool is_safe(std::uint32_t var) const { return safe_.contains(var) || unified.contains(var); }

  void unify_var(std::uint32_t var, Term const& other) {
    if (is_numbered(other)) {
      auto const second = number_of(other);
      if (is_safe(second)) {
        mark_safe(var);
      } else if (is_safe(var)) {
        mark_safe(second);
      } else {
        unknown_[var].add(second);
        unknown_[second].add(var);
      }
      return;
    }
    switch (other.kind) {
      case TermKind::Array:
      case TermKind::Object: unify_all(var, other); return;
      case TermKind::Ref:
        if (is_ref_safe(other, safe_)) mark_safe(var);
        return;
      case TermKind::Call:
        if (is_call_safe(other, safe_)) mark_safe(var);
        return;
      case TermKind::Constant:
      case TermKind::Var:
      case TermKind::Set:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
      case TermKind::Template: mark_safe(var); return;
    }
  }

  // Comprehensions bind by the side on which they stand, as OPA's do.
  void unify_collection(Term const& left, Term const& right) {
    auto const binds = is_comprehension(right) ? left.kind == TermKind::Array : is_known(right);
    if (binds) mark_all_safe(left);
  }

  void unify_with_collection(Term const& left, Term const& right) {
    auto const binds =
        is_comprehension(left)
            ? left.kind == (right.kind == TermKind::Array ? TermKind::ArrayOf : TermKind::ObjectOf)
            : is_known(left);
    if (binds) mark_all_safe(right);
  }

  bool is_known(Term const& term) const {
    if (term.kind == TermKind::Ref) return is_ref_safe(term, safe_);
    return term.kind == TermKind::Call && is_call_safe(term, safe_);
  }

  void unify_arrays(Term const& left, Term const& right) {
    if (left.items.size() != right.items.size()) return;
    for (std::size_t i = 0; i < left.items.size(); ++i) unify(*left.items[i], *right.items[i]);
  }

  void unify_objects(Term const& left, Term const& right) {
    if (left.items.size() != right.items.size()) return;
    for (std::size_t i = 0; i + 1 < left.items.size(); i += 2)
      for (std::size_t j = 0; j + 1 < right.items.size(); j += 2)
        if (same_key(*left.items[i], *right.items[j])) {
          unify(*left.items[i + 1], *right.items[j + 1]);
          break;
        }
  }

  void unify_all(std::uint32_t var, Term const& collection) {
    if (is_safe(var)) {
      mark_all_safe(collection);
      return;
    }
    VarSet inside;
    add_vars(collection, kPattern, inside);
    inside.remove(safe_);
    inside.remove(unified);
    if (inside.empty())
      mark_safe(var);
    else
      unknown_[var].add(inside);
  }

  void mark_all_safe(Term const& collection) {
    VarSet inside;
    add_vars(collection, kPattern, inside);
    inside.for_each([&](std::uint32_t var) { mark_safe(var); });
  }

  void mark_safe(std::uint32_t var) {
    unified.add(var);
    VarSet one;
    one.add(var);
    VarSet dependencies;
    if (auto const found = unknown_.find(var); found != unknown_.end()) {
      dependencies = found->second;
      unknown_.erase(found);
    }
    dependencies.for_each([&](std::uint32_t other) {
      if (!unified.contains(other)) mark_safe(other);
    });
    // Those that waited for it alone.
    std::vector<std::uint32_t> ready;
    for (auto& [other, waiting_for] : unknown_) {
      if (!waiting_for.contains(var)) continue;
      waiting_for.remove(one);
      if (waiting_for.empty()) ready.push_back(other);
    }
    for (auto const other : ready)
      if (!unified.contains(other)) mark_safe(other);
  }

  VarSet const& safe_;
  std::map<std::uint32_t, VarSet> unknown_;
};

}  // namespace

VarSet unified_by(Term const& left, Term const& right, VarSet const& safe) {
  Unifier unifier{safe};
  unifier.unify(left, right);
  return unifier.unified;
}

bool is_ref_safe(Term const& ref, VarSet const& safe) {
  auto const& head = *ref.items[0];
  if (is_numbered(head)) return safe.contains(number_of(head));
  if (is_var(head)) return true;
  VarSet vars;
  add_vars(head, kSkipClosures, vars);
  return vars.is_within(safe);
}

bool is_call_safe(Term const& call, VarSet const& safe) {
  VarSet vars;
  add_vars(call, kSkipClosures, vars);
  return vars.is_within(safe);
}

}  // namespace sallyport::rego::check
