#include "src/policy/remote_source.hpp"

#include "src/policy/explanation.hpp"
#include "src/policy/input.hpp"
#include "src/rego/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

constexpr std::size_t kLongestAnswer = 1024UL * 1024;

Judgement no_answer(std::string problem) {
  return {.allowed = false, .reasons = {}, .revision = {}, .problem = std::move(problem)};
}

Judgement read_document(rego::Value document) {
  auto const allow = rego::get(document, "allow");
  if (allow.is_defined() && !allow.is(rego::Kind::Boolean)) {
    return no_answer("`allow` in its answer is neither true nor false");
  }
  Judgement judgement{.allowed = allow.is_true() && !says_no(rego::get(document, "deny"))};
  for (auto const name : kExplanations) add_texts(rego::get(document, name), judgement.reasons);
  return judgement;
}

// OPA names its errors: {"code": "internal_error", "message": "…"}. The message may hold input.
std::string code_in(std::string_view body) {
  rego::Arena arena;
  auto const value = rego::parse_json(body, arena);
  auto const code = value ? rego::get(*value, "code") : rego::Value{};
  if (!code.is(rego::Kind::String)) return {};
  return fmt::format(" ({})", code.as_string().substr(0, 60));
}

bool is_worth_a_retry(Result<http::Response> const& answer) {
  if (!answer) return answer.error().code == Errc::UpstreamFailed;
  return answer->status == 502 || answer->status == 503 || answer->status == 504;
}

std::string endpoint_of(RemoteOptions const& options) {
  std::string_view url = options.url;
  while (url.ends_with('/')) url.remove_suffix(1);
  std::string_view path = options.policy_path;
  while (path.starts_with('/')) path.remove_prefix(1);
  return fmt::format("{}/v1/data/{}", url, path);
}

// Without what a URL may hide: a user and a password.
std::string shown(std::string_view url) {
  auto const parsed = url::Url::parse(url);
  return parsed ? parsed->origin() : std::string{"OPA"};
}

}  // namespace

bool Breaker::may_try(Clock::time_point now) {
  if (in_a_row_.load(std::memory_order_relaxed) < failures_) return true;
  auto until = closed_until_.load();
  if (now.time_since_epoch().count() < until) return false;
  // Whoever moves the end of the pause is the one who tries.
  return closed_until_.compare_exchange_strong(until,
                                               (now + left_alone_).time_since_epoch().count());
}

void Breaker::succeeded() noexcept {
  in_a_row_.store(0, std::memory_order_relaxed);
}

void Breaker::failed(Clock::time_point now) noexcept {
  if (in_a_row_.fetch_add(1) + 1 >= failures_) {
    closed_until_.store((now + left_alone_).time_since_epoch().count());
  }
}

void RetryBudget::asked() noexcept {
  if (saved_.load(std::memory_order_relaxed) < kMost) ++saved_;
}

bool RetryBudget::may_retry() noexcept {
  auto saved = saved_.load();
  while (saved >= kPerRetry) {
    if (saved_.compare_exchange_weak(saved, saved - kPerRetry)) return true;
  }
  return false;
}

RemoteSource::RemoteSource(RemoteOptions options, http::Client& client)
    : options_{std::move(options)},
      name_{"OPA at " + shown(options_.url)},
      endpoint_{endpoint_of(options_)},
      client_{client},
      breaker_{options_.failures, options_.left_alone} {}

Task<http::Response> RemoteSource::ask(std::string body, Deadline deadline) {
  http::ClientRequest request{.method = "POST",
                              .url = endpoint_,
                              .headers = {{"content-type", "application/json"}},
                              .body = std::move(body),
                              .deadline = deadline,
                              .max_response_bytes = kLongestAnswer};
  budget_.asked();
  auto answer = co_await client_.send(request);
  if (is_worth_a_retry(answer) && budget_.may_retry()) {
    answer = co_await client_.send(std::move(request));
  }
  co_return std::move(answer);
}

Task<Judgement> RemoteSource::judge(Question question) {
  if (!breaker_.may_try(Clock::now())) {
    co_return no_answer("it failed several times in a row and is left alone for a moment");
  }
  rego::Arena arena;
  auto const input = make_input(question, Secrets::Redacted, arena);
  Deadline const deadline{std::min(question.deadline().at, Deadline::in(options_.timeout).at)};
  auto answer = co_await ask(fmt::format("{{\"input\":{}}}", rego::to_json(input)), deadline);
  if (!answer && answer.error().code == Errc::Cancelled) co_return answer.error();
  if (!answer) {
    breaker_.failed(Clock::now());
    co_return no_answer(answer.error().message);
  }
  if (answer->status >= 500) {
    breaker_.failed(Clock::now());
  } else {
    breaker_.succeeded();
  }
  co_return read_answer(*answer);
}

Judgement read_answer(http::Response const& response) {
  if (response.status != 200) {
    return no_answer(
        fmt::format("it answered with status {}{}", response.status, code_in(response.body)));
  }
  rego::Arena arena;
  auto const value = rego::parse_json(response.body, arena);
  if (!value || !value->is(rego::Kind::Object)) return no_answer("its answer is not a JSON object");
  auto const result = rego::get(*value, "result");
  // Nothing there has a value: as for a rule that is undefined.
  if (!result.is_defined())
    return {.allowed = false, .reasons = {"the policy has no answer to it"}};
  if (result.is(rego::Kind::Object)) return read_document(result);
  if (result.is(rego::Kind::Boolean)) return {.allowed = result.as_boolean()};
  return no_answer("`result` in its answer is neither a document nor true or false");
}

}  // namespace sallyport::policy
