// Legacy sessions over HTTP: batches, streams that are resumed, standing streams.
#include "tests/integration/mcp_service_fixture.hpp"

#include <set>

namespace sallyport::test {
namespace {

using testing::HasSubstr;

std::string const kNotification = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

class McpSessionTest : public McpServiceTest {
 protected:
  void SetUp() override { serve(); }

  static std::string get(Fields fields) { return http_request("GET", "/mcp", std::move(fields)); }
  static std::string resume(Fields fields, std::string const& last) {
    return get(with(std::move(fields), "Last-Event-ID", last));
  }
  void change_tools() { ask(modern_call("test_trigger_tool_change").http()); }
};

TEST_F(McpSessionTest, AnswersABatchOf20250326WithAnArray) {
  auto const session = open_session("2025-03-26");

  auto const response =
      ask(post("[" + legacy("1", "ping") + "," + kNotification + ",7," + initialize("2025-03-26") +
                   "," + legacy_call("2", "slow", R"({"ms":20})") + "]",
               session));

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  auto const answers = json::parse(response.body);
  ASSERT_TRUE(answers && answers->is_array()) << response.body;
  ASSERT_EQ(answers->get_array().size(), 4);
  EXPECT_EQ(answers->get_array()[0].at("id"), 1);
  EXPECT_EQ(answers->get_array()[1].at("error").at("code"), -32600);
  EXPECT_EQ(answers->get_array()[2].at("error").at("code"), -32600);
  EXPECT_EQ(answers->get_array()[3].at("id"), 2);
}

TEST_F(McpSessionTest, AnswersABatchAsAStreamToWhoTakesNothingElse) {
  auto const session = with(open_session("2025-03-26"), "Accept", "text/event-stream");

  auto stream = events(post("[" + legacy("1", "ping") + "]", session));

  EXPECT_EQ(header(stream.head(), "Content-Type"), "text/event-stream");
  EXPECT_EQ(stream.data(), R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
}

TEST_F(McpSessionTest, AnswersABatchOfNotificationsWith202) {
  auto const session = open_session("2025-03-26");

  auto const response = ask(post("[" + kNotification + "," + kNotification + "]", session));

  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, "");
}

TEST_F(McpSessionTest, RefusesBatchesFrom20250618On) {
  for (auto const* revision : {"2025-06-18", "2025-11-25"}) {
    auto const response = ask(post("[" + legacy("1", "ping") + "]", open_session(revision)));

    EXPECT_EQ(response.status, 400) << revision;
    EXPECT_EQ(code_of(response.body), -32600) << revision;
  }
}

TEST_F(McpSessionTest, OpensStreamsWithAnIdFor20251125Only) {
  for (std::string const revision : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    auto stream = events(post(legacy_call("1", "slow", "{}", kProgress), open_session(revision)));

    auto const first = stream.next();

    ASSERT_TRUE(first) << revision;
    EXPECT_FALSE(first->id.empty()) << revision;
    EXPECT_EQ(first->data.empty(), revision == "2025-11-25") << revision;
    while (stream.next()) {
    }
    EXPECT_TRUE(stream.ended_well());
  }
}

// The server has two loops, and the kernel spreads connections over them: after enough returns,
// both the loop of the stream and the other one have served one.
TEST_F(McpSessionTest, ReplaysWhatWasMissedOnAnyLoop) {
  for (int round = 0; round < 12; ++round) {
    auto const session = open_session(round % 2 == 0 ? "2025-11-25" : "2025-06-18");
    std::string last;
    {
      auto stream = events(post(legacy_call("1", "slow", R"({"ms":30})", kProgress), session));
      EXPECT_THAT(stream.data(), HasSubstr(R"("progress":1)"));
      last = stream.last_id();
    }

    auto resumed = events(resume(session, last));

    EXPECT_EQ(header(resumed.head(), "Content-Type"), "text/event-stream");
    EXPECT_THAT(resumed.data(), HasSubstr(R"("progress":2)"));
    EXPECT_THAT(resumed.data(), HasSubstr(R"("text":"done")"));
    EXPECT_EQ(resumed.data(), "");
    EXPECT_TRUE(resumed.ended_well());
  }
}

TEST_F(McpSessionTest, DoesNotCancelACallWhoseConnectionBroke) {
  auto const before = metric("sallyport_mcp_cancelled_total");
  auto const session = open_session("2025-11-25");
  std::string last;
  {
    auto stream = events(post(legacy_call("1", "stuck", "{}", kProgress), session));
    stream.data();
    last = stream.last_id();
    stream.connection().reset();
  }
  auto resumed = events(resume(session, last));

  EXPECT_EQ(metric("sallyport_mcp_calls_in_flight"), 1);
  EXPECT_EQ(metric("sallyport_mcp_cancelled_total"), before);
  auto const cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_EQ(ask(post(cancel, session)).status, 202);

  EXPECT_EQ(resumed.data(), "");  // the stream ends without an answer
  EXPECT_TRUE(resumed.ended_well());
  EXPECT_EQ(metric("sallyport_mcp_cancelled_total"), before + 1);
}

TEST_F(McpSessionTest, HidesAStreamFromOtherSessions) {
  auto const mine = open_session("2025-11-25");
  auto const theirs = open_session("2025-11-25");
  auto stream = events(post(legacy_call("1", "slow", R"({"ms":30})", kProgress), mine));
  stream.data();

  auto stranger = events(resume(theirs, stream.last_id()));
  auto const first = stranger.next();

  ASSERT_TRUE(first);  // a standing stream of their own
  EXPECT_NE(first->id.substr(0, first->id.rfind('-')),
            stream.last_id().substr(0, stream.last_id().rfind('-')));
}

TEST_F(McpSessionTest, TellsWhenToComeBackAndLetsGo) {
  auto const session = open_session("2025-11-25");
  auto stream = events(post(legacy_call("1", "releases"), session));

  std::optional<int> retry;
  std::string last;
  while (auto const event = stream.next()) {
    if (!event->id.empty()) last = event->id;
    if (event->retry) retry = event->retry;
    EXPECT_EQ(event->data, "");
  }

  EXPECT_EQ(retry, 700);
  EXPECT_TRUE(stream.ended_well());
  auto resumed = events(resume(session, last));
  EXPECT_THAT(resumed.data(), HasSubstr("released and done"));
}

TEST_F(McpSessionTest, KeepsTheStandingStreamOverAReconnect) {
  auto const session = open_session("2025-11-25");
  std::string last;
  {
    auto stream = events(get(session));
    auto const primer = stream.next();
    ASSERT_TRUE(primer);
    last = primer->id;
    change_tools();
    EXPECT_THAT(stream.data(), HasSubstr("tools/list_changed"));
    last = stream.last_id();
  }
  change_tools();  // nobody reads

  auto again = events(resume(session, last));

  EXPECT_THAT(again.data(), HasSubstr("tools/list_changed"));
  change_tools();
  EXPECT_THAT(again.data(), HasSubstr("tools/list_changed"));
}

TEST_F(McpSessionTest, GivesEachMessageToTheNewestStandingStreamOnly) {
  auto const session = open_session("2025-11-25");
  auto older = events(get(session));
  older.next();
  auto newer = events(get(session));
  newer.next();

  change_tools();

  EXPECT_THAT(newer.data(), HasSubstr("tools/list_changed"));
  EXPECT_EQ(ask(http_request("DELETE", "/mcp", session)).status, 204);
  EXPECT_EQ(older.data(), "");
  EXPECT_TRUE(older.ended_well());
}

TEST_F(McpSessionTest, EndsItsStreamsAndCallsWhenItIsDeleted) {
  auto const session = open_session("2025-11-25");
  auto standing = events(get(session));
  standing.next();
  auto call = events(post(legacy_call("1", "stuck", "{}", kProgress), session));
  call.data();

  EXPECT_EQ(ask(http_request("DELETE", "/mcp", session)).status, 204);

  EXPECT_EQ(standing.data(), "");
  EXPECT_EQ(call.data(), "");
  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_calls_in_flight") == 0; }));
}

TEST_F(McpSessionTest, AsksTheClientInTheStreamAndTakesItsAnswerOnAnyLoop) {
  auto const session = open_session("2025-11-25", R"({"elicitation":{}})");
  for (int round = 0; round < 6; ++round) {
    auto stream =
        events(post(legacy_call("1", "test_elicitation", R"({"message":"who?"})"), session));
    auto const question = parsed(stream.data());
    ASSERT_EQ(question.at("method"), "elicitation/create");
    auto const id = std::string{json::view(question.at("id").as_string())};

    auto const reply =
        ask(post(R"({"jsonrpc":"2.0","id":")" + id + R"(","result":{"action":"accept","content":)" +
                     R"({"username":"u","email":"e"}}})",
                 session));

    EXPECT_EQ(reply.status, 202);
    EXPECT_THAT(stream.data(), HasSubstr("User response"));
  }
}

TEST_F(McpSessionTest, CannotAskAClientThatTakesJsonOnly) {
  auto const session =
      with(open_session("2025-11-25", R"({"elicitation":{}})"), "Accept", "application/json");

  auto const response =
      ask(post(legacy_call("1", "test_elicitation", R"({"message":"who?"})"), session));

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  EXPECT_THAT(response.body, HasSubstr(R"("isError":true)"));
}

TEST_F(McpSessionTest, StaysWithTheTypesThatTheClientTakes) {
  auto const session = open_session("2025-11-25");
  auto const call = legacy_call("1", "slow", R"({"ms":20})", kProgress);

  auto const plain = ask(post(call, with(session, "Accept", "application/json")));
  auto stream = events(post(legacy("1", "ping"), with(session, "Accept", "text/event-stream")));

  EXPECT_EQ(header(plain, "Content-Type"), "application/json");
  EXPECT_THAT(plain.body, HasSubstr(R"("text":"done")"));
  EXPECT_EQ(header(stream.head(), "Content-Type"), "text/event-stream");
  EXPECT_EQ(stream.data(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

}  // namespace
}  // namespace sallyport::test
