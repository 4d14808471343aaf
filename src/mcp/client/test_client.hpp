// For tests of the client: one in front of a scripted server, and who is told and asked.
#pragma once

#include "src/json/write.hpp"
#include "src/mcp/client/client.hpp"
#include "src/mcp/client/test_wire.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp::client::test_client {

using namespace std::chrono_literals;

inline constexpr auto const* kDiscovered =
    R"({"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete","supportedVersions":)"
    R"(["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":)"
    R"({"io.modelcontextprotocol/serverInfo":{"name":"new","version":"1"}}}})";
inline constexpr auto const* kInitialized =
    R"({"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-06-18","capabilities":)"
    R"({"tools":{}},"serverInfo":{"name":"old","version":"1"}}})";
inline constexpr auto const* kUnknownMethod =
    R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"?"}})";
inline constexpr auto const* kDone = R"({"jsonrpc":"2.0","id":{id},"result":{"done":true}})";

class Heard final : public Observer {
 public:
  void heard(NotificationMessage const& message) override { methods.push_back(message.method); }
  std::vector<std::string> methods;
};

class Asked final : public Listener {
 public:
  void progress(json::Object const& params) override { said.push_back(json::to_text(params)); }
  void log(json::Object const& params) override { said.push_back(json::to_text(params)); }
  Task<Answers> answer(Inquiry inquiry) override {
    if (failure) co_return *failure;
    inquiries.push_back(inquiry);
    Timer thinking{co_await asio::this_coro::executor, thinks_for};
    if (thinks_for.count() > 0) co_await thinking.async_wait(use_tuple);
    Answers answers;
    for (auto const& [key, question] : inquiry.questions) {
      said.push_back(question.method);
      answers[key] = {{"action", "accept"}};
    }
    co_return answers;
  }
  std::optional<Error> failure;
  std::vector<std::string> said;
  std::vector<Inquiry> inquiries;
  std::chrono::milliseconds thinks_for{0};
};

class McpClient : public testing::Test {
 protected:
  void modern() { wire.says["server/discover"] = {{.messages = {kDiscovered}}}; }
  void legacy() {
    wire.says["server/discover"] = {{.status = 400, .messages = {kUnknownMethod}}};
    wire.says["initialize"] = {{.session = "s-1", .messages = {kInitialized}}};
  }
  static Ask call(std::string tool = "t") {
    return {.method = "tools/call", .params = {{"name", tool}, {"arguments", json::Object{}}}};
  }

  Result<Outcome> ask(Ask what, test::Interrupt interrupt = test::Interrupt::Never) {
    return test::run(with_client([&, this](Client& client) -> Task<Outcome> {
                       return client.request(std::move(what), listener);
                     }),
                     interrupt);
  }
  template <class Work>
  auto with_client(Work work) -> decltype(work(std::declval<Client&>())) {
    Client client{wire, heard, options, co_await asio::this_coro::executor};
    auto result = co_await capture(work(client));
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    // What it still has to say is said by then.
    Timer pause{co_await asio::this_coro::executor, 5ms};
    co_await pause.async_wait(use_tuple);
    (void)co_await client.close();
    co_return result;
  }

  ScriptedWire wire;
  Heard heard;
  std::shared_ptr<Asked> listener{std::make_shared<Asked>()};
  Asked& asked{*listener};
  ClientOptions options;
};

}  // namespace sallyport::mcp::client::test_client
