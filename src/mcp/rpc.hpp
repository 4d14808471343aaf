// JSON-RPC 2.0 as MCP uses it: codes, errors, and the text of a response.
#pragma once

#include "src/json/value.hpp"
#include "src/mcp/revision.hpp"

#include <string>
#include <string_view>

namespace sallyport::mcp {

namespace code {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // up to 2025-11-25
inline constexpr int kHeaderMismatch = -32020;    // from 2026-07-28 on, like the next two
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace code

struct RpcError {
  int code{code::kInternalError};
  std::string message{};
  json::Value data{};  // null: no `data` member

  // The HTTP status that goes with the error where it is the whole answer. It depends on where the
  // error arose, not only on its code: a bad `_meta` is a bad request, a bad argument is not.
  int http_status{200};
};

inline RpcError invalid_params(std::string message, json::Value data = nullptr) {
  return {code::kInvalidParams, std::move(message), std::move(data)};
}

// A response as it goes out, on one line. An empty body: there is nothing to say (a notification
// was taken, or the request was cancelled).
struct Answer {
  std::string body;
  int http_status{200};
};

// `id` null: the request's id could not be read. 2026-07-28 leaves it out, older revisions send
// null.
Answer error_answer(json::Value const& id, RpcError const& error, Revision revision);

// Appends what stands before the result object; `}` ends the answer after it.
void open_answer(json::Value const& id, std::string& out);
// `result` is the text of the result object.
Answer result_answer(json::Value const& id, std::string_view result);

// A notification or request from us.
std::string notification(std::string_view method, json::Object params);
// `params` is the text of an object.
std::string notification_text(std::string_view method, std::string_view params);
std::string request(std::string_view id, std::string_view method, json::Object params);

// How an id stands in a table: 1 and "1" are different ids.
std::string id_key(json::Value const& id);

}  // namespace sallyport::mcp
