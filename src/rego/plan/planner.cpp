#include "src/rego/plan/planner.hpp"

#include "src/rego/json.hpp"
#include "src/rego/plan/body_planner.hpp"
#include "src/rego/plan/conditions.hpp"
#include "src/rego/plan/ground.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace sallyport::rego::plan {
namespace {

using ast::Rule;

// A rule with the constant keys between its document and itself.
struct RuleSource {
  Rule const* rule{nullptr};
  std::vector<Value> prefix;
};

struct RuleSources {
  std::vector<RuleSource> rules;
  Rule const* fallback{nullptr};  // default
};

std::string extended(std::string const& name, Value key) {
  auto const plain = key.is(Kind::String) && !key.as_string().empty() &&
                     std::ranges::all_of(key.as_string(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_';
                     });
  if (plain) return name + "." + std::string{key.as_string()};
  return name + "[" + to_rego(key) + "]";
}

class ModulePlanner {
 public:
  ModulePlanner(Checked const& checked, PlanOptions const& options, Arena& arena,
                Diagnostics& errors, PlannedModules& result)
      : checked_{checked},
        options_{options},
        program_{result.program},
        environment_{result.program, result.replaceables, arena, errors, options.instrument},
        writer_{result.program.code} {}

  void add_documents() {
    add_node(checked_.data, "data");
    // As in OPA, it can be asked for by name only.
    auto const system = program_.nodes[0].find(Value::string("system"));
    if (system != kNone) program_.nodes[system].hidden = true;
  }
  void plan();

 private:
  std::uint32_t add_node(RuleTree const& tree, std::string const& name);
  std::uint32_t add_rule(RuleTree const& tree, std::string const& name);
  void add_sources(RuleTree const& tree, std::vector<Value> const& prefix, RuleSources& sources);
  std::vector<std::uint32_t> order() const;

  void plan_rule(std::uint32_t number);
  void plan_chain(Rule const& first, RuleSource const& source, RulePlan& plan);
  void plan_head(Rule const& rule, RuleSource const& source, BodyPlanner& planner,
                 RulePlan const& plan);
  void plan_entry_head(Rule const& rule, RuleSource const& source, BodyPlanner& planner);
  void start_body(Rule const& rule, BodyPlanner& planner);
  bool same_constant(RuleSources const& sources) const;
  void fold(std::uint32_t number);

