// The whole service on two loops in a thread beside the test, stopped as an operator stops it.
#pragma once

#include "src/app/service.hpp"
#include "src/app/service_core.hpp"
#include "src/base/log.hpp"
#include "src/mcp/registry.hpp"
#include "src/tools/whoami.hpp"

#include "tests/servers/fixtures.hpp"
#include "tests/support/mcp_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <future>
#include <string>
#include <thread>

namespace sallyport::test {

using namespace std::chrono_literals;

class McpServiceTest : public testing::Test {
 protected:
  McpServiceTest() {
    settings_.listen.port = 0;
    settings_.listen.loops = 2;
    settings_.limits.shutdown_grace = 5s;
    log::configure({.level = log::Level::Error});
  }

  void serve() {
    std::promise<std::uint16_t> listening;
    auto port = listening.get_future();
    thread_ = std::thread{[this, &listening] {
      exit_code_ = app::run_http_service(
          settings_, [this](app::ServiceCore& core) { return registry(core); },
          [&](std::uint16_t bound) { listening.set_value(bound); });
    }};
    port_ = port.get();
    ASSERT_TRUE(soon(handles_signals));
  }

  // How long it took the service to end.
  std::chrono::milliseconds stop() {
    auto const begin = Clock::now();
    if (!thread_.joinable()) return 0ms;
    // To the thread that waits for signals: Asio's handler reads what that thread has written.
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  }

  void TearDown() override {
    stop();
    if (port_ != 0) EXPECT_EQ(exit_code_, 0);
  }

  RawResponse ask(std::string_view request) {
    RawClient client{port_};
    client.send(request);
    return client.receive();
  }

  EventClient events(std::string_view request) { return EventClient{port_, request}; }

  // Opens a session and gives the fields that later requests of it carry.
  Fields open_session(std::string const& revision, std::string_view capabilities = "{}",
                      Fields fields = {}) {
    auto const response = ask(post(initialize(revision, capabilities), fields));
    EXPECT_EQ(response.status, 200) << response.body;
    fields.emplace_back("Mcp-Session-Id", header(response, "Mcp-Session-Id"));
    if (revision >= "2025-06-18") fields.emplace_back("MCP-Protocol-Version", revision);
    return fields;
  }

  static Fields with(Fields fields, std::string name, std::string value) {
    fields.emplace_back(std::move(name), std::move(value));
    return fields;
  }

  std::int64_t metric(std::string const& name) {
    auto const text = ask(http_request("GET", "/metrics", {})).body;
    auto const at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stoll(text.substr(at + name.size() + 2));
  }

  template <class Condition>
  static bool soon(Condition const& condition) {
    for (auto const end = Clock::now() + 10s; Clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  config::Settings settings_;
  std::uint16_t port_{0};

 private:
  static bool handles_signals() {
    struct sigaction action{};
    sigaction(SIGTERM, nullptr, &action);
    return action.sa_handler != SIG_DFL;
  }

  // Waits until it is cancelled.
  static Task<mcp::ToolResult> stuck(mcp::CallContext& context, json::Object const&) {
    context.progress(1);
    SP_CO_CHECK(co_await fixtures::sleep_for(1h));
    co_return mcp::text_result("never");
  }

  static Task<mcp::ToolResult> slow(mcp::CallContext& context, json::Object const& arguments) {
    context.progress(1);
    auto const* time = json::find(arguments, "ms");
    SP_CO_CHECK(co_await fixtures::sleep_for(
        std::chrono::milliseconds{time == nullptr ? 100 : time->to_number<int>()}));
    context.progress(2);
    co_return mcp::text_result("done");
  }

  // More than any queue takes, until it is cancelled.
  static Task<mcp::ToolResult> flood(mcp::CallContext& context, json::Object const&) {
    std::string const text(64 * 1024, 'x');
    for (int i = 0; i < 1'000'000; ++i) {
      context.progress(i + 1, std::nullopt, text);
      SP_CO_CHECK(co_await fixtures::sleep_for(1ms));
    }
    co_return mcp::text_result("done");
  }

  static Task<mcp::ToolResult> releases(mcp::CallContext& context, json::Object const&) {
    context.release_connection(700ms);
    SP_CO_CHECK(co_await fixtures::sleep_for(50ms));
    co_return mcp::text_result("released and done");
  }

  static Task<mcp::ToolResult> trace(mcp::CallContext& context, json::Object const&) {
    co_return mcp::text_result(context.request().trace.traceparent);
  }

  virtual Result<std::shared_ptr<mcp::Registry const>> registry(app::ServiceCore&) {
    mcp::Registry::Builder builder;
    fixtures::add_content_tools(builder);
    fixtures::add_stream_tools(builder);
    fixtures::add_elicitation_tools(builder);
    fixtures::add_resources_and_prompts(builder);
    builder.add(tools::whoami());
    builder.add(fixtures::plain_tool("stuck", "", stuck));
    builder.add(fixtures::plain_tool("slow", "", slow));
    builder.add(fixtures::plain_tool("flood", "", flood));
    builder.add(fixtures::plain_tool("releases", "", releases));
    builder.add(fixtures::plain_tool("trace", "", trace));
    return *builder.build();
  }

  std::thread thread_;
  int exit_code_{-1};
};

}  // namespace sallyport::test
