#include "src/rego/plan/body_planner.hpp"

namespace sallyport::rego::plan {

void BodyPlanner::bind(std::uint32_t variable, Operand operand) {
  bindings_[variable] = operand;
  bound_.push_back(variable);
}

Operand BodyPlanner::emit_value(Instruction instruction) {
  instruction.a = writer_.new_register();
  instruction.fail = fail_;
  writer_.emit(instruction);
  return instruction.a;
}

void BodyPlanner::test(Instruction instruction) {
  instruction.fail = fail_;
  writer_.emit(instruction);
}

void BodyPlanner::note(TraceOp op, Location at, Operand unless) {
  if (!environment_.instrument || at.row == 0) return;
  writer_.emit({.op = Op::Note,
                .count = static_cast<std::uint32_t>(op),
                .a = unless,
                .b = writer_.place_of(at)});
}

void BodyPlanner::body(ast::Body const& body) {
  std::span<ast::Expr* const> const all{body.begin(), body.end()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    remaining_ = all.subspan(i);
    expression(*all[i]);
  }
  remaining_ = {};
}

void BodyPlanner::expression(ast::Expr const& expr) {
  if (environment_.instrument) return told_expression(expr);
  untold_expression(expr);
}

void BodyPlanner::untold_expression(ast::Expr const& expr) {
  if (expr.with.empty()) return plain_expression(expr);
  with_expression(expr);
}

// Around the expression: on the way in, where it fails for good, and where it is asked again.
void BodyPlanner::told_expression(ast::Expr const& expr) {
  note(TraceOp::Eval, expr.at);
  auto const succeeded = emit_value({.op = Op::Move, .b = writer_.constant(Value::boolean(false))});
  auto const outer = fail_;
  auto const failed = writer_.new_label();
  auto const again = writer_.new_label();
  auto const onward = writer_.new_label();
  fail_ = failed;
  untold_expression(expr);
  writer_.emit({.op = Op::Move, .a = succeeded, .b = writer_.constant(Value::boolean(true))});
  writer_.jump(onward);
  writer_.place(failed);
  note(TraceOp::Fail, expr.at, succeeded);
  writer_.jump(outer);
  writer_.place(again);
  note(TraceOp::Redo, expr.at);
  writer_.jump(fail_ == failed ? outer : fail_);
  writer_.place(onward);
  fail_ = again;
}

Replacement BodyPlanner::replacement(ast::With const& with) {
  Replacement result;
  auto const& target = *with.target;
  auto const& known = environment_.replaceables;
  Keys const keys{target.items.begin(), target.items.end()};
  if (target.kind == ast::TermKind::Var) {
    result.target = Replacement::Target::Function;
    auto const found = known.builtins.find(find_builtin(target.name));
    if (found != known.builtins.end()) result.replaceable = found->second;
  } else {
    auto const is_data = keys[0]->name == "data";
    result.target = is_data ? Replacement::Target::Data : Replacement::Target::Input;
    for (auto const* key : keys.subspan(1)) result.path.push_back(key->value);
    auto const rule = is_data ? environment_.rule_at(keys.subspan(1)) : kNone;
    auto const found = known.functions.find(rule);
    if (found != known.functions.end()) {
      result.target = Replacement::Target::Function;
      result.replaceable = found->second;
    }
  }
  if (!with.value_is_function) {
    result.value = value(*with.value);
  } else if (with.value->kind == ast::TermKind::Var) {
    result.builtin = find_builtin(with.value->name);
  } else {
    result.rule =
        environment_.rule_at(Keys{with.value->items.begin(), with.value->items.end()}.subspan(1));
  }
  return result;
}

// Within the expression the replacements hold; after it they do not. A failure after it that goes
// back into one of its loops enters the context again on the way.
void BodyPlanner::with_expression(ast::Expr const& expr) {
  pure_ = false;
  WithPlan plan{.at = expr.at};
  for (auto const& with : expr.with) plan.replacements.push_back(replacement(with));
  auto const slot = writer_.new_slot();
  test({.op = Op::WithPush, .a = slot, .b = writer_.with(std::move(plan))});

  auto const outer = fail_;
  auto const leave = writer_.new_label();
  auto const onward = writer_.new_label();
  fail_ = leave;
  ++replaced_;
  plain_expression(expr);
  --replaced_;
  writer_.emit({.op = Op::WithLeave, .a = slot});
  writer_.jump(onward);

  writer_.place(leave);
  writer_.emit({.op = Op::WithLeave, .a = slot});
  writer_.jump(outer);
  auto const inner = fail_;
  fail_ = outer;
  if (inner != leave) {
    fail_ = writer_.new_label();
    writer_.place(fail_);
    writer_.emit({.op = Op::WithEnter, .a = slot});
    writer_.jump(inner);
  }
  writer_.place(onward);
}

void BodyPlanner::plain_expression(ast::Expr const& expr) {
  if (expr.negated) return negation(expr);
  switch (expr.kind) {
    case ast::ExprKind::Term: return term_expression(*expr.term);
    case ast::ExprKind::Every: return every(expr);
    case ast::ExprKind::And:
      closed_body(expr.left, fail_);
      closed_body(expr.right, fail_);
      return;
    case ast::ExprKind::Or: return either(expr);
    case ast::ExprKind::Body: return closed_body(expr.body, fail_);
    // The checker has rewritten these.
    case ast::ExprKind::Some:
    case ast::ExprKind::SomeIn: return;
  }
}

void BodyPlanner::closed_body(ast::Body const& body, Label failed) {
  Scope const scope{*this};
  auto const outer = std::exchange(fail_, failed);
  this->body(body);
  fail_ = outer;
}

void BodyPlanner::negation(ast::Expr const& expr) {
  auto const outer = fail_;
  auto const holds = writer_.new_label();
  {
    Scope const scope{*this};
    fail_ = holds;
    if (expr.kind == ast::ExprKind::Body) {
      body(expr.body);
    } else {
      remaining_ = {};
      term_expression(*expr.term);
    }
  }
  writer_.jump(outer);
  writer_.place(holds);
  fail_ = outer;
}

void BodyPlanner::every(ast::Expr const& expr) {
  costly_ = true;
  auto const domain = value(*expr.domain);
  auto const outer = fail_;
  auto const next = writer_.new_label();
  auto const done = writer_.new_label();
  Scope const scope{*this};
  hoist({expr.body.begin(), expr.body.size()});
  auto const slot = writer_.new_slot();
  test({.op = Op::ScanBegin, .a = slot, .b = domain});
  writer_.place(next);
  auto const key = writer_.new_register();
  auto const element = writer_.new_register();
  writer_.emit({.op = Op::ScanNext, .a = slot, .b = key, .c = element, .fail = done});
  for (std::size_t i = 0; i < expr.symbols.size(); ++i) {
    bind(static_cast<std::uint32_t>(expr.symbols[i]->value.as_int64()),
         i + 1 == expr.symbols.size() ? element : key);
  }
  body(expr.body);
  writer_.jump(next);
  writer_.place(done);
  fail_ = outer;
}

void BodyPlanner::either(ast::Expr const& expr) {
  auto const right = writer_.new_label();
  auto const done = writer_.new_label();
  closed_body(expr.left, right);
  writer_.jump(done);
  writer_.place(right);
  closed_body(expr.right, fail_);
  writer_.place(done);
}

void BodyPlanner::term_expression(ast::Term const& term) {
  if (term.kind == ast::TermKind::Call) return call_statement(term);
  auto const held = value(term);
  if (!CodeWriter::is_constant(held)) return test({.op = Op::True, .a = held});
  if (writer_.constant_value(held).is_false()) test({.op = Op::Fail});
}

}  // namespace sallyport::rego::plan
