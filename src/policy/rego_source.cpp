#include "src/policy/rego_source.hpp"

#include "src/base/log.hpp"
#include "src/policy/explanation.hpp"
#include "src/policy/input.hpp"
#include "src/policy/redaction.hpp"
#include "src/rego/json.hpp"

#include <fmt/format.h>

namespace sallyport::policy {
namespace {

std::string texts_of(rego::Diagnostics const& errors) {
  std::string all;
  for (auto const& each : errors) all += (all.empty() ? "" : "\n") + rego::to_text(each);
  return all;
}

// "fetch.rego:2:7: rego_parse_error", and so on: no word of what stands there.
std::string places_of(rego::Diagnostics const& errors) {
  constexpr std::size_t kMost = 5;
  std::string all;
  for (std::size_t i = 0; i < errors.size() && i < kMost; ++i) {
    auto const& [code, message, hint, file, at] = errors[i];
    if (i > 0) all += "; ";
    if (!file.empty()) all += file.substr(file.rfind('/') + 1) + ":";
    if (at.row > 0) all += fmt::format("{}:{}:", at.row, at.column);
    all += fmt::format("{}{}", all.ends_with(':') ? " " : "", rego::name_of(code));
  }
  return errors.size() > kMost ? all + "; and more" : all;
}

Error not_compiled(rego::Diagnostics const& errors) {
  return fail(Errc::InvalidInput, texts_of(errors), places_of(errors));
}

std::string_view package_of(std::string_view rule) {
  return rule.substr(0, rule.rfind('.'));
}

// Null where the policy does not define it: that is not a mistake.
std::shared_ptr<rego::Query const> optional_entry(std::shared_ptr<rego::Policy const> const& policy,
                                                  std::string const& reference) {
  return rego::compile_entry(policy, reference).query;
}

// One judgement at a time on a thread; the memory of the last one serves the next.
struct Workplace {
  rego::Arena input;
  rego::Evaluation evaluation;
};

Workplace& workplace_here() {
  thread_local Workplace workplace;
  return workplace;
}

class OneJudgement {
 public:
  OneJudgement(RegoPolicy const& policy, Query const& query, rego::EvaluationOptions const& options)
      : policy_{policy}, redaction_{query}, here_{workplace_here()}, options_{options} {
    here_.input.reset();
    input_ = make_input(query, Secrets::Shown, here_.input);
  }

  Judgement make() {
    result_.revision = policy_.revision;
    auto const allow = value_of(*policy_.allow);
    bool denied = false;
    if (policy_.deny != nullptr) denied = says_no(value_of(*policy_.deny));
    result_.allowed = allow.is_true() && !denied && result_.problem.empty();
    if (result_.problem.empty() && allow.is_defined() && !allow.is(rego::Kind::Boolean)) {
      result_.problem =
          fmt::format("the rule is {} instead of true or false", name_of(allow.kind()));
    }
    for (auto const& each : policy_.explanations) add_texts(value_of(*each), result_.reasons);
    redaction_.apply(result_.problem);
    redaction_.apply(result_.warning);
    for (auto& reason : result_.reasons) redaction_.apply(reason);
    return std::move(result_);
  }

 private:
  rego::Value value_of(rego::Query const& entry) {
    auto outcome = here_.evaluation.value_of(entry, input_, options_);
    if (outcome.error && result_.problem.empty()) result_.problem = rego::to_text(*outcome.error);
    if (outcome.built_in_error && result_.warning.empty()) {
      result_.warning = rego::to_text(*outcome.built_in_error);
    }
    return outcome.error ? rego::Value{} : outcome.value;
  }

  RegoPolicy const& policy_;
  Redaction redaction_;
  Workplace& here_;
  rego::EvaluationOptions options_;
  rego::Value input_;
  Judgement result_;
};

}  // namespace

Result<std::shared_ptr<RegoPolicy const>> compile_rego(RegoFiles const& files,
                                                       std::string_view rule) {
  rego::Arena arena;
  rego::Value data;
  if (!files.data.empty()) {
    auto parsed = rego::parse_json(files.data, arena);
    if (!parsed) {
      return fail(Errc::InvalidInput, fmt::format("data.json: {}", parsed.error().message),
                  "data.json is not valid JSON");
    }
    data = *parsed;
  }
  auto compiled = rego::compile(files.sources, {}, data);
  if (!compiled) return not_compiled(compiled.errors);
  auto entry = rego::compile_entry(compiled.policy, rule);
  if (entry.query == nullptr) return not_compiled(entry.errors);
  auto policy = std::make_shared<RegoPolicy>();
  policy->allow = std::move(entry.query);
  policy->revision = files.revision;
  for (auto const name : kExplanations) {
    auto query = optional_entry(compiled.policy, fmt::format("{}.{}", package_of(rule), name));
    if (query == nullptr) continue;
    if (name == "deny") policy->deny = query;
    policy->explanations.push_back(std::move(query));
  }
  return std::shared_ptr<RegoPolicy const>{std::move(policy)};
}

Judgement judge_with(RegoPolicy const& policy, Query const& query,
                     rego::EvaluationOptions const& options) {
  return OneJudgement{policy, query, options}.make();
}

Task<Judgement> RegoSource::judge(Query const& query) {
  auto judgement = judge_with(policy_.here(), query, {.limits = limits_});
  if (!judgement.warning.empty()) {
    log::warn("a built-in function of a policy failed, which made a part of it undefined",
              {{"problem", judgement.warning}});
  }
  co_return judgement;
}

}  // namespace sallyport::policy
