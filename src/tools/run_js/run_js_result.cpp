#include "src/tools/run_js/run_js_result.hpp"

#include "src/base/iso_time.hpp"
#include "src/json/write.hpp"
#include "src/mcp/content.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::tools {
namespace {

double milliseconds_of(std::chrono::microseconds time) noexcept {
  return static_cast<double>(time.count()) / 1000;
}

json::Object timings_object(js::RunOutcome const& outcome) {
  return {{"queued_ms", milliseconds_of(outcome.queued)},
          {"wall_ms", milliseconds_of(outcome.wall)},
          {"cpu_ms", milliseconds_of(outcome.cpu)}};
}

json::Object error_object(ExecutionFacts const& facts) {
  if (facts.outcome && facts.outcome->error) {
    auto const& error = *facts.outcome->error;
    return {{"name", error.name}, {"message", error.message}, {"stack", error.stack}};
  }
  if (facts.failure && facts.status == ExecutionStatus::Cancelled) {
    return {{"name", "Cancelled"}, {"message", "The script was cancelled."}, {"stack", ""}};
  }
  // SECURITY: the detail is for the log only.
  return {{"name", "NotRun"},
          {"message", facts.failure ? facts.failure->message : std::string{"The script failed."}},
          {"stack", ""}};
}

// Everything about the run but its output.
void add_outcome(json::Object& object, ExecutionFacts const& facts) {
  if (has_ended(facts.status) && facts.status != ExecutionStatus::Completed) {
    object["error"] = error_object(facts);
  }
  if (!facts.outcome) return;
  auto const& outcome = *facts.outcome;
  object["end"] = to_string(outcome.end);
  if (outcome.value) object["value"] = *outcome.value;
  if (facts.value_bytes > 0) object["value_bytes"] = facts.value_bytes;
  object["timings"] = timings_object(outcome);
  object["heap_bytes"] = outcome.heap_bytes;
  object["calls"] = outcome.calls;
}

std::string value_text(json::Value const& value) {
  auto const* const text = value.if_string();
  return text == nullptr ? json::to_text(value) : std::string{json::view(*text)};
}

std::string error_text(ExecutionFacts const& facts) {
  auto const error = error_object(facts);
  auto const name = json::view(error.at("name").get_string());
  auto const message = json::view(error.at("message").get_string());
  auto const stack = json::view(error.at("stack").get_string());
  auto const first = fmt::format("{}: {}", name, message);
  if (stack.empty()) return first;
  // Engines put name and message before the stack; once is enough.
  return stack.starts_with(first) ? std::string{stack} : fmt::format("{}\n{}", first, stack);
}

std::string cut_note(Execution const& execution, OutputPage const& page, bool can_page) {
  if (!page.has_more()) return {};
  auto const shown = fmt::format("The output has {} bytes in {} lines; this is the beginning.",
                                 page.total_bytes, page.total_lines);
  if (!can_page) return fmt::format("[{}]", shown);
  return fmt::format(
      "[{} get_execution_output with execution_id {} and byte_offset {} has the rest.]", shown,
      execution.id(), page.end_byte);
}

void add_block(mcp::ToolResult& result, std::string_view text) {
  if (!text.empty()) result.content.push_back(mcp::content::text(text));
}

json::Object answer_object(ExecutionFacts const& facts, OutputPage const& page) {
  json::Object object{{"status", to_string(facts.status)},
                      {"output", page.data},
                      {"output_truncated", page.has_more()}};
  if (!facts.session.empty()) object["session"] = facts.session;
  add_outcome(object, facts);
  return object;
}

}  // namespace

std::string outcome_text(ExecutionFacts const& facts) {
  if (!has_ended(facts.status)) return {};
  if (facts.status != ExecutionStatus::Completed) return error_text(facts);
  if (facts.value_bytes > 0) {
    return fmt::format(
        "[The value has {} bytes of JSON, more than an answer may have. Write it with "
        "console.log(), and read it with get_execution_output.]",
        facts.value_bytes);
  }
  if (!facts.outcome || !facts.outcome->value) return {};
  return value_text(*facts.outcome->value);
}

mcp::ToolResult finished_result(Execution const& execution, std::size_t answer_bytes,
                                bool can_page) {
  auto const facts = execution.facts();
  auto const page = execution.output_bytes(0, answer_bytes);
  auto outcome = outcome_text(facts);
  bool const completed = facts.status == ExecutionStatus::Completed;
  if (completed && !outcome.empty() && !page.data.empty()) outcome.insert(0, "Value: ");

  mcp::ToolResult result;
  result.is_error = !completed;
  add_block(result, page.data);
  add_block(result, cut_note(execution, page, can_page));
  add_block(result, outcome);
  if (result.content.empty()) add_block(result, "[The script wrote nothing and has no value.]");
  auto object = answer_object(facts, page);
  if (can_page) object["execution_id"] = facts.id;
  result.structured = std::move(object);
  return result;
}

mcp::ToolResult background_result(Execution const& execution, std::size_t answer_bytes) {
  auto const facts = execution.facts();
  auto const page = execution.output_bytes(0, answer_bytes);
  mcp::ToolResult result;
  add_block(result,
            fmt::format("The script goes on in the background as execution_id {}. get_execution "
                        "tells how it went, get_execution_output what it wrote, cancel_execution "
                        "ends it.",
                        facts.id));
  if (!page.data.empty()) add_block(result, fmt::format("So far:\n{}", page.data));
  auto object = answer_object(facts, page);
  object["execution_id"] = facts.id;
  result.structured = std::move(object);
  return result;
}

json::Object execution_summary(ExecutionFacts const& facts) {
  json::Object object{{"execution_id", facts.id},
                      {"status", to_string(facts.status)},
                      {"created_at", iso_time(facts.created)},
                      {"total_lines", facts.output_lines},
                      {"total_bytes", facts.output_bytes}};
  if (!facts.session.empty()) object["session"] = facts.session;
  if (facts.started) object["started_at"] = iso_time(*facts.started);
  if (facts.ended) object["completed_at"] = iso_time(*facts.ended);
  return object;
}

json::Object execution_object(ExecutionFacts const& facts) {
  auto object = execution_summary(facts);
  add_outcome(object, facts);
  return object;
}

}  // namespace sallyport::tools
