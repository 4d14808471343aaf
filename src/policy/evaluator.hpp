// Ports: may this be sent, may this be asked of a server? Of what is sent the allowlist
// (allowlist.hpp) is one answer, a chain of Rego policies (chain.hpp) another; of tools, resources
// and prompts only the chain has one.
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/task.hpp"
#include "src/http/message.hpp"
#include "src/json/value.hpp"
#include "src/policy/mcp_operation.hpp"
#include "src/url/url.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::policy {

// Query::operation: what a call can be for, and all that a rule can name.
inline constexpr std::array<std::string_view, 7> kOperations{
    "fetch", "http_request", "websocket", "mcp", "oauth", "jwks", "policy"};

// Query::purpose of a request for a site's robots.txt, made for another request to that site.
inline constexpr std::string_view kRobotsPurpose = "robots";
// Query::operation and purpose of what is asked in order to judge another call.
inline constexpr std::string_view kPolicyPurpose = "policy";

// How the error of a call begins that the policy denied; the audit log tells it apart by this from
// what others refused.
inline constexpr std::string_view kDenial = "Policy does not allow ";

// One hop of one call, as it would be sent. Only valid during decide().
struct Query {
  std::string_view operation;  // "fetch", "http_request", "websocket", …
  std::string_view purpose;    // why: "fetch", "robots", "jwks", "backend shop", …
  url::Url const& url;
  std::string_view method;
  http::Headers const& headers;  // with injected credentials: for local evaluation only
  RequestContext const& request;
  std::string_view tool;
  std::string_view server;
  std::size_t hop{0};  // 0, then one more with each redirect
  bool injection_failed{false};
  std::span<std::string const> injected{};  // names of headers that rules added
  // The program itself asks, for a URL that the operator's settings name (an issuer's keys).
  bool named_by_settings{false};
  // A policy asks (http.send), in order to judge another call.
  bool for_policy{false};
  Deadline deadline{};  // of the call: its own timeout counts
};

// What is asked of a server on somebody's behalf. Only valid during decide().
struct McpQuery {
  McpOperation operation{McpOperation::CallTool};
  std::string_view purpose;  // why: "run_js", "gateway"
  std::string_view server;   // whose tool, resource or prompt it is
  std::string_view name;     // of the tool or prompt; of a resource its URI, as the server has it
  json::Object const* arguments{nullptr};  // null: a resource has none
  RequestContext const& request;
  Deadline deadline{};
};

// What stands in the place of a tool, in records and for what policies send.
constexpr std::string_view tool_of(McpQuery const& query) {
  bool const called = query.operation == McpOperation::CallTool;
  return called ? query.name : words_of(query.operation).method;
}

struct Decision {
  bool allowed{false};
  // What allowed or denied it, for the caller and the audit log: "rule 3 of `egress.allow`".
  std::vector<std::string> reasons;
  // Which policies judged, where they have revisions: for the audit log.
  std::string revision;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // A failure counts as a denial.
  virtual Task<Decision> decide(Query const& query) = 0;
};

// Port: may this tool be called, this resource read, this prompt had?
class ToolEvaluator {
 public:
  virtual ~ToolEvaluator() = default;

  // Whether there are rules for it. Without any, nothing is allowed.
  virtual bool judges_tools() const noexcept = 0;
  // A failure counts as a denial.
  virtual Task<Decision> decide(McpQuery const& query) = 0;
};

}  // namespace sallyport::policy
