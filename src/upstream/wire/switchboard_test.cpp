#include "src/upstream/wire/switchboard.hpp"

#include "src/json/parse.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

mcp::Message said(std::string_view text) {
  return mcp::read_message(*json::parse(text));
}

constexpr std::string_view kLog =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})";

// What is heard of a line: the method of the next notification.
Task<std::string> next_notice(mcp::client::Conversation& line) {
  SP_CO_TRY(auto const message, co_await line.next());
  co_return std::get<mcp::NotificationMessage>(*message).method;
}

TEST(Switchboard, GivesALogToTheOnlyRequestThoughASubscriptionIsOpen) {
  auto const heard = test::run([]() -> Task<std::string> {
    Switchboard board{co_await asio::this_coro::executor};
    auto const subscription = board.open(1);
    auto const call = board.open(2);
    board.receive(said(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":
            {"io.modelcontextprotocol/subscriptionId":1}}})"));
    board.receive(said(kLog));
    co_return co_await next_notice(*call);
  }());

  ASSERT_TRUE(heard) << heard.error().message;
  EXPECT_EQ(*heard, "notifications/message");
}

TEST(Switchboard, GivesALogToNobodyWhereItMayBeOfEither) {
  auto const heard = test::run([]() -> Task<std::string> {
    Switchboard board{co_await asio::this_coro::executor};
    auto const one = board.open(1);
    auto const other = board.open(2);
    board.receive(said(kLog));
    auto const strays = board.strays();
    co_return co_await next_notice(*strays);
  }());

  ASSERT_TRUE(heard) << heard.error().message;
  EXPECT_EQ(*heard, "notifications/message");
}

}  // namespace
}  // namespace sallyport::upstream
