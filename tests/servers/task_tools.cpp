#include "tests/servers/fixtures.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <utility>

namespace sallyport::fixtures {
namespace {

using namespace std::chrono_literals;
using mcp::CallContext;
using mcp::InputRequests;
using mcp::ToolResult;

mcp::InputRequest confirm(std::string const& message) {
  return mcp::elicit_form(message, object_schema({{"confirm", json::Object{{"type", "boolean"}}}}));
}

std::string text_of(json::Object const& arguments, std::string_view name) {
  auto const* text = json::find_string(arguments, name);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

Task<ToolResult> greets_by_name(CallContext&, json::Object const& arguments) {
  co_return mcp::text_result(fmt::format("Hello, {}!", text_of(arguments, "name")));
}

// How many calls of slow_compute run, for tests: that a call was stopped after its stream was
// closed shows nowhere else.
std::atomic<int> running_calls{0};

struct RunningCall {
  RunningCall() { ++running_calls; }
  ~RunningCall() { --running_calls; }
  RunningCall(RunningCall const&) = delete;
  RunningCall& operator=(RunningCall const&) = delete;
};

Task<ToolResult> counts_running(CallContext&, json::Object const&) {
  co_return mcp::text_result(fmt::format("{}", running_calls.load()));
}

Task<ToolResult> computes(CallContext& context, json::Object const& arguments) {
  RunningCall const running;
  auto const* given = json::find(arguments, "seconds");
  auto const seconds = given == nullptr ? 0.0 : given->to_number<double>();
  auto const steps = static_cast<int>(seconds * 10);
  for (int step = 0; step < steps; ++step) {
    context.progress(step, steps);
    SP_CO_CHECK(co_await sleep_for(100ms));
  }
  co_return mcp::text_result(fmt::format("Computed: {}", text_of(arguments, "label")));
}

Task<ToolResult> fails(CallContext&, json::Object const&) {
  SP_CO_CHECK(co_await sleep_for(300ms));
  co_return mcp::error_result("The job failed");
}

Task<ToolResult> breaks(CallContext&, json::Object const&) {
  SP_CO_CHECK(co_await sleep_for(100ms));
  co_return fail(Errc::Internal, "The job broke");
}

Task<ToolResult> deletes(CallContext& context, json::Object const& arguments) {
  auto const file = text_of(arguments, "filename");
  InputRequests questions{{"confirm", confirm(fmt::format("Delete {}?", file))}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result(fmt::format("Deleted {}", file));
}

Task<ToolResult> asks_two(CallContext& context, json::Object const&) {
  InputRequests questions{{"first", confirm("The first?")}, {"second", confirm("The second?")}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result("Both answered");
}

Task<ToolResult> asks_then_computes(CallContext& context, json::Object const&) {
  auto schema = object_schema({{"name", json::Object{{"type", "string"}}}}, {"name"});
  InputRequests questions{{"user_name", mcp::elicit_form("What is your name?", std::move(schema))}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  SP_CO_CHECK(co_await context.start_task());
  SP_CO_CHECK(co_await sleep_for(100ms));
  auto const* content = json::find_object(answers.at("user_name"), "content");
  co_return mcp::text_result(
      fmt::format("Task of {}", content == nullptr ? "" : text_of(*content, "name")));
}

mcp::Tool task_tool(mcp::TaskSupport support, std::string name, std::string description,
                    mcp::ToolHandler handler) {
  auto tool = plain_tool(std::move(name), std::move(description), std::move(handler));
  tool.task_support = support;
  return tool;
}

}  // namespace

void add_task_tools(mcp::Registry::Builder& builder) {
  using enum mcp::TaskSupport;
  json::Object const string{{"type", "string"}};

  auto greet = plain_tool("greet", "Greets", greets_by_name);
  greet.input_schema = object_schema({{"name", string}}, {"name"});
  builder.add(std::move(greet));

  auto compute = task_tool(Optional, "slow_compute", "Takes its time", computes);
  compute.input_schema =
      object_schema({{"seconds", json::Object{{"type", "number"}}}, {"label", string}});
  builder.add(std::move(compute));

  builder.add(plain_tool("running_calls", "Counts the running slow_compute calls", counts_running));

  auto remove = task_tool(Optional, "confirm_delete", "Asks before it acts", deletes);
  remove.input_schema = object_schema({{"filename", string}});
  builder.add(std::move(remove));

  builder.add(task_tool(Required, "failing_job", "Reports an error", fails));
  builder.add(task_tool(Optional, "protocol_error_job", "Breaks", breaks));
  builder.add(task_tool(Optional, "multi_input", "Asks two things", asks_two));
  auto composed =
      task_tool(Required, "test_tool_with_task", "Asks, then becomes a task", asks_then_computes);
  composed.task_start = mcp::TaskStart::ByHandler;
  builder.add(std::move(composed));
}

}  // namespace sallyport::fixtures
