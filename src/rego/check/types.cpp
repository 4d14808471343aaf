#include "src/rego/check/types.hpp"

#include "src/rego/check/type_env.hpp"
#include "src/rego/check/walk.hpp"
#include "src/rego/json.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

class Checker {
 public:
  Checker(Context& context, TypeTree const& data, Arena& arena)
      : context_{context}, env_{data, arena} {}

  // False where it reported something.
  bool check(Body const& body) {
    auto fine = true;
    for (auto const* const expr : body) {
      fine = check(*expr) && fine;
    }
    return fine;
  }

  TypeEnv& env() { return env_; }

 private:
  void report(Location const& at, std::string message) {
    context_.error(Code::Type, at, std::move(message));
  }

  bool check(Expr const& expr) {
    auto const closures_fine = check_closures(expr);
    auto const refs_fine = check_refs(expr);
    auto const fine = closures_fine && refs_fine;
    if (!check_with(expr)) return false;
    if (expr.kind != ExprKind::Term || expr.term->kind != TermKind::Call) return fine;
    return (is_eq(expr) ? check_eq(expr, !fine) : check_call(expr, !fine)) && fine;
  }

  // Comprehensions.

  bool check_closures(Expr const& expr) {
    auto fine = true;
    if (expr.term != nullptr) fine = check_closures(*expr.term) && fine;
    if (expr.domain != nullptr) fine = check_closures(*expr.domain) && fine;
    for (auto const* const body : {&expr.body, &expr.left, &expr.right})
      for (auto const* const inner : *body) fine = check_closures(*inner) && fine;
    return fine;
  }

  bool check_closures(Term const& term) {
    if (!is_comprehension(term)) {
      auto fine = true;
      for (auto const* const item : term.items) fine = check_closures(*item) && fine;
      return fine;
    }
    // What its body says about variables of the outside holds only there, as in OPA.
    auto const before = env_.learnt();
    auto const fine = check(term.body);
    if (fine) env_.set_closure(term, type_of_closure(term));
    env_.forget(before);
    return fine;
  }

  Type const* type_of_closure(Term const& term) {
    auto const known = [&](Term const& item) {
      auto const* const type = env_.of(item);
      return type == nullptr ? &types::kAny : type;
    };
    auto const* const first = known(*term.items[0]);
    if (term.kind == TermKind::ArrayOf) return types::array(env_.arena(), {}, first);
    if (term.kind == TermKind::SetOf) return types::set(env_.arena(), first);
    return types::open_object(env_.arena(), {}, first, known(*term.items[1]));
  }

  // Refs.

  bool check_refs(Expr const& expr) {
    auto fine = true;
    if (expr.term != nullptr) fine = check_refs(*expr.term);
    if (expr.domain != nullptr) fine = check_refs(*expr.domain) && fine;
    for (auto const* const body : {&expr.body, &expr.left, &expr.right})
      for (auto const* const inner : *body) fine = check_refs(*inner) && fine;
    for (auto const& with : expr.with)
      if (!with.value_is_function) fine = check_refs(*with.value) && fine;
    return fine;
  }

  bool check_refs(Term const& term) {
    if (is_comprehension(term) || is_scalar(term) || is_var(term)) return true;
    if (term.kind == TermKind::Ref) return check_ref(term);
    auto fine = true;
    for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
      fine = check_refs(*term.items[i]) && fine;
    return fine;
  }

  bool check_ref(Term const& ref) {
    auto const& head = *ref.items[0];
    if (is_numbered(head)) {
      if (env_.of_var(head) == nullptr) env_.set(head, &types::kAny);
      return check_path(env_.of_var(head), ref, 1);
    }
    if (!is_var(head) || head.name != "data") return check_path(&types::kAny, ref, 1);
    auto const* node = &env_.data();
    for (std::size_t i = 1; i < ref.items.size(); ++i) {
      auto const& item = *ref.items[i];
      if (!is_scalar(item)) {
        // Which of the documents here it is is not known; what it is called is.
        auto const* const keys = env_.extent_of(*node).keys;
        if (is_var(item) && !check_key(item, keys)) return refuse(ref, i, keys);
        return check_path(&types::kAny, ref, i + 1);
      }
      node = node->find(item.value);
      if (node == nullptr) return check_path(&types::kAny, ref, i + 1);
      if (node->type != nullptr) {
        if (node->type->kind == TypeKind::Function) return refuse_function(ref);
        return check_path(type_with_children(*node, ref, i), ref, i + 1);
      }
    }
    return true;
  }

