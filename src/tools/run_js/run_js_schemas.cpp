#include "src/base/assert.hpp"
#include "src/json/parse.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

// What both have to say about the end of a run.
constexpr std::string_view kOutcomeProperties = R"json({
  "end": {"type": "string", "enum": ["completed", "threw", "timed_out", "cpu_exhausted", "out_of_memory",
                                     "output_exceeded", "crashed"],
          "description": "How the script ended, once it has"},
  "value": {"description": "Of the last expression, where it is not undefined"},
  "value_bytes": {"type": "integer", "minimum": 0, "description": "Size of a value that was too large to give back"},
  "error": {"type": "object", "description": "Of a script that did not complete",
            "properties": {"name": {"type": "string"}, "message": {"type": "string"},
                           "stack": {"type": "string", "description": "Of the script's own code"}},
            "required": ["name", "message", "stack"]},
  "timings": {"type": "object",
              "properties": {"queued_ms": {"type": "number", "minimum": 0},
                             "wall_ms": {"type": "number", "minimum": 0},
                             "cpu_ms": {"type": "number", "minimum": 0}},
              "required": ["queued_ms", "wall_ms", "cpu_ms"]},
  "heap_bytes": {"type": "integer", "minimum": 0},
  "calls": {"type": "integer", "minimum": 0, "description": "Of fetch(), sockets and tools"},
  "session": {"type": "string"}
})json";

constexpr std::string_view kAnswerProperties = R"json({
  "execution_id": {"type": "string", "description": "Where the run, or the rest of its output, can be asked for"},
  "output": {"type": "string", "description": "Console output, or its beginning"},
  "output_truncated": {"type": "boolean", "description": "There is more output than in output"}
})json";

constexpr std::string_view kSummaryProperties = R"json({
  "execution_id": {"type": "string"},
  "created_at": {"type": "string"},
  "started_at": {"type": "string"},
  "completed_at": {"type": "string"},
  "total_lines": {"type": "integer", "minimum": 0, "description": "Of console output so far"},
  "total_bytes": {"type": "integer", "minimum": 0}
})json";

json::Object own_json(std::string_view text) {
  auto value = json::parse(text);
  SP_ASSERT(value.has_value() && value->is_object(), "our own schema is JSON");
  return std::move(value->get_object());
}

json::Object object_with(json::Object properties, json::Array required) {
  properties["status"] = status_schema();
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

json::Object joined(std::string_view some, std::string_view others) {
  auto all = own_json(some);
  for (auto& [name, schema] : own_json(others)) all[name] = std::move(schema);
  return all;
}

}  // namespace

json::Object status_schema() {
  json::Array names{"queued", "running", "completed", "failed", "cancelled", "timed_out"};
  return {{"type", "string"}, {"enum", std::move(names)}};
}

json::Object run_js_output_schema() {
  return object_with(joined(kOutcomeProperties, kAnswerProperties),
                     {"status", "output", "output_truncated"});
}

json::Object execution_object_schema() {
  return object_with(joined(kOutcomeProperties, kSummaryProperties),
                     {"execution_id", "status", "created_at", "total_lines", "total_bytes"});
}

json::Object execution_summary_schema() {
  auto properties = own_json(kSummaryProperties);
  properties["session"] = json::Object{{"type", "string"}};
  return object_with(std::move(properties),
                     {"execution_id", "status", "created_at", "total_lines", "total_bytes"});
}

}  // namespace sallyport::tools
