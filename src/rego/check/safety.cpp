// Orders bodies so that every variable is bound before it is needed, keeping the author's order
// where that is possible. What cannot be ordered is unsafe.
#include "src/rego/check/bindings.hpp"
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sallyport::rego::check {
namespace {

// More would cost too much to order.
constexpr std::uint32_t kMostVariables = 1U << 14U;

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
  using Vars = std::vector<std::uint32_t>;

  struct Candidate {
    Expr* expr{nullptr};
    Vars visible;
    Vars closed_over;  // of those visible in the body that its closures use
    bool placed{false};
  };

  // Finding an order: which expressions are placed, and which variables are bound by them.
  struct Search {
    std::vector<Candidate> candidates;
    std::vector<std::size_t> order;
    VarSet safe;
  };

  void order_and_report(Body& body, VarSet const& bound) {
    unsafe_.clear();
    order(body, bound);
    if (!unsafe_.empty()) report(body);
  }

  void order(Body& body, VarSet const& bound) {
    auto search = make_search(body, bound);
    for (std::size_t i = 0; i < body.size(); ++i) place(search, i);
    if (search.order.size() < body.size()) place_rest(search);
    for (auto const& candidate : search.candidates)
      if (!candidate.placed) add_unsafe(candidate, search.safe);
    check_closures(search, bound);
    if (search.order.size() < body.size()) return;
    for (std::size_t i = 0; i < body.size(); ++i) body[i] = search.candidates[search.order[i]].expr;
  }

  Search make_search(Body const& body, VarSet const& bound) {
    Search search;
    search.candidates.resize(body.size());
    VarSet all;
    VarSet vars;
    for (std::size_t i = 0; i < body.size(); ++i) {
      auto& candidate = search.candidates[i];
      candidate.expr = body[i];
      vars.clear();
      add_visible_vars(context_, *body[i], vars);
      vars.for_each([&](std::uint32_t var) { candidate.visible.push_back(var); });
      all.add(vars);
    }
    for (auto& candidate : search.candidates) {
      vars.clear();
      add_closure_vars(*candidate.expr, vars);
      vars.for_each([&](std::uint32_t var) {
        if (all.contains(var) && !bound.contains(var)) candidate.closed_over.push_back(var);
      });
    }
    search.safe = std::move(all);
    search.safe.keep(bound);
    return search;
  }

  // Where the author's order does not do: round after round, in that order, but looking only at
  // expressions for which something has changed.
  void place_rest(Search& search) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> waiting;
    std::set<std::size_t> round;
    for (std::size_t i = 0; i < search.candidates.size(); ++i) {
      auto const& candidate = search.candidates[i];
      if (candidate.placed) continue;
      round.insert(i);
      for (auto const* const vars : {&candidate.visible, &candidate.closed_over})
        for (auto const var : *vars) waiting[var].push_back(i);
    }
    std::set<std::size_t> next;
    while (!round.empty()) {
      auto const i = round.extract(round.begin()).value();
      auto const before = search.order.size();
      auto const outputs = place(search, i);
      if (search.order.size() > before)
        outputs.for_each([&](std::uint32_t var) {
          for (auto const other : waiting[var])
            if (!search.candidates[other].placed) (other > i ? round : next).insert(other);
        });
      if (round.empty()) std::swap(round, next);
    }
  }

  // Returns what the expression binds.
  VarSet place(Search& search, std::size_t index) {
    auto& candidate = search.candidates[index];
    auto const& safe = search.safe;
    auto outputs = outputs_of(context_, *candidate.expr, safe);
    auto const is_known = [&](std::uint32_t var) {
      return safe.contains(var) || outputs.contains(var);
    };
    if (!std::ranges::all_of(candidate.visible, is_known) ||
        !std::ranges::all_of(candidate.closed_over, is_known))
      return outputs;
    VarSet open;
    for (auto const var : candidate.closed_over)
      if (!safe.contains(var)) open.add(var);
    // A closure over nothing but what its own expression binds: x = [x | …].
    if (!open.empty() && open == outputs) return outputs;
    if (!open.empty()) context_.wants_second_ordering = true;
    candidate.placed = true;
    search.order.push_back(index);
    search.safe.add(outputs);
    return outputs;
  }

  void add_unsafe(Candidate const& candidate, VarSet const& safe) {
    VarSet vars;
    for (auto const var : candidate.visible) vars.add(var);
    for (auto const var : candidate.closed_over) vars.add(var);
    vars.remove(safe);
    auto without_outputs = vars;
    without_outputs.remove(outputs_of(context_, *candidate.expr, safe));
    unsafe_.push_back({candidate.expr, without_outputs.empty() ? vars : without_outputs});
  }

  // Bodies inside the expressions may use what those before them have bound.
  void check_closures(Search const& search, VarSet const& bound) {
    auto known = bound;
    for (auto const index : search.order) {
      auto const& candidate = search.candidates[index];
      check_closures(*candidate.expr, known);
      for (auto const var : candidate.visible) known.add(var);
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

void refuse_size(Context& context, Location const& at, std::uint32_t variables) {
  context.error(Code::Compile, at,
                "rule has " + std::to_string(variables) + " variables and calls, of which " +
                    std::to_string(kMostVariables) + " are allowed");
}

}  // namespace

void order_bodies(Context& context, Modules const& modules) {
  Orderer orderer{context};
  auto const before = context.errors.size();
  for (auto* const module : modules) {
    for (auto const* const rule : module->rules)
      if (rule->variables > kMostVariables) refuse_size(context, rule->at, rule->variables);
    for_each_rule(*module, [&](Rule& rule) { orderer.check_head(rule); });
  }
  if (context.errors.size() > before) return;
  for (auto* const module : modules)
    for_each_rule(*module, [&](Rule& rule) { orderer.order_rule(rule); });
}

void order_bodies(Context& context, Body& query) {
  if (context.next_number > kMostVariables) {
    refuse_size(context, query[0]->at, context.next_number);
    return;
  }
  Orderer{context}.order_query(query);
}

}  // namespace sallyport::rego::check
