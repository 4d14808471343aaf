#include "src/rego/plan/conditions.hpp"

#include <map>
#include <optional>
#include <utility>

namespace sallyport::rego::plan {
namespace {

using ast::Term;
using ast::TermKind;

bool is_scalar(Term const& term) {
  return term.kind == TermKind::Constant;
}

class Reader {
 public:
  explicit Reader(ast::Rule const& rule) {
    for (std::uint32_t i = 0; i < rule.parameters.size(); ++i) {
      known_[rule.parameters[i]->value.as_int64()] = {.parameter = i};
    }
    for (auto const* expr : rule.body) expression(*expr);
  }

  std::vector<Condition> take() { return std::move(conditions_); }

 private:
  void expression(ast::Expr const& expr) {
    if (expr.kind != ast::ExprKind::Term || expr.negated || !expr.with.empty()) return;
    if (expr.term->kind != TermKind::Call || expr.term->items.size() != 3) return;
    auto const& function = *expr.term->items[0];
    if (function.kind != TermKind::Var) return;
    auto const& left = *expr.term->items[1];
    auto const& right = *expr.term->items[2];
    if (function.name == "eq") {
      equality(left, right);
      equality(right, left);
    } else if (function.name == "equal") {
      comparison(left, right);
      comparison(right, left);
    } else if (function.name == "internal.member_2") {
      membership(left, right);
    }
  }

  void equality(Term const& left, Term const& right) {
    comparison(left, right);
    if (left.kind != TermKind::Var || known_.contains(left.value.as_int64())) return;
    if (auto ref = reference(right)) known_.emplace(left.value.as_int64(), std::move(*ref));
  }

  void comparison(Term const& left, Term const& right) {
    if (!is_scalar(right)) return;
    if (auto ref = reference(left)) conditions_.push_back({std::move(*ref), {right.value}});
  }

  void membership(Term const& item, Term const& collection) {
    // More than that would make the index larger than the rules.
    constexpr std::size_t kMostScalars = 64;
    if (collection.kind != TermKind::Set && collection.kind != TermKind::Array) return;
    if (collection.items.size() > kMostScalars) return;
    auto ref = reference(item);
    if (!ref) return;
    Condition condition{std::move(*ref), {}};
    for (auto const* member : collection.items) {
      if (!is_scalar(*member)) return;
      condition.scalars.push_back(member->value);
    }
    if (!condition.scalars.empty()) conditions_.push_back(std::move(condition));
  }

  std::optional<IndexedRef> reference(Term const& term) const {
    if (term.kind == TermKind::Var) {
      auto const found = known_.find(term.value.as_int64());
      return found == known_.end() ? std::nullopt : std::optional{found->second};
    }
    if (term.kind != TermKind::Ref || term.items[0]->kind != TermKind::Var) return std::nullopt;
    auto const& head = *term.items[0];
    std::optional<IndexedRef> result;
    if (head.value.is_defined()) {
      auto const found = known_.find(head.value.as_int64());
      if (found != known_.end()) result = found->second;
    } else if (head.name == "input") {
      result.emplace();
    }
    if (!result) return std::nullopt;
    for (std::size_t i = 1; i < term.items.size(); ++i) {
      if (!is_scalar(*term.items[i])) return std::nullopt;
      result->path.push_back(term.items[i]->value);
    }
    return result;
  }

  std::map<std::int64_t, IndexedRef> known_;  // variables
  std::vector<Condition> conditions_;
};

}  // namespace

std::vector<Condition> conditions_of(ast::Rule const& rule) {
  // The else of a body runs when the body fails.
  if (rule.otherwise != nullptr) return {};
  return Reader{rule}.take();
}

}  // namespace sallyport::rego::plan
