// The `_meta` of a 2026-07-28 request: what the client says about itself, on each request anew.
#pragma once

#include "src/base/request_context.hpp"
#include "src/json/value.hpp"
#include "src/mcp/log_level.hpp"
#include "src/mcp/rpc.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sallyport::mcp {

namespace meta {
inline constexpr std::string_view kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kRelatedTask = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view kProgressToken = "progressToken";
// Ours: a host that relays calls says for whom ("app" or "model").
inline constexpr std::string_view kCaller = "sallyport/caller";
}  // namespace meta

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

struct Envelope {
  std::string version;
  json::Object capabilities;
  json::Object client_info;
  std::optional<LogLevel> log_level;
};

// Whether the request claims to be modern, rightly or not.
bool has_version_claim(json::Object const& params);

// Fails with -32602 and HTTP 400, naming every key that is missing or of the wrong type.
std::variant<Envelope, RpcError> read_envelope(json::Object const& params);

TraceContext read_trace(json::Object const& params);

// The caller's kind as the request states it; Unknown when it does not.
CallerKind read_caller_kind(json::Object const& params);

}  // namespace sallyport::mcp
