#include "src/pipeline/tool_gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sallyport::pipeline {
namespace {

Passage passage_of(policy::ToolQuery const& query) {
  return {.request = &query.request,
          .operation = std::string{policy::kToolCall},
          .purpose = std::string{query.purpose},
          .tool = std::string{query.tool},
          .server = std::string{query.server}};
}

UnsentCall call_of(policy::ToolQuery const& query, policy::Decision decision) {
  return {.method = std::string{policy::kToolCall},
          .url = fmt::format("mcp:{}/{}", query.server, query.tool),
          .reason = fmt::to_string(fmt::join(decision.reasons, "; ")),
          .revision = std::move(decision.revision)};
}

}  // namespace

Task<policy::Decision> ToolGate::decide(policy::ToolQuery const& query) const {
  if (!has_policy()) {
    co_return policy::Decision{.allowed = true, .reasons = {"there is no policy for tools"}};
  }
  auto decision = co_await capture(policy_.decide(query));
  // Who gave up was not denied anything; every other failure is a "no", to be recorded as one.
  if (decision || decision.error().code == Errc::Cancelled) co_return std::move(decision);
  co_return policy::Decision{.allowed = false, .reasons = {decision.error().message}};
}

Task<policy::Decision> ToolGate::judge(policy::ToolQuery const& query) const {
  SP_CO_TRY(auto decision, co_await decide(query));
  if (decision.allowed) co_return decision;
  auto call = call_of(query, std::move(decision));
  auto denial = fail(Errc::PolicyDenied, fmt::format("{}the tool {} of {}: {}.", policy::kDenial,
                                                     query.tool, query.server, call.reason));
  call.refusal = denial;
  SP_CO_CHECK(co_await road_.record_unsent(passage_of(query), std::move(call)));
  co_return denial;
}

Result<audit::Receipt> ToolGate::record(policy::ToolQuery const& query, policy::Decision decision,
                                        Executor loop) const {
  return road_.begin_record(passage_of(query), call_of(query, std::move(decision)), loop);
}

}  // namespace sallyport::pipeline
