#include "src/transport/batch.hpp"

#include "src/transport/test_server.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

namespace sallyport::transport {
namespace {

using testing::HasSubstr;

struct Whole final : mcp::Outlet {
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void finish(mcp::Answer given) override {
    EXPECT_FALSE(answer);
    answer = std::move(given);
  }
  std::vector<std::string> sent;
  std::optional<mcp::Answer> answer;
};

class BatchTest : public TestServer {
 protected:
  std::shared_ptr<void> start(std::string_view text, mcp::Outlet& outlet) {
    auto classified = mcp::classify(*json::parse(text), nullptr);
    auto* const batch = std::get_if<mcp::LegacyBatch>(&classified);
    EXPECT_NE(batch, nullptr);
    return start_batch(dispatcher(), std::move(*batch), session_, {}, outlet);
  }

  std::shared_ptr<mcp::Session> session_ =
      server_.sessions().open({.revision = mcp::Revision::V2025_03_26});
};

TEST_F(BatchTest, AnswersInOneArray) {
  Whole whole;

  auto const batch = start(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
      {"jsonrpc":"2.0","method":"notifications/initialized"},
      {"jsonrpc":"2.0","id":"b","method":"nonsense"}])",
                           whole);

  ASSERT_TRUE(whole.answer);
  auto const answers = json::parse(whole.answer->body);
  ASSERT_TRUE(answers && answers->is_array());
  ASSERT_EQ(answers->get_array().size(), 2);
  EXPECT_EQ(answers->get_array()[0].at("id"), 1);
  EXPECT_EQ(answers->get_array()[1].at("id"), "b");
  EXPECT_EQ(answers->get_array()[1].at("error").at("code"), -32601);
}

TEST_F(BatchTest, SaysNothingToNotificationsAlone) {
  Whole whole;

  auto const batch = start(R"([{"jsonrpc":"2.0","method":"notifications/initialized"},
                               {"jsonrpc":"2.0","id":"1-x","result":{}}])",
                           whole);

  ASSERT_TRUE(whole.answer);
  EXPECT_EQ(whole.answer->body, "");
}

TEST_F(BatchTest, RefusesInitializeAndWhatIsNoMessageEachAlone) {
  Whole whole;

  auto const batch = start(R"([1, {"jsonrpc":"2.0","id":7,"method":"initialize","params":{}},
                               {"jsonrpc":"2.0","id":8,"method":"ping"}])",
                           whole);

  ASSERT_TRUE(whole.answer);
  auto const answers = json::parse(whole.answer->body);
  ASSERT_TRUE(answers && answers->is_array());
  ASSERT_EQ(answers->get_array().size(), 3);
  EXPECT_EQ(answers->get_array()[0].at("error").at("code"), -32600);
  EXPECT_TRUE(answers->get_array()[0].at("id").is_null());
  EXPECT_EQ(answers->get_array()[1].at("error").at("code"), -32600);
  EXPECT_EQ(answers->get_array()[2].at("id"), 8);
}

TEST_F(BatchTest, WaitsForItsSlowestCall) {
  Whole whole;
  auto const batch = start(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
          {"jsonrpc":"2.0","id":2,"method":"tools/call",
           "params":{"name":"sleep","_meta":{"progressToken":"t"}}}])",
      whole);
  turn();
  EXPECT_FALSE(whole.answer);
  ASSERT_EQ(whole.sent.size(), 1);
  EXPECT_THAT(whole.sent[0], HasSubstr("notifications/progress"));

  server_.cancel(session_->id(), 2);
  turn();

  ASSERT_TRUE(whole.answer);
  EXPECT_THAT(whole.answer->body, testing::StartsWith(R"([{"jsonrpc":"2.0","id":1)"));
}

// The calls of a batch held on to its outlets after their peer had gone, and wrote through them.
TEST_F(BatchTest, GivesUpItsCallsWhenItGoes) {
  Whole whole;
  auto batch = start(R"([{"jsonrpc":"2.0","id":2,"method":"tools/call",
                          "params":{"name":"sleep"}}])",
                     whole);
  turn();
  EXPECT_EQ(calls_in_flight(), 1);

  batch.reset();
  turn();

  EXPECT_EQ(calls_in_flight(), 0);
  EXPECT_FALSE(whole.answer);
}

}  // namespace
}  // namespace sallyport::transport
