#include "src/policy/rego_source.hpp"

#include "src/base/log.hpp"
#include "src/policy/explanation.hpp"
#include "src/policy/input.hpp"
#include "src/policy/redaction.hpp"
#include "src/policy/send_host.hpp"
#include "src/rego/json.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

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

constexpr std::string_view kHttpSend = "http.send";
// A judgement ends by itself at its deadline, and says why; who waits for it is more patient.
constexpr std::chrono::milliseconds kPatience{500};

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
  // Without `secrets`, the input has none. At `until` it ends, whichever rule is evaluated then.
  OneJudgement(RegoPolicy const& policy, rego::Value input, std::optional<Redaction> secrets,
               rego::EvaluationOptions options, Deadline until = {})
      : policy_{policy},
        redaction_{std::move(secrets)},
        input_{input},
        options_{options},
        until_{until} {}

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
    if (redaction_) redact();
    return std::move(result_);
  }

 private:
  void redact() {
    redaction_->apply(result_.problem);
    redaction_->apply(result_.warning);
    for (auto& reason : result_.reasons) redaction_->apply(reason);
  }

  rego::Value value_of(rego::Query const& entry) {
    if (until_.at != Deadline{}.at) {
      options_.limits.time = std::max(Clock::duration{}, until_.at - Clock::now());
    }
    auto outcome = here_.evaluation.value_of(entry, input_, options_);
    if (outcome.error && result_.problem.empty()) result_.problem = rego::to_text(*outcome.error);
    if (outcome.built_in_error && result_.warning.empty()) {
      result_.warning = rego::to_text(*outcome.built_in_error);
    }
    return outcome.error ? rego::Value{} : outcome.value;
  }

  RegoPolicy const& policy_;
  std::optional<Redaction> redaction_;
  Workplace& here_{workplace_here()};
  rego::Value input_;
  rego::EvaluationOptions options_;
  Deadline until_;
  Judgement result_;
};

// One that failed allows or denies silently.
Judgement noted(Judgement judgement) {
  if (!judgement.warning.empty()) {
    log::warn("a built-in function of a policy failed, which made a part of it undefined",
              {{"problem", judgement.warning}});
  }
  return judgement;
}

// A judgement in a thread beside the loops. It owns what it uses, so that the call may end first.
class Errand {
 public:
  // SECURITY: what a policy sees it may also send, so that it sees no secrets.
  Errand(std::shared_ptr<RegoPolicy const> policy, Question question, rego::Limits const& limits,
         Deadline deadline, SendCache& cache)
      : policy_{std::move(policy)},
        input_{rego::deep_copy(make_input(question, Secrets::Redacted, arena_), arena_)},
        limits_{limits},
        deadline_{deadline},
        cache_{cache} {}

  SendLine& line() noexcept { return line_; }

  Judgement judge() {
    SendHost host{line_, cache_, deadline_};
    rego::EvaluationOptions const options{.limits = limits_, .host = &host};
    return OneJudgement{*policy_, input_, {}, options, deadline_}.make();
  }

 private:
  std::shared_ptr<RegoPolicy const> policy_;
  rego::Arena arena_;
  rego::Value input_;
  rego::Limits limits_;
  Deadline deadline_;
  SendCache& cache_;
  SendLine line_;
};

// Also when the coroutine that waits is destroyed with its loop: the thread must not wait on.
class Closing {
 public:
  explicit Closing(SendLine& line) : line_{line} {}
  Closing(Closing const&) = delete;
  Closing& operator=(Closing const&) = delete;
  ~Closing() { line_.close(); }

 private:
  SendLine& line_;
};

Judgement no_judgement(std::string problem) {
  return {.allowed = false, .reasons = {}, .revision = {}, .problem = std::move(problem)};
}

// How to turn on what is refused.
void add_hints(rego::Diagnostics& errors) {
  for (auto& error : errors) {
    bool const is_off = error.message.find("unsafe") != std::string::npos &&
                        error.message.find(kHttpSend) != std::string::npos;
    if (is_off) error.hint = "http.send is off; `policies.http_send: true` turns it on";
  }
}

rego::CompileOptions options_for(HttpSend http_send) {
  rego::CompileOptions options;
  if (http_send == HttpSend::Allowed) std::erase(options.refused_builtins, kHttpSend);
  return options;
}

}  // namespace

Result<std::shared_ptr<RegoPolicy const>> compile_rego(RegoFiles const& files,
                                                       std::string_view rule, HttpSend http_send) {
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
  auto compiled = rego::compile(files.sources, options_for(http_send), data);
  if (http_send == HttpSend::Refused) add_hints(compiled.errors);
  if (!compiled) return not_compiled(compiled.errors);
  auto entry = rego::compile_entry(compiled.policy, rule);
  if (entry.query == nullptr) return not_compiled(entry.errors);
  auto policy = std::make_shared<RegoPolicy>();
  policy->allow = std::move(entry.query);
  policy->revision = files.revision;
  policy->sends = rego::uses_builtin(*compiled.policy, kHttpSend);
  for (auto const name : kExplanations) {
    auto query = optional_entry(compiled.policy, fmt::format("{}.{}", package_of(rule), name));
    if (query == nullptr) continue;
    if (name == "deny") policy->deny = query;
    policy->explanations.push_back(std::move(query));
  }
  return std::shared_ptr<RegoPolicy const>{std::move(policy)};
}

Judgement judge_with(RegoPolicy const& policy, Question question,
                     rego::EvaluationOptions const& options) {
  auto& arena = workplace_here().input;
  arena.reset();
  // SECURITY: what a policy sees it may also send.
  if (policy.sends) {
    return OneJudgement{policy, make_input(question, Secrets::Redacted, arena), {}, options}.make();
  }
  std::optional<Redaction> secrets;
  if (auto const* const query = question.sending()) secrets.emplace(*query);
  return OneJudgement{policy, make_input(question, Secrets::Shown, arena), std::move(secrets),
                      options}
      .make();
}

Task<Judgement> RegoSource::judge(Question question) {
  auto const& policy = policy_.here();
  if (!policy.sends) co_return noted(judge_with(policy, question, {.limits = limits_}));
  if (question.for_policy()) co_return Judgement{.abstained = true};
  if (!outside_) co_return noted(judge_with(policy, question, {.limits = limits_}));
  co_return co_await judge_outside(*outside_, question);
}

Task<Judgement> RegoSource::judge_outside(Outside outside, Question question) {
  using asio::experimental::awaitable_operators::operator||;
  Deadline const deadline{std::min(question.deadline().at, Deadline::in(outside.time).at)};
  auto const errand =
      std::make_shared<Errand>(policy_.get(), question, limits_, deadline, outside.cache);
  Closing const closing{errand->line()};
  auto judging =
      outside.workers.run([errand] { return errand->judge(); }, {deadline.at + kPatience});
  auto first =
      co_await (capture(std::move(judging)) || errand->line().serve(outside.sender, question));
  if (first.index() != 0) co_return fail(Errc::Cancelled, "The request was cancelled.");
  auto& judgement = std::get<0>(first);
  if (judgement) co_return noted(std::move(*judgement));
  if (judgement.error().code == Errc::Cancelled) co_return judgement.error();
  co_return no_judgement(judgement.error().message);
}

}  // namespace sallyport::policy
