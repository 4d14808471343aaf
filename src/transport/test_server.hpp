// An MCP server on one loop that the test itself turns, for what needs no socket.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/json/parse.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/registry.hpp"
#include "src/mcp/server.hpp"

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::transport {

class TestServer : public testing::Test {
 protected:
  TestServer() : loops_{1}, server_{{}, registry(), loops_, sealer_, metrics_} {}

  void TearDown() override {
    bool stopped = false;
    asio::co_spawn(loops_.executor(0), server_.stop(),
                   [&](std::exception_ptr, Result<void>) { stopped = true; });
    while (!stopped) turn();
  }

  // Runs what is ready. The tool `sleep` waits for ever; `echo` answers at once, and
  // so does `unheard`: how much waits for the peer.
  void turn() {
    auto& loop = loops_.executor(0).context();
    loop.restart();
    while (loop.poll() > 0) {
    }
  }

  mcp::Dispatcher& dispatcher() { return server_.dispatcher(0); }
  std::int64_t calls_in_flight() const { return server_.counters().in_flight.value(); }
  std::uint64_t cancelled() const { return server_.counters().cancelled.value(); }

  static json::Object parsed(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value && value->is_object()) << text;
    return value && value->is_object() ? value->get_object() : json::Object{};
  }

  // The code of an error; 0 when it is a result.
  static std::int64_t code_of(std::string_view text) {
    auto const object = parsed(text);
    auto const* error = json::find_object(object, "error");
    return error == nullptr ? 0 : error->at("code").as_int64();
  }

 private:
  struct NoSealer final : Sealer {
    std::string seal(std::string_view text, std::string_view) const override {
      return std::string{text};
    }
    Result<std::string> open(std::string_view sealed, std::string_view) const override {
      return std::string{sealed};
    }
  };

  static Task<mcp::ToolResult> sleep(mcp::CallContext& context, json::Object const&) {
    context.progress(1);
    auto const executor = co_await asio::this_coro::executor;
    Timer forever{executor, Timer::time_point::max()};
    co_await forever.async_wait(use_async);
    co_return mcp::text_result("");
  }

  static Task<mcp::ToolResult> echo(mcp::CallContext&, json::Object const& arguments) {
    auto const* text = json::find_string(arguments, "text");
    co_return mcp::text_result(text == nullptr ? "" : json::view(*text));
  }

  static Task<mcp::ToolResult> unheard(mcp::CallContext& context, json::Object const&) {
    co_return mcp::text_result(std::to_string(context.unheard_bytes()));
  }

  static std::shared_ptr<mcp::Registry const> registry() {
    mcp::Registry::Builder builder;
    mcp::Tool slow;
    slow.name = "sleep";
    slow.handler = sleep;
    builder.add(std::move(slow));
    mcp::Tool quick;
    quick.name = "echo";
    quick.handler = echo;
    builder.add(std::move(quick));
    mcp::Tool heard;
    heard.name = "unheard";
    heard.handler = unheard;
    builder.add(std::move(heard));
    return *builder.build();
  }

  EventLoops loops_;
  Metrics metrics_;
  NoSealer sealer_;

 protected:
  mcp::Server server_;
};

}  // namespace sallyport::transport
