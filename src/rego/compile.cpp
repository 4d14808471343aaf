#include "src/rego/build.hpp"
#include "src/rego/parser.hpp"
#include "src/rego/policy.hpp"
#include "src/rego/vm/machine.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::rego {
namespace {

// What is computed at load is bounded as an evaluation is, and all of it together as well.
constexpr Limits kFoldLimits{
    .steps = 1'000'000, .time = std::chrono::milliseconds{200}, .memory = std::size_t{16} << 20};
constexpr std::size_t kMostFolded = std::size_t{64} << 20;
constexpr std::chrono::seconds kLongestFolding{1};

void name_files(Diagnostics& errors, std::vector<Source> const& sources) {
  for (auto& error : errors) {
    if (error.file.empty() && error.at.file < sources.size()) {
      error.file = sources[error.at.file].name;
    }
  }
}

}  // namespace

class Compiler {
 public:
  static Compiled modules(std::vector<Source> const& sources, CompileOptions const& options,
                          Value data);
  static CompiledQuery query(std::shared_ptr<Policy const> policy, std::string_view text,
                             CompileOptions const& options);
  static CompiledQuery entry(std::shared_ptr<Policy const> policy, std::string_view reference);

 private:
  static plan::PlannedModules plan(Policy const& policy, ast::Body const* query, Arena& arena,
                                   Diagnostics& errors);
};

plan::PlannedModules Compiler::plan(Policy const& policy, ast::Body const* query, Arena& arena,
                                    Diagnostics& errors) {
  vm::Machine machine;
  plan::PlanOptions options{.base = policy.base_,
                            .strict_builtin_errors = policy.options_.strict_builtin_errors,
                            .instrument = policy.options_.instrument,
                            .query = query};
  for (auto const& source : policy.sources_) options.files.push_back(source.name);
  std::size_t folded = 0;
  auto const deadline = std::chrono::steady_clock::now() + kLongestFolding;
  options.fold = [&](plan::Program const& program, std::uint32_t rule,
                     Arena& constants) -> std::optional<Value> {
    if (folded > kMostFolded || std::chrono::steady_clock::now() > deadline) return std::nullopt;
    auto const value = machine.run_rule(program, rule, kFoldLimits);
    if (!value) return std::nullopt;
    auto const before = constants.used();
    auto const copy = deep_copy(*value, constants);
    folded += constants.used() - before;
    return copy;
  };
  return plan::plan_modules(policy.checked_, options, arena, errors);
}

Compiled Compiler::modules(std::vector<Source> const& sources, CompileOptions const& options,
                           Value data) {
  Compiled result;
  auto policy = std::make_shared<Policy>();
  policy->sources_ = sources;
  policy->options_ = options;
  auto& arena = policy->arena_;
  policy->base_ = data.is(Kind::Object) ? deep_copy(data, arena) : ObjectBuilder{arena}.finish();
  std::vector<ast::Module*> modules;
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    auto* const module = parse_module(sources[file].text, file, options, arena, result.errors);
    if (module != nullptr) modules.push_back(module);
  }
  if (result.errors.empty()) {
    policy->checked_ =
        check_modules(std::move(modules), options, policy->base_, arena, result.errors);
  }
  if (result.errors.empty()) {
    policy->planned_ = plan(*policy, nullptr, arena, result.errors);
  }
  if (result.errors.empty()) result.policy = std::move(policy);
  name_files(result.errors, sources);
  return result;
}

CompiledQuery Compiler::query(std::shared_ptr<Policy const> policy, std::string_view text,
                              CompileOptions const& options) {
  CompiledQuery result;
  auto query = std::make_shared<Query>();
  auto const body = parse_query(text, options, query->arena_, result.errors);
  if (!result.errors.empty()) return result;
  auto const checked = check_query(body, policy->checked(), options, query->arena_, result.errors);
  if (!result.errors.empty()) return result;
  if (!plan::covers(policy->planned(), checked.body)) {
    query->own_modules_ = plan(*policy, &checked.body, query->arena_, result.errors);
  }
  auto const& planned = query->own_modules_ ? *query->own_modules_ : policy->planned();
  query->plan_ = plan::plan_query(checked, planned, query->arena_, result.errors);
  if (!result.errors.empty()) return result;
  query->policy_ = std::move(policy);
  result.query = std::move(query);
  return result;
}

