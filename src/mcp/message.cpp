#include "src/mcp/message.hpp"

#include <utility>

namespace sallyport::mcp {
namespace {

bool is_request_id(json::Value const& id) {
  return id.is_string() || id.is_int64() || id.is_uint64();
}

json::Value readable_id(json::Object const& body) {
  auto const* id = body.if_contains("id");
  // Not with braces: those would make an array.
  return id != nullptr && is_request_id(*id) ? *id : json::Value(nullptr);
}

Malformed malformed(json::Object const& body, std::string message) {
  return {readable_id(body), std::move(message)};
}

Message read_response(json::Object& body, json::Value id) {
  if (!is_request_id(id)) return malformed(body, "The response has no usable 'id'.");
  ResponseMessage response{.id = std::move(id)};
  if (auto* error = body.if_contains("error")) {
    if (!error->is_object()) return malformed(body, "'error' is not an object.");
    response.error = std::move(error->get_object());
    return response;
  }
  auto* result = body.if_contains("result");
  if (!result->is_object()) return malformed(body, "'result' is not an object.");
  response.result = std::move(result->get_object());
  return response;
}

}  // namespace

Message read_message(json::Value body) {
  if (!body.is_object()) return Malformed{nullptr, "The message is not a JSON object."};
  auto& object = body.get_object();
  auto const* version = json::find_string(object, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return malformed(object, "'jsonrpc' is not \"2.0\".");
  }
  auto* id = object.if_contains("id");
  auto* method = object.if_contains("method");
  if (method == nullptr) {
    bool const answers = object.contains("result") != object.contains("error");
    if (id != nullptr && answers) return read_response(object, std::move(*id));
    return malformed(object, "The message is neither a request nor a response.");
  }
  if (!method->is_string()) return malformed(object, "'method' is not a string.");
  if (id != nullptr && !is_request_id(*id)) {
    return malformed(object, "'id' is not a string or an integer.");
  }
  json::Object params{object.storage()};
  if (auto* given = object.if_contains("params")) {
    if (!given->is_object()) return malformed(object, "'params' is not an object.");
    params = std::move(given->get_object());
  }
  std::string name{json::view(method->get_string())};
  if (id == nullptr) return NotificationMessage{std::move(name), std::move(params)};
  return RequestMessage{std::move(*id), std::move(name), std::move(params)};
}

json::Value const* meta_value(json::Object const& params, std::string_view key) {
  auto const* meta = json::find_object(params, "_meta");
  return meta == nullptr ? nullptr : meta->if_contains(key);
}

}  // namespace sallyport::mcp
