// The tool `fetch` through the whole service: what clients of each revision see of an answer.
#include "tests/integration/http_request_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::HasSubstr;

class FetchServiceTest : public HttpRequestTest {
 protected:
  void serve_for(Origin const& origin) {
    settings_.egress.open = {"127.0.0.1:" + std::to_string(origin.port())};
    settings_.fetch.robots = false;
    serve();
  }

  AppReply fetch(std::string const& url) {
    auto const response =
        ask_as(kModel, modern_call("fetch", json::to_text(json::Object{{"url", url}})));
    return {parsed(response.body).at("result").as_object()};
  }
};

TEST_F(FetchServiceTest, GivesThePageAsContentAndFactsAboutItAsStructure) {
  Origin const origin{Origin::answering(
      Origin::ok("<title>Gate</title><p>A small door.", "Content-Type: text/html\r\n"))};
  serve_for(origin);

  auto const reply = fetch(origin.url("/gate"));

  EXPECT_FALSE(reply.is_error()) << reply.text();
  EXPECT_THAT(reply.text(), HasSubstr("A small door."));
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.facts().at("url").as_string(), origin.url("/gate"));
  EXPECT_EQ(reply.facts().at("title"), "Gate");
  EXPECT_EQ(reply.facts().at("contentType"), "text/html");
  EXPECT_FALSE(reply.facts().contains("body"));
}

TEST_F(FetchServiceTest, AnErrorOfTheSiteHasFactsAndOneOfTheRoadHasNone) {
  Origin const origin{Origin::answering("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nlater")};
  serve_for(origin);

  auto const busy = fetch(origin.url());
  EXPECT_TRUE(busy.is_error());
  EXPECT_EQ(busy.status(), 503);

  auto const blocked = fetch("http://10.0.0.1/");
  EXPECT_TRUE(blocked.is_error());
  EXPECT_EQ(blocked.error_code(), "egress_blocked");
  EXPECT_FALSE(blocked.result.contains("structuredContent"));
}

TEST_F(FetchServiceTest, OlderClientsSeeNoStructure) {
  Origin const origin{Origin::answering(Origin::ok("plain", "Content-Type: text/plain\r\n"))};
  serve_for(origin);
  auto const arguments = json::to_text(json::Object{{"url", origin.url()}});

  for (auto const* const revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    auto const session = open_session(revision, "{}", bearer(kModel));
    auto const message = parsed(ask(post(legacy_call("1", "fetch", arguments), session)).body);
    auto const& result = message.at("result").as_object();

    EXPECT_EQ(result.at("content").at(0).at("text"), "plain") << revision;
    EXPECT_EQ(result.contains("structuredContent"), std::string_view{revision} >= "2025-06-18");
  }
}

TEST_F(FetchServiceTest, DoesNotWaitForTheEndOfAnEventStream) {
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    while (peer.send("data: 1\n\n") && peer.pause(20ms)) {
    }
  }};
  serve_for(origin);

  auto const begin = Clock::now();
  auto const reply = fetch(origin.url());

  EXPECT_LT(Clock::now() - begin, 5s);
  EXPECT_EQ(reply.error_code(), "upstream_failed");
  EXPECT_THAT(reply.text(), HasSubstr("event stream"));
}

}  // namespace
}  // namespace sallyport::test
