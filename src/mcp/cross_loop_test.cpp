// Two loops in two threads: what one of them holds, asked for on the other. Run it under the thread
// sanitizer; requests are parsed into storage that is not safe across threads, as transports do.
#include "src/base/event_loops.hpp"

#include "tests/support/mcp_bench.hpp"

#include <boost/asio/use_future.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace sallyport::mcp {
namespace {

using test::parsed_object;

class PromisedOutlet final : public Outlet {
 public:
  void send(std::string message) override {
    std::lock_guard const lock{mutex_};
    sent_.push_back(std::move(message));
  }
  void finish(Answer answer) override { answer_.set_value(std::move(answer.body)); }

  json::Object result() {
    return parsed_object(answer_.get_future().get()).at("result").get_object();
  }
  std::vector<std::string> sent() const {
    std::lock_guard const lock{mutex_};
    return sent_;
  }

 private:
  std::promise<std::string> answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> sent_;
};

Task<ToolResult> asks(CallContext& context, json::Object const& arguments) {
  json::Object schema{{"type", "object"}};
  schema["properties"] = arguments;  // in the storage of the request
  InputRequests questions{
      {"go",
       {InputKind::Elicitation,
        json::Object({{"message", "Go on?"}, {"requestedSchema", schema}}, arguments.storage())}}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  ToolResult result;
  result.content = json::Array(arguments.storage());
  result.structured = arguments;
  co_return result;
}

class CrossLoopTest : public testing::Test {
 protected:
  CrossLoopTest() {
    Tool tool;
    tool.name = "asks";
    tool.task_support = TaskSupport::Optional;
    tool.handler = asks;
    builder_.add(std::move(tool));
    server_.emplace(ServerOptions{}, builder_.build().value(), loops_, sealer_, metrics_);
    thread_ = std::thread{[this] { loops_.run(); }};
  }
  ~CrossLoopTest() override {
    stop();
    loops_.finish();
    thread_.join();
  }

  void stop() {
    auto stopped = asio::co_spawn(loops_.executor(0), server_->stop(), asio::use_future);
    EXPECT_TRUE(stopped.get());
  }

  // A request of 2026-07-28 on that loop.
  void send(std::size_t loop, std::string_view method, std::string_view params,
            PromisedOutlet& outlet) {
    auto const text = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{},"_meta":{{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}},
            "extensions":{{"io.modelcontextprotocol/tasks":{{}}}}}}}}}}}})",
        method, params);
    asio::post(loops_.executor(loop), [this, loop, text, &outlet] {
      auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
      auto classified = classify(json::parse(text, storage).value(), nullptr);
      auto& found = std::get<ModernRequest>(classified);
      server_->dispatcher(loop).handle(
          modern_request(std::move(found.message), std::move(found.envelope), {}), outlet);
    });
  }
  json::Object ask(std::size_t loop, std::string_view method, std::string_view params) {
    PromisedOutlet outlet;
    send(loop, method, params, outlet);
    return outlet.result();
  }
  std::string begin(std::size_t loop) {
    auto const task =
        ask(loop, "tools/call", R"("name":"asks","arguments":{"ok":{"type":"boolean"}})");
    return fmt::format(R"("taskId":{})", json::to_text(task.at("taskId")));
  }

  EventLoops loops_{2};
  test::PlainSealer sealer_;
  Metrics metrics_;
  Registry::Builder builder_;
  std::optional<Server> server_;
  std::thread thread_;
};

TEST_F(CrossLoopTest, ATaskIsReadAnsweredAndFinishedFromAnotherLoop) {
  for (int round = 0; round < 20; ++round) {
    auto const task = begin(0);
    EXPECT_EQ(ask(1, "tasks/get", task).at("status"), "input_required");

    ask(1, "tasks/update",
        task + R"(,"inputResponses":{"go":{"action":"accept","content":{"ok":true}}})");
    json::Object state;
    for (int i = 0; i < 100 && state["status"] != "completed"; ++i)
      state = ask(1, "tasks/get", task);

    ASSERT_EQ(state.at("status"), "completed");
    EXPECT_EQ(state.at("result").at("structuredContent"),
              test::parsed(R"({"ok":{"type":"boolean"}})"));
  }
}

TEST_F(CrossLoopTest, ATaskIsCancelledFromAnotherLoopWhileALoopListens) {
  auto const task = begin(0);
  PromisedOutlet listening;
  send(1, "subscriptions/listen",
       fmt::format(R"("notifications":{{"taskIds":[{}]}})", task.substr(task.find(':') + 1)),
       listening);

  ask(1, "tasks/cancel", task);
  auto const state = ask(0, "tasks/get", task);
  ask(1, "tasks/get", task);

  EXPECT_EQ(state.at("status"), "cancelled");
  // It may also have heard that the task asks: that news was on its way when it began to listen.
  auto const heard = listening.sent();
  ASSERT_GE(heard.size(), 2U);
  EXPECT_EQ(parsed_object(heard.back()).at("params").at("status"), "cancelled");
  stop();
  EXPECT_EQ(listening.result().at("resultType"), "complete");
}

}  // namespace
}  // namespace sallyport::mcp
