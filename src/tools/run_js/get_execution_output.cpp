#include "src/mcp/content.hpp"
#include "src/tools/run_js/execution_lookup.hpp"
#include "src/tools/run_js/run_js.hpp"
#include "src/tools/run_js/run_js_arguments.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::size_t kUsualLines = 1000;

json::Object whole_number(std::string_view description, std::size_t least,
                          std::optional<std::size_t> most, std::size_t usual) {
  json::Object schema{{"type", "integer"}, {"description", description}, {"minimum", least}};
  if (most) schema["maximum"] = *most;
  schema["default"] = usual;
  return schema;
}

json::Object output_page_input(std::size_t most_bytes) {
  auto byte_offset = whole_number(
      "Give bytes instead of lines, from this one on; with 0 from the beginning.", 0, {}, 0);
  byte_offset.erase("default");
  json::Object properties{
      {"execution_id", execution_id_property()},
      {"line_offset", whole_number("How many lines to skip.", 0, {}, 0)},
      {"line_limit", whole_number("How many lines to give at most.", 1, {}, kUsualLines)},
      {"byte_offset", std::move(byte_offset)},
      {"byte_limit", whole_number("How many bytes to give at most.", 1, most_bytes, most_bytes)}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::Array{"execution_id"}},
          {"additionalProperties", false}};
}

json::Object output_page_schema() {
  json::Object const count{{"type", "integer"}, {"minimum", 0}};
  json::Object properties{{"execution_id", json::Object{{"type", "string"}}},
                          {"status", status_schema()},
                          {"data", json::Object{{"type", "string"}}},
                          {"has_more", json::Object{{"type", "boolean"}}},
                          {"output_limit_reached", json::Object{{"type", "boolean"}}}};
  json::Array required{"execution_id", "status", "data", "has_more", "output_limit_reached"};
  for (auto const* name : {"start_line", "end_line", "next_line_offset", "total_lines",
                           "start_byte", "end_byte", "next_byte_offset", "total_bytes"}) {
    properties[name] = count;
    required.emplace_back(name);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

OutputPage page_of(Execution const& execution, json::Object const& arguments,
                   std::size_t most_bytes) {
  auto const limit =
      std::clamp<std::size_t>(count_of(arguments, "byte_limit", most_bytes), 1, most_bytes);
  if (arguments.contains("byte_offset")) {
    return execution.output_bytes(count_of(arguments, "byte_offset", 0), limit);
  }
  auto const lines = std::max<std::size_t>(1, count_of(arguments, "line_limit", kUsualLines));
  return execution.output_lines(count_of(arguments, "line_offset", 0), lines, limit);
}

std::string page_note(OutputPage const& page, ExecutionFacts const& facts) {
  bool const runs = !has_ended(facts.status);
  if (page.cuts_line || page.has_more()) {
    return fmt::format("[{} of {} bytes. Go on with {} {}.]", page.end_byte, page.total_bytes,
                       page.cuts_line ? "byte_offset" : "line_offset",
                       page.cuts_line ? page.end_byte : page.end_line);
  }
  if (runs) {
    return fmt::format("[The script is {}. Go on with line_offset {} later.]",
                       to_string(facts.status), page.end_line);
  }
  if (page.data.empty()) return "[There is no more output.]";
  return {};
}

mcp::ToolResult page_result_of(OutputPage page, ExecutionFacts const& facts) {
  auto const note = page_note(page, facts);
  mcp::ToolResult result;
  if (!page.data.empty()) result.content.push_back(mcp::content::text(page.data));
  if (!note.empty()) result.content.push_back(mcp::content::text(note));
  result.structured = json::Object{{"execution_id", facts.id},
                                   {"status", to_string(facts.status)},
                                   {"data", page.data},
                                   {"start_line", page.start_line},
                                   {"end_line", page.end_line},
                                   {"next_line_offset", page.end_line},
                                   {"total_lines", page.total_lines},
                                   {"start_byte", page.start_byte},
                                   {"end_byte", page.end_byte},
                                   {"next_byte_offset", page.end_byte},
                                   {"total_bytes", page.total_bytes},
                                   {"has_more", page.has_more()},
                                   {"output_limit_reached", facts.output_cut}};
  return result;
}

Task<mcp::ToolResult> tell_output(mcp::CallContext& context, json::Object const& arguments,
                                  ExecutionStore& executions, std::size_t most_bytes) {
  SP_CO_TRY(auto const execution, own_execution(context, arguments, executions));
  // Before the page: a script that has ended writes no more, so the end of the page is the end.
  auto const facts = execution->facts(Detail::Brief);
  co_return page_result_of(page_of(*execution, arguments, most_bytes), facts);
}

}  // namespace

mcp::Tool get_execution_output(RunJsOptions const& options, ExecutionStore& executions) {
  auto const most_bytes = options.answer_bytes;
  mcp::Tool tool;
  tool.name = "get_execution_output";
  tool.title = "Get execution output";
  tool.description =
      "Gives the console output of a script that run_js left running, or whose output was too long "
      "for one answer: by lines, or with byte_offset by bytes.";
  tool.input_schema = output_page_input(most_bytes);
  tool.output_schema = output_page_schema();
  tool.annotations = {{"readOnlyHint", true}, {"openWorldHint", false}};
  tool.handler = [&executions, most_bytes](mcp::CallContext& context,
                                           json::Object const& arguments) {
    return tell_output(context, arguments, executions, most_bytes);
  };
  return tool;
}

}  // namespace sallyport::tools
