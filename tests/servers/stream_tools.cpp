#include "tests/servers/fixtures.hpp"

#include <chrono>

namespace sallyport::fixtures {

using namespace std::chrono_literals;
using mcp::CallContext;
using mcp::ToolResult;

Task<void> sleep_for(std::chrono::milliseconds time) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, time};
  co_await timer.async_wait(use_async);  // cancelled: throws, which ends the handler
  co_return Result<void>{};
}

namespace {

Task<ToolResult> logs(CallContext& context, json::Object const&) {
  context.log(mcp::LogLevel::Info, "Tool execution started");
  SP_CO_CHECK(co_await sleep_for(50ms));
  context.log(mcp::LogLevel::Info, "Tool processing data");
  SP_CO_CHECK(co_await sleep_for(50ms));
  context.log(mcp::LogLevel::Info, "Tool execution completed");
  co_return mcp::text_result("Tool with logging executed successfully");
}

Task<ToolResult> makes_progress(CallContext& context, json::Object const&) {
  for (int const done : {0, 50, 100}) {
    context.progress(done, 100, "Completed step");
    SP_CO_CHECK(co_await sleep_for(50ms));
  }
  co_return mcp::text_result("Tool with progress executed successfully");
}

Task<ToolResult> reconnects(CallContext& context, json::Object const&) {
  SP_CO_CHECK(co_await sleep_for(50ms));
  context.release_connection(500ms);
  SP_CO_CHECK(co_await sleep_for(100ms));
  co_return mcp::text_result("Reconnection test completed successfully.");
}

Task<ToolResult> logs_once(CallContext& context, json::Object const&) {
  context.log(mcp::LogLevel::Info, "This must only be heard by a client that asked for logs");
  co_return mcp::text_result("Logged");
}

template <mcp::Event::Kind kKind>
Task<ToolResult> publishes(CallContext& context, json::Object const&) {
  context.publish({.kind = kKind});
  co_return mcp::text_result("Published");
}

Task<ToolResult> updates_resource(CallContext& context, json::Object const&) {
  context.publish(
      {.kind = mcp::Event::Kind::ResourceUpdated, .subject = "test://watched-resource"});
  co_return mcp::text_result("Published");
}

}  // namespace

void add_stream_tools(mcp::Registry::Builder& builder) {
  builder.add(plain_tool("test_tool_with_logging", "Logs while it runs", logs));
  builder.add(plain_tool("test_tool_with_progress", "Reports progress", makes_progress));
  builder.add(plain_tool("test_reconnection", "Lets go of the connection in mid-call", reconnects));
  builder.add(plain_tool("test_logging_tool", "Logs once", logs_once));
  builder.add(plain_tool("test_trigger_tool_change", "Tells that the tools changed",
                         publishes<mcp::Event::Kind::ToolsChanged>));
  builder.add(plain_tool("test_trigger_prompt_change", "Tells that the prompts changed",
                         publishes<mcp::Event::Kind::PromptsChanged>));
  builder.add(plain_tool("test_trigger_resource_update",
                         "Tells that test://watched-resource changed", updates_resource));
}

}  // namespace sallyport::fixtures
