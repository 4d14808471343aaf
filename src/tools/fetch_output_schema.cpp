#include "src/base/assert.hpp"
#include "src/json/parse.hpp"
#include "src/tools/fetch_result.hpp"

#include <string_view>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::string_view kOutput = R"json({
  "type": "object",
  "properties": {
    "callId": {"type": "string", "description": "As in the audit log"},
    "status": {"type": "integer", "description": "HTTP status of the last answer"},
    "url": {"type": "string", "description": "Where it was found, after redirects"},
    "redirected": {"type": "boolean"},
    "headers": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Of the answer: names in lower case, repeated values joined with a comma; without cookies"},
    "contentType": {"type": "string", "description": "What it is, by its bytes"},
    "format": {"type": "string", "enum": ["markdown", "text", "html", "raw", "image", "audio", "file"],
               "description": "Of the text in content, or the kind of file there"},
    "title": {"type": "string", "description": "Of an HTML page"},
    "charset": {"type": "string", "description": "Encoding that the text came in"},
    "totalLength": {"type": "integer", "minimum": 0, "description": "Bytes of the whole text, or of the file"},
    "startIndex": {"type": "integer", "minimum": 0, "description": "Where in the text the part in content begins, in bytes"},
    "length": {"type": "integer", "minimum": 0, "description": "Bytes of the part in content"},
    "truncated": {"type": "boolean", "description": "There is more behind the part in content"},
    "nextIndex": {"type": "integer", "minimum": 0, "description": "start_index of the next part, where there is one"},
    "wholePage": {"type": "boolean", "description": "Of an HTML page: nothing was left out as beside its main content"}
  },
  "required": ["callId", "status", "url", "redirected", "headers", "contentType", "format",
               "totalLength", "startIndex", "length", "truncated"],
  "additionalProperties": false
})json";

}  // namespace

json::Object fetch_output_schema() {
  auto value = json::parse(kOutput);
  SP_ASSERT(value.has_value() && value->is_object(), "our own schema is JSON");
  return std::move(value->get_object());
}

}  // namespace sallyport::tools
