// Who asks, under which id, and until when. Made once per incoming request, then only read.
#pragma once

#include "src/base/task.hpp"

#include <string>
#include <vector>

namespace sallyport {

// Who stands behind a tool call, where that is known. An app is a page in a host's sandbox that
// calls tools itself; a model calls what a client lists for it (MCP Apps, `_meta.ui.visibility`).
enum class CallerKind { Unknown, Model, App };

// The authenticated identity of a peer. Empty id: nobody was asked to prove anything (loopback).
struct Principal {
  std::string id;  // e.g. the subject of a token; never a credential
  std::string issuer;
  std::vector<std::string> scopes;
  CallerKind kind{CallerKind::Unknown};

  // SECURITY: who it is among the principals of all issuers. What belongs to a principal (limits,
  // cookies, sessions, tasks) is kept under this, never under `id`.
  std::string key() const { return issuer.empty() ? id : issuer + "\n" + id; }
};

// W3C trace context (https://www.w3.org/TR/trace-context/): passed on unchanged.
struct TraceContext {
  std::string traceparent;
  std::string tracestate;
  std::string baggage;
};

struct RequestContext {
  std::string request_id;
  Principal principal;
  std::string client;     // what the MCP client calls itself: "name/version"; not to be trusted
  std::string session;    // of the legacy protocol; empty without one
  std::string execution;  // the id of the script's run, where a script asks
  TraceContext trace;
  Deadline deadline;
  // The call has a record of its own in the audit log, and its outcome waits for that one: what is
  // sent on its behalf is written down without being waited for.
  bool is_recorded{false};
};

}  // namespace sallyport
