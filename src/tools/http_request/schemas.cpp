#include "src/tools/http_request/schemas.hpp"

#include "src/base/assert.hpp"
#include "src/json/parse.hpp"

#include <string_view>

namespace sallyport::tools {
namespace {

constexpr std::string_view kInputSchema = R"json({
  "type": "object",
  "properties": {
    "method": {"type": "string", "default": "GET", "description": "Any but CONNECT, TRACE and TRACK"},
    "url": {"type": "string",
            "description": "Path and query, such as /api/cart?x=1, relative to the backend; an absolute URL where the operator allows it"},
    "backend": {"type": "string", "description": "Which backend; the first one when left out"},
    "headers": {
      "description": "A record, or [name, value] pairs where a name repeats",
      "anyOf": [
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array",
         "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}}]},
    "body": {"description": "As bodyType says; ignored for GET and HEAD"},
    "bodyType": {
      "type": "string",
      "enum": ["none", "json", "text", "formData", "urlEncoded", "base64"],
      "description": "When left out: a string is text, an object or array json, null none. formData is an array of {name, value, filename?, contentType?, encoding?: \"base64\"}"},
    "redirect": {"type": "string", "enum": ["follow", "error", "manual"]},
    "cache": {"type": "string",
              "enum": ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"]},
    "credentials": {"type": "string", "enum": ["omit", "same-origin", "include"],
                    "description": "Whether cookies and the backend's credentials go along"},
    "timeoutMs": {"type": "number", "description": "Time for the whole request"},
    "responseType": {
      "type": "string", "enum": ["auto", "json", "text", "base64"],
      "description": "Form of the body in the result; auto keeps every byte: text where it is UTF-8 text, else base64"},
    "view": {"type": "string", "pattern": "^[A-Za-z0-9_-]{16,64}$",
             "description": "The page that asks: a long body may then come as a stream"}
  },
  "required": ["url"]
})json";

constexpr std::string_view kOutputSchema = R"json({
  "type": "object",
  "properties": {
    "status": {"type": "number"},
    "statusText": {"type": "string"},
    "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Names in lower case, repeated values joined with a comma"},
    "headerPairs": {"type": "array",
                    "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
                    "description": "The same as [name, value] pairs, in order"},
    "body": {},
    "bodyType": {"type": "string", "enum": ["json", "text", "base64", "formData", "urlEncoded", "none", "stream"]},
    "stream": {"type": "object", "description": "Where the rest comes from: pull it (docs/streams.md)"},
    "streamId": {"type": "string"},
    "url": {"type": "string", "description": "The last URL asked, as the app would write it"},
    "redirected": {"type": "boolean"},
    "ok": {"type": "boolean"},
    "type": {"type": "string", "enum": ["basic", "opaqueredirect"]},
    "droppedHeaders": {"type": "array", "items": {"type": "string"},
                       "description": "Request headers that an app may not set and that were left out"}
  },
  "required": ["status", "headers", "body", "bodyType"]
})json";

json::Object parsed(std::string_view text) {
  auto value = json::parse(text);
  SP_ASSERT(value.has_value() && value->is_object(), "our own schemas are JSON");
  return std::move(value->get_object());
}

}  // namespace

json::Object http_request_input_schema() {
  return parsed(kInputSchema);
}

json::Object http_request_output_schema() {
  return parsed(kOutputSchema);
}

}  // namespace sallyport::tools
