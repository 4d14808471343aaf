// Which variables an expression uses, and which ones it binds where others are bound already.
#pragma once

#include "src/rego/check/context.hpp"
#include "src/rego/check/var_set.hpp"

namespace sallyport::rego::check {

// What to leave out when collecting variables.
struct Skip {
  bool closures{false};     // comprehensions, templates, bodies of `every`, `not { }`, `and`, `or`
  bool ref_heads{false};    // x of x.y
  bool object_keys{false};  // k of {k: v}
  bool sets{false};         // members of sets
};
inline constexpr Skip kSkipNothing{};
inline constexpr Skip kSkipClosures{.closures = true};

void add_vars(Term const& term, Skip skip, VarSet& out);
void add_vars(Expr const& expr, Skip skip, VarSet& out);
void add_vars(Body const& body, Skip skip, VarSet& out);

// The variables that an expression needs or binds in its body: those outside of its closures, and
// those of operands of `not`, `and` and `or` without braces that nothing in the operand binds.
void add_visible_vars(Context const& context, Expr const& expr, VarSet& out);
// Those that its closures mention.
void add_closure_vars(Expr const& expr, VarSet& out);

// What an expression binds where `safe` is bound.
VarSet outputs_of(Context const& context, Expr const& expr, VarSet const& safe);
// What a body binds, each expression after the one before it.
VarSet outputs_of(Context const& context, Body const& body, VarSet const& safe);

// The variables that left = right binds where `safe` is bound.
VarSet unified_by(Term const& left, Term const& right, VarSet const& safe);
// Whether what a ref or call starts from is bound.
bool is_ref_safe(Term const& ref, VarSet const& safe);
bool is_call_safe(Term const& call, VarSet const& safe);

// Notes an error for each variable of a term, outside of its closures, that is not `known`. Those
// that have no name of their own (wildcards) may be let through.
enum class Unnamed { Refused, Allowed };
void refuse_undeclared(Context& context, Term& term, VarSet const& known, Unnamed unnamed);

}  // namespace sallyport::rego::check