namespace {

Diagnostics failure(std::string message, std::string hint = {}) {
  return {{.code = Code::Compile, .message = std::move(message), .hint = std::move(hint)}};
}

ast::Term const* constant_reference(ast::Body const& body) {
  if (body.size() != 1 || body[0]->kind != ast::ExprKind::Term || body[0]->negated ||
      !body[0]->with.empty() || body[0]->term->kind != ast::TermKind::Ref) {
    return nullptr;
  }
  auto const& items = body[0]->term->items;
  auto const constant = std::all_of(items.begin() + 1, items.end(), [](ast::Term const* item) {
    return item->kind == ast::TermKind::Constant;
  });
  return constant && items[0]->name == "data" ? body[0]->term : nullptr;
}

// Rules there or below it, or a rule above it whose value may have it, or base data.
bool is_known(ast::Term const& reference, plan::Program const& program) {
  std::uint32_t node = 0;
  auto base = program.base;
  for (std::size_t i = 1; i < reference.items.size(); ++i) {
    auto const key = reference.items[i]->value;
    base = get(base, key);
    if (node != plan::kNone) node = program.nodes[node].find(key);
    if (node != plan::kNone && program.nodes[node].rule != plan::kNone) {
      return program.rules[program.nodes[node].rule].kind != plan::DocumentKind::Function;
    }
  }
  return node != plan::kNone || base.is_defined();
}

}  // namespace

CompiledQuery Compiler::entry(std::shared_ptr<Policy const> policy, std::string_view reference) {
  CompiledQuery result;
  auto query = std::make_shared<Query>();
  Diagnostics errors;
  auto const body = parse_query(reference, {}, query->arena_, errors);
  auto const* const term = errors.empty() ? constant_reference(body) : nullptr;
  if (term == nullptr) {
    result.errors = failure("\"" + std::string{reference} + "\" is not a reference to a rule",
                            "write it like data.mcp.fetch.allow");
    return result;
  }
  auto const& planned = policy->planned();
  if (!is_known(*term, planned.program)) {
    std::string known;
    for (auto const& name : policy->rule_names()) known += (known.empty() ? "" : ", ") + name;
    result.errors =
        failure("no rule " + std::string{reference},
                known.empty() ? "the policy defines no rules" : "the policy defines: " + known);
    return result;
  }
  query->plan_ = plan::plan_entry(*term, planned, query->arena_);
  query->policy_ = std::move(policy);
  result.query = std::move(query);
  return result;
}

std::vector<std::string> Policy::rule_names() const {
  std::vector<std::string> names;
  for (auto const& rule : planned_.program.rules) {
    if (rule.kind != plan::DocumentKind::Function) names.push_back(rule.name);
  }
  std::ranges::sort(names);
  return names;
}

bool uses_builtin(Policy const& policy, std::string_view name) {
  auto const* const builtin = find_builtin(name);
  if (builtin == nullptr) return false;
  auto const& code = policy.planned().program.code;
  if (std::ranges::find(code.sites, builtin, &plan::CallSite::builtin) != code.sites.end()) {
    return true;
  }
  return std::ranges::any_of(code.withs, [builtin](plan::WithPlan const& with) {
    return std::ranges::find(with.replacements, builtin, &plan::Replacement::builtin) !=
           with.replacements.end();
  });
}

Compiled compile(std::vector<Source> const& sources, CompileOptions const& options, Value data) {
  return Compiler::modules(sources, options, data);
}

CompiledQuery compile_query(std::shared_ptr<Policy const> policy, std::string_view text,
                            CompileOptions const& options) {
  return Compiler::query(std::move(policy), text, options);
}

CompiledQuery compile_entry(std::shared_ptr<Policy const> policy, std::string_view reference) {
  return Compiler::entry(std::move(policy), reference);
}

}  // namespace sallyport::rego
