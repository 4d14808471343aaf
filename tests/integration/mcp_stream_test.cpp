// Event streams of the modern era, and what slow, silent and vanished clients do to them.
#include "tests/integration/mcp_service_fixture.hpp"

#include <deque>

namespace sallyport::test {
namespace {

using testing::HasSubstr;

class McpStreamTest : public McpServiceTest {
 protected:
  static Modern with_progress(Modern request) {
    request.meta = R"("progressToken":"t")";
    return request;
  }
};

TEST_F(McpStreamTest, IsOpenedByTheFirstNotificationOnly) {
  serve();

  auto const plain = ask(modern_call("slow").http());
  auto stream = events(with_progress(modern_call("slow")).http());

  EXPECT_EQ(header(plain, "Content-Type"), "application/json");
  EXPECT_EQ(header(stream.head(), "Content-Type"), "text/event-stream");
  EXPECT_EQ(header(stream.head(), "X-Accel-Buffering"), "no");
  auto const first = stream.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->event, "message");
  EXPECT_EQ(first->id, "");  // the modern era resumes nothing
  EXPECT_THAT(first->data, HasSubstr(R"("progress":1)"));
  EXPECT_THAT(stream.data(), HasSubstr(R"("progress":2)"));
  EXPECT_THAT(stream.data(), HasSubstr(R"("resultType":"complete")"));
  EXPECT_EQ(stream.data(), "");
  EXPECT_TRUE(stream.ended_well());
}

TEST_F(McpStreamTest, IsNeverGivenToAClientThatTakesJsonOnly) {
  settings_.limits.sse_keep_alive = 10ms;
  serve();
  auto request = with_progress(modern_call("slow"));
  request.fields = {{"Accept", "application/json"}};

  auto const response = ask(request.http());

  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  EXPECT_THAT(response.body, HasSubstr(R"("text":"done")"));
}

TEST_F(McpStreamTest, IsGivenToAClientThatTakesNothingElse) {
  serve();
  auto request = Modern{.method = "tools/list"};
  request.fields = {{"Accept", "text/event-stream"}};

  auto const response = ask(request.http());

  EXPECT_EQ(header(response, "Content-Type"), "text/event-stream");
  EXPECT_THAT(response.body, testing::StartsWith("event: message\ndata: {"));
}

TEST_F(McpStreamTest, CarriesCommentsWhileItIsQuiet) {
  settings_.limits.sse_keep_alive = 10ms;
  serve();
  auto listening = events(modern_listen().http());
  EXPECT_THAT(listening.data(), HasSubstr("subscriptions/acknowledged"));
  // A call that is quiet for long becomes a stream, so that nobody on the way gives it up.
  auto calling = events(modern_call("slow", R"({"ms":100})").http());
  auto const session = open_session("2025-11-25");
  auto standing = events(http_request("GET", "/mcp", session));
  auto legacy_calling = events(post(legacy_call("1", "slow"), session));

  listening.wait_for_comments(2);
  standing.wait_for_comments(2);

  EXPECT_THAT(calling.data(), HasSubstr(R"("text":"done")"));
  EXPECT_THAT(legacy_calling.data(), HasSubstr(R"("text":"done")"));
  for (auto const* stream : {&listening, &standing, &calling, &legacy_calling}) {
    EXPECT_GE(stream->comments(), 2);
  }
}

// An interval of 0 means no comments; it made the server send them without a pause.
TEST_F(McpStreamTest, CarriesNoCommentsWhenThatIsTurnedOff) {
  settings_.limits.sse_keep_alive = 0ms;
  serve();

  auto stream = events(with_progress(modern_call("slow")).http());

  EXPECT_NE(stream.data(), "");
  EXPECT_NE(stream.data(), "");
  EXPECT_THAT(stream.data(), HasSubstr(R"("text":"done")"));
  EXPECT_EQ(stream.comments(), 0);
}

TEST_F(McpStreamTest, CancelsItsCallWhenTheClientGoes) {
  serve();
  auto streaming = events(with_progress(modern_call("stuck")).http());
  streaming.data();
  RawClient waiting{port_};
  waiting.send(modern_call("stuck").http());
  ASSERT_TRUE(soon([&] { return metric("sallyport_mcp_calls_in_flight") == 2; }));

  streaming.connection().close();
  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_cancelled_total") == 1; }));
  waiting.reset();

  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_cancelled_total") == 2; }));
  EXPECT_EQ(metric("sallyport_mcp_calls_in_flight"), 0);
}

TEST_F(McpStreamTest, EndsASubscriptionWhenTheClientGoes) {
  serve();
  auto stream = events(modern_listen().http());
  stream.data();
  EXPECT_EQ(metric("sallyport_mcp_listeners"), 1);

  stream.connection().reset();

  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_listeners") == 0; }));
}

TEST_F(McpStreamTest, CarriesNewsToAThousandListeners) {
  serve();
  constexpr int kListeners = 1000;
  std::deque<EventClient> listeners;
  for (int i = 0; i < kListeners; ++i) {
    auto request = modern_listen();
    request.id = std::to_string(i);
    listeners.emplace_back(port_, request.http());
    ASSERT_THAT(listeners.back().data(), HasSubstr("subscriptions/acknowledged"));
  }
  EXPECT_EQ(metric("sallyport_mcp_listeners"), kListeners);

  ask(modern_call("test_trigger_tool_change").http());

  for (int i = 0; i < kListeners; ++i) {
    auto const news = listeners[static_cast<std::size_t>(i)].data();
    ASSERT_THAT(news, HasSubstr("tools/list_changed"));
    ASSERT_THAT(news, HasSubstr(R"(subscriptionId":)" + std::to_string(i) + "}"));
  }
  auto const took = stop();
  EXPECT_LT(took, 4s);
  for (auto& listener : listeners) {
    ASSERT_THAT(listener.data(), HasSubstr(R"("resultType":"complete")"));
    ASSERT_EQ(listener.data(), "");
    ASSERT_TRUE(listener.ended_well());
  }
}

TEST_F(McpStreamTest, IsCutWhenItsReaderIsTooSlowWithoutHarmToOthers) {
  settings_.limits.sse_queue_bytes = 256 * 1024;
  settings_.limits.http.write_timeout = 300ms;
  serve();
  EventClient sleepy{port_, with_progress(modern_call("flood")).http(), 4096};
  auto awake = events(modern_listen().http());
  awake.data();

  EXPECT_TRUE(soon([&] { return metric("sallyport_mcp_cancelled_total") == 1; }));

  ask(modern_call("test_trigger_tool_change").http());
  EXPECT_THAT(awake.data(), HasSubstr("tools/list_changed"));
  EXPECT_EQ(ask(modern_call("slow").http()).status, 200);
  while (sleepy.next()) {
  }
  EXPECT_FALSE(sleepy.ended_well());
}

TEST_F(McpStreamTest, IsAnsweredToAClientThatHasClosedItsSendingSide) {
  serve();
  RawClient client{port_};
  client.send(Modern{.method = "tools/list"}.http());
  client.finish_sending();

  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(McpStreamTest, IsNotDisturbedByConnectionsThatSayNothing) {
  settings_.limits.shutdown_grace = 300ms;  // half a request is waited for as long
  serve();
  std::deque<RawClient> silent;
  for (int i = 0; i < 50; ++i) {
    silent.emplace_back(port_);
    if (i % 2 == 0) silent.back().send("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le");
  }

  EXPECT_EQ(ask(Modern{.method = "tools/list"}.http()).status, 200);
  EXPECT_LT(stop(), 4s);
}

TEST_F(McpStreamTest, LetsCallsFinishWhenTheServerStops) {
  serve();
  auto const session = open_session("2025-11-25");
  auto modern = events(with_progress(modern_call("slow", R"({"ms":300})")).http());
  modern.data();
  auto legacy = events(post(legacy_call("1", "slow", R"({"ms":300})", kProgress), session));
  legacy.data();
  auto standing = events(http_request("GET", "/mcp", session));
  standing.next();

  auto const took = stop();

  EXPECT_LT(took, 4s);
  modern.data();
  EXPECT_THAT(modern.data(), HasSubstr(R"("text":"done")"));
  legacy.data();
  EXPECT_THAT(legacy.data(), HasSubstr(R"("text":"done")"));
  EXPECT_EQ(standing.data(), "");
  EXPECT_TRUE(standing.ended_well());
}

TEST_F(McpStreamTest, EndsCallsThatOutlastTheGraceOfTheServer) {
  settings_.limits.shutdown_grace = 200ms;
  serve();
  auto stuck = events(with_progress(modern_call("stuck")).http());
  stuck.data();

  auto const took = stop();

  EXPECT_GE(took, 150ms);
  EXPECT_LT(took, 4s);
}

TEST_F(McpStreamTest, StopsAtOnceWhenNobodyIsThere) {
  serve();

  EXPECT_LT(stop(), 1s);
}

}  // namespace
}  // namespace sallyport::test
