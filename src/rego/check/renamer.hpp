// Gives declared variables names of their own. The parts are in locals.cpp (walking rules, bodies
// and terms) and declarations.cpp (what declares a variable).
#pragma once

#include "src/rego/check/context.hpp"
#include "src/rego/check/scopes.hpp"

#include <span>

namespace sallyport::rego::check {

enum class Occurrence : std::uint8_t { Seen, Argument, Assigned, Declared };

struct Local {
  std::string_view renamed;
  Occurrence occurrence{Occurrence::Seen};
  std::uint32_t count{1};
  Location at{};
};

// `input` or `data` and nothing more.
bool is_bare_root(Term const& term);
void become_var(Term& term, std::string_view name);

class Renamer {
 public:
  explicit Renamer(Context& context) : context_{context} {}

  void rename_chain(Rule& first);
  void rename_query(Body& query);

 private:
  using Used = std::span<Term* const>;

  // Comprehensions in a head are scopes of their own, but see what the body declares; so they come
  // first, when nothing is declared yet.
  void rename_head_closures(Rule& rule);
  void rename_closures(Term& term);
  template <class Visit>
  void for_each_head_term(Rule& rule, Visit&& visit) {
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i) visit(*rule.reference->items[i]);
    if (rule.key != nullptr) visit(*rule.key);
    if (rule.value != nullptr) visit(*rule.value);
  }
  void rename_parameters(Rule& rule);
  void rename_parameter(Term& term, Rule const& rule);
  // f([x, y]) becomes f(__local2__) with eq(__local2__, [x, y]) to prepend; also f(x, x).
  std::vector<Expr*> lift_patterns(Rule& rule);
  void prepend(Rule& rule, std::vector<Expr*> const& patterns);
  void rename_rule(Rule& rule);
  // Names in the head that the body or the parameters declare.
  void rename_to_declared(Term& term);
  void rename_to_declared(Expr& expr);
  void rename_body(Body& body, Used used);
  // Entries of the scope at hand come last.
  std::size_t scope_begin();
  void rename_body_in_scope(Body& body);
  // False: the expression has nothing left to do.
  bool rename(Expr& expr);
  // What is not in braces declares nothing.
  void rename_operand(Body& body, bool in_braces);
  void rename_with(Expr& expr);
  bool rename_assignment(Expr& expr);
  void assign_to(Term& target);
  // some k, v in xs: eq(v, xs[k])
  bool rename_some_in(Expr& expr);
  void declare_pattern(Term const& term, std::vector<std::string_view> const& of_domain,
                       Location const& at);
  void rename_every(Expr& expr);
  void rename(Term& term);
  void rename_var(Term& var);
  void refuse_shadowed_function(Term const& call);
  // Null where the name is taken.
  Local const* declare(std::string_view name, Occurrence occurrence, Location const& at);
  Local& insert(std::string_view name, Occurrence occurrence, Location const& at);
  void report_unused(std::size_t begin, Used used);
  static bool occurs_in(std::string_view name, Used terms);
  void report_unused_arguments(Rule const& rule);

  Context& context_;
  Scopes<Local> locals_;
  std::size_t errors_before_{0};
};

}  // namespace sallyport::rego::check