  // A rule below this one may say more about where the ref goes.
  Type const* type_with_children(TypeTree const& node, Term const& ref, std::size_t part) {
    if (part + 1 == ref.items.size() || node.children.empty()) return node.type;
    auto const& next = *ref.items[part + 1];
    if (is_scalar(next) && node.find(next.value) != nullptr) return &types::kAny;
    return node.type;
  }

  bool check_key(Term const& var, Type const* keys) {
    auto const* const known = env_.of_var(var);
    if (known != nullptr) return keys != nullptr && types::unify(known, keys);
    env_.set(var, keys);
    return true;
  }

  bool check_path(Type const* type, Term const& ref, std::size_t from) {
    for (auto i = from; i < ref.items.size(); ++i) {
      auto const& item = *ref.items[i];
      auto const* const keys = types::keys(env_.arena(), type);
      if (keys == nullptr) {
        if (type != nullptr && type->kind == TypeKind::Function) return refuse_function(ref);
        report(ref.at, "undefined ref: " + to_text(context_, ref) + "\n\thave: " + to_text(type));
        return false;
      }
      if (is_scalar(item)) {
        auto const* const selected = types::select(env_.arena(), type, item.value);
        if (selected == nullptr) return refuse(ref, i, keys, type);
        type = selected;
        continue;
      }
      auto const fits = is_var(item) ? check_key(item, keys) : unify(env_, item, keys);
      if (!fits) return refuse(ref, i, keys);
      type = types::values(env_.arena(), type);
    }
    return true;
  }

  bool refuse(Term const& ref, std::size_t part, Type const* want, Type const* in = nullptr) {
    auto const& item = *ref.items[part];
    std::string message = "undefined ref: " + to_text(context_, ref);
    message += is_scalar(item) ? "\n\thave: " + to_text(context_, item)
                               : "\n\thave (type): " + to_text(env_.of(item));
    auto const has_names = in != nullptr && in->kind == TypeKind::Object && !in->properties.empty();
    if (has_names) {
      message += "\n\twant (one of): [";
      for (auto const& property : in->properties) {
        if (&property != in->properties.data()) message += ", ";
        message += to_rego(property.key);
      }
      message += ']';
    } else {
      message += "\n\twant (type): " + to_text(want);
    }
    report(ref.at, std::move(message));
    return false;
  }

  bool refuse_function(Term const& ref) {
    // As `some x in f` has made it: f[__local0__].
    auto named = ref;
    auto const& last = *named.items.back();
    if (is_numbered(last) && is_generated(context_.original(last.name)))
      named.items.resize_down(named.items.size() - 1);
    report(ref.at, "function " + to_text(context_, named) + " used as reference, not called");
    return false;
  }

  // Calls. Where a part was refused already, what follows from knowing nothing about it is not
  // worth another message.

  bool check_with(Expr const& expr) {
    for (auto const& with : expr.with) {
      if (!with.value_is_function) continue;
      auto const* const target = env_.of_function(*with.target);
      auto const* const value = env_.of_function(*with.value);
      if (target == nullptr || value == nullptr || target->kind != TypeKind::Function ||
          value->kind != TypeKind::Function || types::unify(target, value))
        continue;
      report(with.at, to_text(context_, *with.target) + ": arity mismatch\n\thave: " +
                          list(value->parts) + "\n\twant: " + list(target->parts));
      return false;
    }
    return true;
  }

  bool check_eq(Expr const& expr, bool part_refused) {
    auto const& left = *expr.term->items[1];
    auto const& right = *expr.term->items[2];
    auto const* const type_of_left = env_.of(left);
    auto const* const type_of_right = env_.of(right);
    if (unify(env_, left, type_of_left, right, type_of_right)) return true;
    if (part_refused && (says_nothing(type_of_left) || says_nothing(type_of_right))) return false;
    report(expr.at, "match error\n\tleft  : " + to_text(type_of_left) +
                        "\n\tright : " + to_text(type_of_right));
    return false;
  }

  static bool says_nothing(Type const* type) {
    return types::is_unknown(type) || type->kind == TypeKind::Function;
  }

