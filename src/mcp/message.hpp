// One JSON-RPC message: told apart, and checked as far as JSON-RPC goes. Says nothing about MCP.
#pragma once

#include "src/json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sallyport::mcp {

struct RequestMessage {
  json::Value id;  // a string or an integer
  std::string method;
  json::Object params;
};

struct NotificationMessage {
  std::string method;
  json::Object params;
};

// The peer's answer to a request of ours.
struct ResponseMessage {
  json::Value id;
  json::Object result;
  std::optional<json::Object> error;
};

// Not a message. `id` is the one to answer with, null when there is none to be read.
struct Malformed {
  json::Value id;
  std::string message;
};

using Message = std::variant<RequestMessage, NotificationMessage, ResponseMessage, Malformed>;

// Takes the value apart; parameters are moved, not copied.
Message read_message(json::Value body);

// `params._meta[key]`, where it is there.
json::Value const* meta_value(json::Object const& params, std::string_view key);

}  // namespace sallyport::mcp
