// The HTTP+SSE transport of 2024-11-05.
#include "tests/integration/mcp_service_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class McpHttpSseTest : public McpServiceTest {
 protected:
  void SetUp() override { serve(); }

  // Opens a stream and gives the place to POST to.
  std::pair<EventClient, std::string> open() {
    auto stream = events(http_request("GET", "/sse", {}));
    auto const endpoint = stream.next();
    EXPECT_TRUE(endpoint);
    EXPECT_EQ(endpoint->event, "endpoint");
    return {std::move(stream), endpoint ? endpoint->data : ""};
  }

  RawResponse tell(std::string const& endpoint, std::string_view body) {
    return ask(http_request("POST", endpoint, {}, body));
  }
};

TEST_F(McpHttpSseTest, SaysWhereToPostAndAnswersOnTheStream) {
  for (int round = 0; round < 6; ++round) {  // POSTs arrive on either loop
    auto [stream, endpoint] = open();
    EXPECT_THAT(endpoint, StartsWith("/messages?sessionId="));

    auto const response = tell(endpoint, initialize("2024-11-05"));

    EXPECT_EQ(response.status, 202);
    auto const answer = stream.next();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->event, "message");
    EXPECT_THAT(answer->data, HasSubstr(R"("protocolVersion":"2024-11-05")"));
    EXPECT_EQ(tell(endpoint, legacy("1", "ping")).status, 202);
    EXPECT_EQ(stream.data(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  }
}

TEST_F(McpHttpSseTest, AnswersNonsenseOnTheStream) {
  auto [stream, endpoint] = open();

  EXPECT_EQ(tell(endpoint, "{").status, 202);

  EXPECT_EQ(code_of(stream.data()), -32700);
}

TEST_F(McpHttpSseTest, RefusesUnknownSessions) {
  for (auto const* id : {"", "x", "0-nonsense", "1-nonsense", "99-nonsense", "-1-x"}) {
    auto const response = tell("/messages?sessionId=" + std::string{id}, legacy("1", "ping"));

    EXPECT_EQ(response.status, 404) << id;
  }
  EXPECT_EQ(tell("/messages", legacy("1", "ping")).status, 404);
}

TEST_F(McpHttpSseTest, EndsTheSessionAndItsCallsWhenTheStreamBreaks) {
  auto [stream, endpoint] = open();
  tell(endpoint, initialize("2024-11-05"));
  stream.data();
  tell(endpoint, legacy_call("1", "stuck", "{}", kProgress));
  EXPECT_THAT(stream.data(), HasSubstr("notifications/progress"));

  stream.connection().close();

  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_calls_in_flight") == 0; }));
  EXPECT_TRUE(
      soon([&, place = endpoint] { return tell(place, legacy("2", "ping")).status == 404; }));
}

TEST_F(McpHttpSseTest, CarriesNewsAndQuestions) {
  auto [stream, endpoint] = open();
  tell(endpoint, initialize("2025-06-18", R"({"elicitation":{}})"));
  stream.data();

  ask(modern_call("test_trigger_tool_change").http());
  EXPECT_THAT(stream.data(), HasSubstr("tools/list_changed"));
  tell(endpoint, legacy_call("1", "test_elicitation", R"({"message":"who?"})"));
  auto const question = parsed(stream.data());
  ASSERT_EQ(question.at("method"), "elicitation/create");
  tell(endpoint, R"({"jsonrpc":"2.0","id":")" +
                     std::string{json::view(question.at("id").as_string())} +
                     R"(","result":{"action":"decline"}})");

  EXPECT_THAT(stream.data(), HasSubstr("User response"));
}

TEST_F(McpHttpSseTest, AnswersCallsInFlightWhenTheServerStops) {
  auto [stream, endpoint] = open();
  tell(endpoint, initialize("2024-11-05"));
  stream.data();
  auto [idle, unused] = open();
  tell(endpoint, legacy_call("1", "slow", R"({"ms":300})", kProgress));
  stream.data();

  EXPECT_LT(stop(), 4s);

  EXPECT_THAT(stream.data(), HasSubstr(R"("progress":2)"));
  EXPECT_THAT(stream.data(), HasSubstr(R"("text":"done")"));
  EXPECT_TRUE(stream.data().empty() && stream.ended_well());
  EXPECT_TRUE(idle.data().empty() && idle.ended_well());
}

}  // namespace
}  // namespace sallyport::test
