// Turns the expressions of one frame (a rule's body with its head, or a query) into instructions.
//
// It keeps, for each variable, the operand that holds it at the place that is being written;
// unbound variables have none. `fail_` is where an instruction written now goes on when it fails.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/plan/code_writer.hpp"
#include "src/rego/plan/environment.hpp"
#include "src/rego/trace.hpp"

#include <span>
#include <utility>
#include <vector>

namespace sallyport::rego::plan {

class BodyPlanner {
 public:
  BodyPlanner(Environment& environment, CodeWriter& writer, std::uint32_t variables)
      : environment_{environment}, writer_{writer}, bindings_(variables, kNothing) {}

  void bind(std::uint32_t variable, Operand operand);
  Operand binding(std::uint32_t variable) const { return bindings_[variable]; }
  // Every expression in turn. Afterwards fail() leads to the next solution of the body.
  void body(ast::Body const& body);
  // Instrumented only: tells that the place is reached.
  void note(TraceOp op, Location at, Operand unless = kNothing);
  // Emits what computes the term, all of whose variables are bound.
  Operand value(ast::Term const& term);

  Label fail() const { return fail_; }
  void set_fail(Label label) { fail_ = label; }
  // Whether anything so far depends on input, the world or what `with` may replace.
  bool is_pure() const { return pure_; }
  bool asks_the_world() const { return asks_the_world_; }
  // Whether it loops or calls: worth remembering.
  bool is_costly() const { return costly_; }

  // What a closed scope (a negation, a comprehension) binds is forgotten at its end.
  class Scope;

 private:
  friend class Scope;
  struct LoadedInput {
    std::vector<Value> path;
    Operand held{kNothing};
    bool defined{false};  // known to be
  };
  using Pair = std::pair<ast::Term const*, ast::Term const*>;
  using Keys = std::span<ast::Term* const>;

  // expressions.cpp
  void expression(ast::Expr const& expr);
  void with_expression(ast::Expr const& expr);
  void plain_expression(ast::Expr const& expr);
  void negation(ast::Expr const& expr);
  void every(ast::Expr const& expr);
  void either(ast::Expr const& expr);
  void closed_body(ast::Body const& body, Label failed);
  void term_expression(ast::Term const& term);
  Replacement replacement(ast::With const& with);
  void told_expression(ast::Expr const& expr);
  void untold_expression(ast::Expr const& expr);

  // unify.cpp
  void unify(ast::Term const& left, ast::Term const& right);
  bool solve(Pair pair, std::vector<Pair>& open);
  bool split(Pair pair, std::vector<Pair>& open);
  void match(ast::Term const& pattern, Operand held);
  void match_array(ast::Term const& pattern, Operand held);
  void match_object(ast::Term const& pattern, Operand held);
  void compare_equal(Operand left, Operand right);
  bool is_ready(ast::Term const& term) const;
  bool is_unbound(ast::Term const& term) const;

  // terms.cpp
  Operand collection(ast::Term const& term);
  Operand comprehension(ast::Term const& term);
  // The value of a term that is known now; undefined if it is not.
  Value constant_of(ast::Term const& term) const;
  Operand never();

  // refs.cpp
  Operand reference(ast::Term const& term);
  Operand input_reference(Keys keys);
  Operand data_reference(Keys keys);
  Operand base_reference(Value base, std::span<Value const> known, Keys keys);
  Operand replaceable_data_reference(Keys keys);
  Operand path(Operand from, Keys keys);
  Operand step(Operand from, ast::Term const& key);
  // Loops over a collection; binds or matches the key.
  Operand scan(Operand collection, ast::Term const& key);
  void begin_scan(Operand slot, Operand collection);
  Operand load_input(std::vector<Value> path);
  void hoist(std::span<ast::Expr* const> exprs);
  void hoist(ast::Term const& term);

  // calls.cpp
  void call_statement(ast::Term const& term);
  Operand call_value(ast::Term const& term);
  bool comparison(ast::Term const& term);
  void relation(ast::Term const& term, Builtin const& builtin);
  Operand call(ast::Term const& term, std::size_t operand_count, std::uint8_t flags);
  Operand fold_call(Builtin const& builtin, std::span<Operand const> operands);
  std::uint32_t parameters_of(ast::Term const& function, Builtin const*& builtin,
                              std::uint32_t& rule) const;

  Operand emit_value(Instruction instruction);  // gives `a` a new register
  void test(Instruction instruction);           // gives `fail` where it goes on

  Environment& environment_;
  CodeWriter& writer_;
  std::vector<Operand> bindings_;
  std::vector<std::uint32_t> bound_;  // in order
  std::vector<LoadedInput> inputs_;
  std::span<ast::Expr* const> remaining_;  // of the innermost body
  Label fail_{0};
  int replaced_{0};  // how many `with` are around
  bool pure_{true};
  bool asks_the_world_{false};
  bool costly_{false};
};

class BodyPlanner::Scope {
 public:
  explicit Scope(BodyPlanner& planner)
      : planner_{planner},
        bound_{planner.bound_.size()},
        inputs_{planner.inputs_.size()},
        remaining_{planner.remaining_} {}
  ~Scope() {
    for (auto i = bound_; i < planner_.bound_.size(); ++i) {
      planner_.bindings_[planner_.bound_[i]] = kNothing;
    }
    planner_.bound_.resize(bound_);
    planner_.inputs_.resize(inputs_);
    planner_.remaining_ = remaining_;
  }
  Scope(Scope const&) = delete;
  Scope& operator=(Scope const&) = delete;

 private:
  BodyPlanner& planner_;
  std::size_t bound_;
  std::size_t inputs_;
  std::span<ast::Expr* const> remaining_;
};

}  // namespace sallyport::rego::plan
