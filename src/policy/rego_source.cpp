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
  OneJudgement(RegoPolicy const& policy, Query const& query, rego::Limits const& limits)
      : policy_{policy}, redaction_{query}, here_{workplace_here()}, options_{.limits = limits} {
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
    for (auto& reason : result_.reasons) redaction_.apply(reason);
    return std::move(result_);
  }

 private:
  rego::Value value_of(rego::Query const& entry) {
    auto outcome = here_.evaluation.value_of(entry, input_, options_);
    if (outcome.error && result_.problem.empty()) result_.problem = rego::to_text(*outcome.error);
    if (outcome.built_in_error) {
      auto problem = rego::to_text(*outcome.built_in_error);
      redaction_.apply(problem);
      log::warn("a built-in function of a policy failed, which made a part of it undefined",
                {{"problem", problem}});
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
    SP_TRY(data, rego::parse_json(files.data, arena));
  }
  auto compiled = rego::compile(files.sources, {}, data);
  if (!compiled) return fail(Errc::InvalidInput, texts_of(compiled.errors));
  auto entry = rego::compile_entry(compiled.policy, rule);
  if (entry.query == nullptr) return fail(Errc::InvalidInput, texts_of(entry.errors));
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

Task<Judgement> RegoSource::judge(Query const& query) {
  co_return OneJudgement{policy_.here(), query, limits_}.make();
}

}  // namespace sallyport::policy
