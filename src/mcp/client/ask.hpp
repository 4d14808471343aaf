// What is asked of a server, and how it is written for the revision that it speaks.
#pragma once

#include "src/mcp/client/wire.hpp"
#include "src/mcp/header_mirror.hpp"
#include "src/mcp/log_level.hpp"
#include "src/mcp/revision.hpp"
#include "src/mcp/rpc.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::mcp::client {

// How long a server may be silent. Progress starts `silence` anew; nothing extends `longest`. Time
// in which we have to answer a question of the server does not count.
struct Patience {
  std::chrono::milliseconds silence{30'000};
  std::chrono::milliseconds longest{600'000};
};

struct Ask {
  std::string method;
  json::Object params{};  // its `_meta` is kept, but for what belongs to the protocol
  // What whoever is behind the call can do (2026-07-28; older servers hear it once, at the start).
  json::Object capabilities{};
  std::optional<LogLevel> log_level{};
  bool wants_progress{true};
  // Of the tool that is called: which arguments go into headers. Outlives the request.
  std::vector<MirroredParameter> const* mirrored{nullptr};
  Patience patience{};
  // On whose behalf; null: our own. Outlives the request.
  RequestContext const* about{nullptr};
};

// What client and server agreed on.
struct Agreement {
  Revision revision{kModern};
  json::Object capabilities;
  json::Object server_info;
  std::string instructions;
  std::string session;  // of an older server; empty: none
  // The server does not say what it can do: the capabilities are a guess.
  bool assumed{false};
};

// The headers that every message to it has.
MessageHeaders session_headers(Agreement const& agreement);

// `client_info` as the protocol shows an implementation.
Post write_ask(Ask const& ask, std::int64_t id, Agreement const& agreement,
               json::Object const& client_info);
Post write_notification(std::string_view method, json::Object params, Agreement const& agreement);
// Our answer to a request of an older server.
Post write_reply(json::Value const& id, json::Object const& result, Agreement const& agreement);
Post write_refusal(json::Value const& id, RpcError const& error, Agreement const& agreement);

}  // namespace sallyport::mcp::client