  bool check_call(Expr const& expr, bool part_refused) {
    auto const& call = *expr.term;
    auto const* const function = env_.of_function(*call.items[0]);
    if (function == nullptr || function->kind != TypeKind::Function) return true;
    // Before they are looked at: one operand may say more about the variables of another.
    auto const types_given = types_of_operands(call);
    for (std::size_t i = 1; i < call.items.size(); ++i) {
      auto const is_result = i > function->parts.size();
      auto const* const wanted = is_result ? function->rest : function->parts[i - 1];
      if (wanted == nullptr) continue;
      auto const* const given = types_given[i - 1];
      auto const fits = (types::is_unknown(given) || types::unify(given, wanted)) &&
                        unify(env_, *call.items[i], wanted);
      if (fits) continue;
      if (!(part_refused && has_unknown_operand(call))) refuse_operands(expr, *function);
      return false;
    }
    return true;
  }

  std::vector<Type const*> types_of_operands(Term const& call) {
    std::vector<Type const*> given;
    for (std::size_t i = 1; i < call.items.size(); ++i) given.push_back(env_.of(*call.items[i]));
    return given;
  }

  bool has_unknown_operand(Term const& call) {
    for (std::size_t i = 1; i < call.items.size(); ++i)
      if (types::is_unknown(env_.of(*call.items[i]))) return true;
    return false;
  }

  void refuse_operands(Expr const& expr, Type const& function) {
    auto wanted = std::vector(function.parts.begin(), function.parts.end());
    if (function.rest != nullptr) wanted.push_back(function.rest);
    report(expr.at, to_text(context_, *expr.term->items[0]) + ": invalid argument(s)\n\thave: " +
                        list(types_of_operands(*expr.term)) + "\n\twant: " + list(wanted));
  }

  static std::string list(std::span<Type const* const> of) {
    std::string text = "(";
    for (auto const* const type : of) {
      if (text.size() > 1) text += ", ";
      text += to_text(type);
    }
    return text + ')';
  }

  Context& context_;
  TypeEnv env_;
};

// The parts of a rule's path that are constants.
std::vector<Value> ground_path(Rule const& rule) {
  std::vector<Value> path;
  for (std::size_t i = 1; i < rule.module->package->items.size(); ++i)
    path.push_back(rule.module->package->items[i]->value);
  path.push_back(Value::string(rule.reference->items[0]->name));
  auto const constants = rule.reference->items.size() - dynamic_part(rule).size();
  for (std::size_t i = 1; i < constants; ++i) path.push_back(rule.reference->items[i]->value);
  return path;
}

// What the document at the constant part of the rule's path may be because of this rule.
Type const* type_of_rule(Rule const& rule, TypeEnv& env) {
  auto& arena = env.arena();
  if (!rule.parameters.empty()) {
    std::vector<Type const*> parameters;
    for (auto const* const parameter : rule.parameters) {
      if (env.of_var(*parameter) == nullptr) env.set(*parameter, &types::kAny);
      parameters.push_back(env.of_var(*parameter));
    }
    auto const* const result = env.of(*rule.value);
    return types::function(arena, parameters, result == nullptr ? &types::kAny : result);
  }
  auto const* type = env.of(rule.kind == RuleKind::Contains ? *rule.key : *rule.value);
  if (type == nullptr) return nullptr;
  if (rule.kind == RuleKind::Contains) type = types::set(arena, type);
  auto const dynamic = dynamic_part(rule);
  for (auto part = dynamic.rbegin(); part != dynamic.rend(); ++part) {
    auto const* const key = env.of(**part);
    if (key == nullptr) return nullptr;
    type = types::open_object(arena, {}, key, type);
  }
  return type;
}

}  // namespace

std::shared_ptr<RuleTypes const> check_types(Context& context, std::vector<Rule*> const& rules) {
  auto result = std::make_shared<RuleTypes>();
  Checker checker{context, result->data, result->arena};
  for (auto* const first : rules) {
    for (auto* rule = first; rule != nullptr; rule = rule->otherwise) {
      checker.env().start(first->variables);
      auto const path = ground_path(*rule);
      // What uses a rule that was refused is not refused for it.
      if (!checker.check(rule->body))
        result->data.replace(path, &types::kAny);
      else if (auto const* const type = type_of_rule(*rule, checker.env()))
        result->data.insert(path, type, result->arena);
    }
  }
  return result;
}

void check_types(Context& context, Body& query, RuleTypes const* of_rules) {
  Arena arena;
  RuleTypes const none;
  Checker checker{context, of_rules == nullptr ? none.data : of_rules->data, arena};
  checker.env().start(context.next_number);
  checker.check(query);
}

}  // namespace sallyport::rego::check