  Checked const& checked_;
  PlanOptions const& options_;
  Program& program_;
  Environment environment_;
  CodeWriter writer_;
  std::vector<RuleSources> sources_;  // by rule
  std::map<Rule const*, std::uint32_t> number_of_;
};

bool has_variable_part(RuleTree const& tree) {
  return std::ranges::any_of(tree.rules,
                             [](Rule const* rule) { return !dynamic_part(*rule).empty(); });
}

std::uint32_t ModulePlanner::add_node(RuleTree const& tree, std::string const& name) {
  auto const number = static_cast<std::uint32_t>(program_.nodes.size());
  program_.nodes.emplace_back();
  if (!tree.rules.empty()) {
    auto const rule = add_rule(tree, name);
    program_.nodes[number].rule = rule;
    return number;
  }
  for (auto const& [key, child] : tree.children) {
    auto const node = add_node(child, extended(name, key));
    program_.nodes[number].children.push_back({key, node});
  }
  return number;
}

DocumentKind kind_of(RuleTree const& tree, RuleSources const& sources) {
  auto const& first = *tree.rules.front();
  if (first.is_function) return DocumentKind::Function;
  if (!has_variable_part(tree)) {
    return first.kind == ast::RuleKind::Contains ? DocumentKind::Set : DocumentKind::Complete;
  }
  auto const flat = std::ranges::all_of(sources.rules, [](RuleSource const& source) {
    return source.rule->kind == ast::RuleKind::Value &&
           source.prefix.size() + dynamic_part(*source.rule).size() == 1;
  });
  return flat ? DocumentKind::Object : DocumentKind::NestedObject;
}

void ModulePlanner::add_sources(RuleTree const& tree, std::vector<Value> const& prefix,
                                RuleSources& sources) {
  for (auto const* rule : tree.rules) {
    if (rule->is_default) {
      sources.fallback = rule;
    } else {
      sources.rules.push_back({rule, prefix});
    }
  }
  for (auto const& [key, child] : tree.children) {
    auto longer = prefix;
    longer.push_back(key);
    add_sources(child, longer, sources);
  }
}

// A rule with a variable in its name takes in all rules below its place.
std::uint32_t ModulePlanner::add_rule(RuleTree const& tree, std::string const& name) {
  auto const number = static_cast<std::uint32_t>(program_.rules.size());
  auto const& first = *tree.rules.front();
  auto& sources = sources_.emplace_back();
  add_sources(tree, {}, sources);
  for (auto const& source : sources.rules) number_of_[source.rule] = number;
  program_.rules.push_back({.kind = kind_of(tree, sources),
                            .name = name,
                            .at = first.at,
                            .parameters = static_cast<std::uint32_t>(first.parameters.size())});
  return number;
}

std::vector<std::uint32_t> ModulePlanner::order() const {
  std::vector<std::uint32_t> numbers;
  std::vector<bool> seen(program_.rules.size(), false);
  auto const add = [&](std::uint32_t number) {
    if (!seen[number]) numbers.push_back(number);
    seen[number] = true;
  };
  for (auto rule = checked_.order.rbegin(); rule != checked_.order.rend(); ++rule) {
    if (auto const found = number_of_.find(*rule); found != number_of_.end()) add(found->second);
  }
  std::ranges::reverse(numbers);
  for (std::uint32_t number = 0; number < seen.size(); ++number) add(number);
  return numbers;
}

void ModulePlanner::plan() {
  for (auto const number : order()) {
    plan_rule(number);
    fold(number);
  }
}

bool ModulePlanner::same_constant(RuleSources const& sources) const {
  Value common;
  for (auto const& source : sources.rules) {
    for (auto const* rule = source.rule; rule != nullptr; rule = rule->otherwise) {
      auto const value = rule->value == nullptr ? Value::boolean(true)
                                                : ground_value(*rule->value, environment_.arena);
      if (!value.is_defined() || (common.is_defined() && !equal(common, value))) return false;
      common = value;
    }
  }
  return true;
}

void ModulePlanner::plan_rule(std::uint32_t number) {
  auto& plan = program_.rules[number];
  auto const& sources = sources_[number];
  auto const single = plan.kind == DocumentKind::Complete || plan.kind == DocumentKind::Function;
  plan.first_is_enough = single && same_constant(sources);
  plan.pure = true;
  std::vector<std::vector<Condition>> conditions;
  for (auto const& source : sources.rules) {
    plan.bodies.push_back(writer_.here());
    plan.body_places.push_back(source.rule->at);
    plan_chain(*source.rule, source, plan);
    conditions.push_back(conditions_of(*source.rule));
  }
  // Whoever asks why a rule does not hold wants to see the body that an index would pass over.
  if (!options_.instrument) plan.index = RuleIndex::make(conditions);
  if (sources.fallback != nullptr) {
    plan.default_body = writer_.here();
    plan_chain(*sources.fallback, {sources.fallback, {}}, plan);
  }
  writer_.resolve();
  plan.frame = writer_.take_frame_size();
  plan.planned = true;
}

void ModulePlanner::start_body(Rule const& rule, BodyPlanner& planner) {
  for (std::uint32_t i = 0; i < rule.parameters.size(); ++i) {
    planner.bind(static_cast<std::uint32_t>(rule.parameters[i]->value.as_int64()),
                 static_cast<Operand>(i));
  }
}

void ModulePlanner::plan_chain(Rule const& first, RuleSource const& source, RulePlan& plan) {
  writer_.start_frame(plan.parameters);
  for (auto const* rule = &first; rule != nullptr; rule = rule->otherwise) {
    if (rule != &first) writer_.emit({.op = Op::ElseGuard});
    BodyPlanner planner{environment_, writer_, std::max(first.variables, rule->variables)};
    auto const end = writer_.new_label();
    planner.set_fail(end);
    start_body(*rule, planner);
    planner.note(TraceOp::Enter, rule->at);
    planner.body(rule->body);
    plan_head(*rule, source, planner, plan);
    planner.note(TraceOp::Redo, rule->at);
    if (planner.fail() != end) writer_.jump(planner.fail());
    writer_.place(end);
    plan.pure = plan.pure && planner.is_pure();
    plan.remembers_calls = plan.remembers_calls || planner.is_costly();
    program_.asks_the_world = program_.asks_the_world || planner.asks_the_world();
  }
  writer_.emit({.op = Op::Return});
}

void ModulePlanner::plan_head(Rule const& rule, RuleSource const& source, BodyPlanner& planner,
                              RulePlan const& plan) {
  if (plan.kind == DocumentKind::Set) {
    writer_.emit({.op = Op::EmitMember, .a = planner.value(*rule.key)});
    planner.note(TraceOp::Exit, rule.at);
  } else if (plan.kind == DocumentKind::Object || plan.kind == DocumentKind::NestedObject) {
    plan_entry_head(rule, source, planner);
  } else {
    auto const value =
        rule.value == nullptr ? writer_.constant(Value::boolean(true)) : planner.value(*rule.value);
    writer_.emit({.op = Op::Emit, .a = value, .b = writer_.place_of(rule.at)});
    planner.note(TraceOp::Exit, rule.at);
    if (plan.first_is_enough) writer_.emit({.op = Op::Return});
  }
}

void ModulePlanner::plan_entry_head(Rule const& rule, RuleSource const& source,
                                    BodyPlanner& planner) {
  std::vector<Operand> operands;
  operands.reserve(source.prefix.size() + 2);
  for (auto const key : source.prefix) operands.push_back(writer_.constant(key));
  for (auto const* key : dynamic_part(rule)) operands.push_back(planner.value(*key));
  auto const is_member = rule.kind == ast::RuleKind::Contains;
  if (is_member) {
    operands.push_back(planner.value(*rule.key));
  } else {
    operands.push_back(rule.value == nullptr ? writer_.constant(Value::boolean(true))
                                             : planner.value(*rule.value));
  }
  writer_.emit({.op = Op::EmitEntry,
                .flags = is_member ? kMember : std::uint8_t{0},
                .count = static_cast<std::uint32_t>(operands.size()),
                .b = writer_.operands(operands),
                .c = writer_.place_of(rule.at)});
  planner.note(TraceOp::Exit, rule.at);
}

void ModulePlanner::fold(std::uint32_t number) {
  auto& plan = program_.rules[number];
  if (!plan.pure || plan.kind == DocumentKind::Function || !options_.fold || options_.instrument) {
    return;
  }
  auto const value = options_.fold(program_, number, environment_.arena);
  if (!value) return;
  plan.is_constant = true;
  plan.value = *value;
}

}  // namespace

PlannedModules plan_modules(Checked const& checked, PlanOptions const& options, Arena& arena,
                            Diagnostics& errors) {
  PlannedModules result;
  result.program.base = options.base;
  result.program.files = options.files;
  result.program.strict_builtin_errors = options.strict_builtin_errors;
  ModulePlanner planner{checked, options, arena, errors, result};
  planner.add_documents();
  add_replaceables(checked, result.program, result.replaceables);
  if (options.query != nullptr) {
    add_replaceables(*options.query, result.program, result.replaceables);
  }
  result.program.replaceables = result.replaceables.count();
  planner.plan();
  return result;
}

}  // namespace sallyport::rego::plan
