// Orders bodies so that every variable is bound before it is needed, keeping the author's order
// where that is possible. What cannot be ordered is unsafe.
#include "src/rego/check/bindings.hpp"
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

struct Unsafe {
  Expr* expr{nullptr};
  VarSet vars;
};

class Orderer {
 public:
  explicit Orderer(Context& context) : context_{context} {}

  void order_rule(Rule& rule) {
    VarSet parameters;
    for (auto const* const parameter : rule.parameters) add_vars(*parameter, {}, parameters);
    order_and_report(rule.body, parameters);
  }

  void order_query(Body& query) { order_and_report(query, {}); }

  // Variables of the head must occur in the body or be parameters.
  void check_head(Rule& rule) {
    VarSet known;
    for (auto const* const parameter : rule.parameters) add_vars(*parameter, {}, known);
    auto walked_body = false;
    auto const check = [&](Term& term) {
      if (!is_numbered(term) || known.contains(number_of(term))) return true;
      if (!walked_body) add_vars(rule.body, kSkipClosures, known);
      walked_body = true;
      if (!known.contains(number_of(term))) report_var(term);
      return true;
    };
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
      walk_term(*rule.reference->items[i], check, kGoOn);
    if (rule.key != nullptr) walk_term(*rule.key, check, kGoOn);
    if (rule.value != nullptr) walk_term(*rule.value, check, kGoOn);
  }

 private:
  struct Candidate {
    Expr* expr{nullptr};
    VarSet visible;
    VarSet closed_over;
    bool placed{false};
  };

  void order_and_report(Body& body, VarSet const& bound) {
    unsafe_.clear();
    order(body, bound);
    if (!unsafe_.empty()) report(body);
  }

  void order(Body& body, VarSet const& bound) {
    std::vector<Candidate> candidates(body.size());
    VarSet all;
    for (std::size_t i = 0; i < body.size(); ++i) {
      candidates[i].expr = body[i];
      add_visible_vars(context_, *body[i], candidates[i].visible);
      add_closure_vars(*body[i], candidates[i].closed_over);
      all.add(candidates[i].visible);
    }
    for (auto& candidate : candidates) {
      candidate.closed_over.keep(all);
      candidate.closed_over.remove(bound);
    }
    auto safe = all;
    safe.keep(bound);

    std::size_t placed = 0;
    std::vector<std::size_t> order_found;
    while (place_some(candidates, safe, order_found) &&
           (placed = order_found.size()) < body.size()) {
    }
    for (auto const& candidate : candidates)
      if (!candidate.placed) add_unsafe(candidate, safe);
    check_closures(candidates, order_found, bound);
    if (placed < body.size()) return;
    for (std::size_t i = 0; i < placed; ++i) body[i] = candidates[order_found[i]].expr;
  }

  bool place_some(std::vector<Candidate>& candidates, VarSet& safe,
                  std::vector<std::size_t>& order_found) {
    auto const before = order_found.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      auto& candidate = candidates[i];
      if (candidate.placed) continue;
      auto const outputs = outputs_of(context_, *candidate.expr, safe);
      if (!candidate.closed_over.empty()) {
        auto open = candidate.closed_over;
        open.remove(safe);
        // A closure over nothing but what its own expression binds: x = [x | …].
        if (!open.empty() && open == outputs) continue;
        if (!open.empty()) context_.wants_second_ordering = true;
      }
      auto needed = candidate.visible;
      needed.add(candidate.closed_over);
      needed.remove(outputs);
      if (!needed.is_within(safe)) continue;
      candidate.placed = true;
      order_found.push_back(i);
      safe.add(outputs);
    }
    return order_found.size() > before;
  }

  void add_unsafe(Candidate const& candidate, VarSet const& safe) {
    auto vars = candidate.visible;
    vars.add(candidate.closed_over);
    vars.remove(safe);
    auto without_outputs = vars;
    without_outputs.remove(outputs_of(context_, *candidate.expr, safe));
    unsafe_.push_back({candidate.expr, without_outputs.empty() ? vars : without_outputs});
  }

  // Bodies inside the expressions may use what those before them have bound.
  void check_closures(std::vector<Candidate> const& candidates,
                      std::vector<std::size_t> const& order_found, VarSet const& bound) {
    auto known = bound;
    for (auto const index : order_found) {
      auto const& candidate = candidates[index];
      check_closures(*candidate.expr, known);
      known.add(candidate.visible);
    }
  }

  void check_closures(Expr& expr, VarSet const& known) {
    switch (expr.kind) {
      case ExprKind::Term: check_closures(expr, *expr.term, known); break;
      case ExprKind::Every: {
        check_closures(expr, *expr.domain, known);
        auto inside = known;
        for (auto const* const symbol : expr.symbols) add_vars(*symbol, {}, inside);
        order(expr.body, inside);
        break;
      }
      case ExprKind::Body: order(expr.body, known); break;
      case ExprKind::And:
      case ExprKind::Or:
        order(expr.left, known);
        order(expr.right, known);
        break;
      case ExprKind::Some:
      case ExprKind::SomeIn: break;
    }
    for (auto& with : expr.with)
      if (!with.value_is_function) check_closures(expr, *with.value, known);
  }

  void check_closures(Expr& expr, Term& term, VarSet const& known) {
    if (!is_comprehension(term)) {
      for (auto* const item : term.items) check_closures(expr, *item, known);
      return;
    }
    VarSet result;
    for (auto const* const item : term.items) add_vars(*item, {}, result);
    result.remove(known);
    VarSet inside;
    for (auto const* const inner : term.body) add_visible_vars(context_, *inner, inside);
    result.remove(inside);
    if (!result.empty()) unsafe_.push_back({&expr, result});
    order(term.body, known);
  }

  void report(Body& body) {
    std::ranges::sort(unsafe_, {}, [](Unsafe const& unsafe) { return unsafe.expr->at.offset; });
    auto const before = context_.errors.size();
    VarSet reported;
    for (auto const& unsafe : unsafe_) {
      unsafe.vars.for_each([&](std::uint32_t number) {
        if (reported.contains(number)) return;
        auto const name = context_.original(name_of(body, number));
        if (is_generated(name)) return;
        reported.add(number);
        context_.error(Code::UnsafeVar, unsafe.expr->at, "var " + std::string{name} + " is unsafe");
      });
    }
    if (context_.errors.size() == before)
      context_.error(Code::UnsafeVar, unsafe_.front().expr->at, "expression is unsafe");
  }

  static std::string_view name_of(Body& body, std::uint32_t number) {
    std::string_view name = "_";
    walk_body(
        body,
        [&](Term& term) {
          if (is_numbered(term) && number_of(term) == number) name = term.name;
          return true;
        },
        kGoOn);
    return name;
  }

  void report_var(Term const& var) { report(context_.original(var.name), var.at); }

  void report(std::string_view name, Location const& at) {
    context_.error(Code::UnsafeVar, at,
                   "var " + std::string{is_generated(name) ? "_" : name} + " is unsafe");
  }

  Context& context_;
  std::vector<Unsafe> unsafe_;
};

}  // namespace

void order_bodies(Context& context, Modules const& modules) {
  Orderer orderer{context};
  auto const before = context.errors.size();
  for (auto* const module : modules)
    for_each_rule(*module, [&](Rule& rule) { orderer.check_head(rule); });
  if (context.errors.size() > before) return;
  for (auto* const module : modules)
    for_each_rule(*module, [&](Rule& rule) { orderer.order_rule(rule); });
}

void order_bodies(Context& context, Body& query) {
  Orderer{context}.order_query(query);
}

}  // namespace sallyport::rego::check
