#include "src/pipeline/tool_gate.hpp"

#include "src/audit/mask.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sallyport::pipeline {
namespace {

Passage passage_of(policy::McpQuery const& query) {
  return {.request = &query.request,
          .operation = std::string{policy::words_of(query.operation).method},
          .purpose = std::string{query.purpose},
          .tool = std::string{policy::tool_of(query)},
          .server = std::string{query.server}};
}

// SECURITY: a URI may hold secrets, and the log has what the caller is told.
std::string shown_name(policy::McpQuery const& query) {
  bool const is_uri = query.operation == policy::McpOperation::ReadResource;
  return is_uri ? audit::masked_uri(query.name) : std::string{query.name};
}

UnsentCall call_of(policy::McpQuery const& query, policy::Decision decision) {
  return {.method = std::string{policy::words_of(query.operation).method},
          .url = fmt::format("mcp://{}/{}", query.server, query.name),
          .reason = fmt::to_string(fmt::join(decision.reasons, "; ")),
          .revision = std::move(decision.revision)};
}

}  // namespace

Task<policy::Decision> ToolGate::decide(policy::McpQuery const& query) const {
  if (!has_policy()) {
    co_return policy::Decision{.allowed = true,
                               .reasons = {"there is no policy in policies.mcp_tools"}};
  }
  auto decision = co_await capture(policy_.decide(query));
  // Who gave up was not denied anything; every other failure is a "no", to be recorded as one.
  if (decision || decision.error().code == Errc::Cancelled) co_return std::move(decision);
  co_return policy::Decision{.allowed = false, .reasons = {decision.error().message}};
}

Task<policy::Decision> ToolGate::judge(policy::McpQuery const& query) const {
  SP_CO_TRY(auto decision, co_await decide(query));
  if (!decision.allowed) co_return co_await deny(query, std::move(decision));
  co_return decision;
}

Task<policy::Decision> ToolGate::deny(policy::McpQuery const& query,
                                      policy::Decision decision) const {
  auto call = call_of(query, std::move(decision));
  auto denial = fail(Errc::PolicyDenied, fmt::format("{}the {} {} of {}: {}.", policy::kDenial,
                                                     policy::words_of(query.operation).noun,
                                                     shown_name(query), query.server, call.reason));
  call.refusal = denial;
  SP_CO_CHECK(co_await road_.record_unsent(passage_of(query), std::move(call)));
  co_return denial;
}

Result<audit::Receipt> ToolGate::record(policy::McpQuery const& query, policy::Decision decision,
                                        Executor loop) const {
  return road_.begin_record(passage_of(query), call_of(query, std::move(decision)), loop);
}

}  // namespace sallyport::pipeline
