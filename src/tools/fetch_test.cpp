#include "src/tools/fetch.hpp"

#include "src/json/parse.hpp"
#include "src/json/schema.hpp"
#include "src/tools/test_fetch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace sallyport::tools {
namespace {

using namespace std::chrono_literals;
using test_fetch::Fetching;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPage =
    "<!DOCTYPE html><html><head><title>Ports of Sally</title></head><body>"
    "<nav><a href='/a'>Elsewhere</a></nav>"
    "<main><h1>Harbour</h1><p>A sally port is a small gate in a wall. It lets defenders out and "
    "lets nobody in, which is why it has two doors with a room between them.</p></main>"
    "</body></html>";

std::string header(Fetching const& fetching, std::string_view name) {
  auto const* const found = fetching.road.sent->headers.find(name);
  return found == nullptr ? "" : *found;
}

TEST(Fetch, SendsWhatTheCallerAsksForUnderItsOwnName) {
  Fetching fetching;
  fetching.options.robots = true;
  fetching.answer("text/plain", "pong");

  fetching.call({{"url", "https://example.com/ping"},
                 {"method", "POST"},
                 {"headers", json::Object{{"X-Trace", "7"}}},
                 {"body", R"({"a":1})"},
                 {"timeout_ms", 1500}});

  auto const& sent = *fetching.road.sent;
  EXPECT_EQ(fetching.road.operation, "fetch");
  EXPECT_EQ(sent.url, "https://example.com/ping");
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.body, R"({"a":1})");
  EXPECT_EQ(header(fetching, "X-Trace"), "7");
  EXPECT_EQ(header(fetching, "Content-Type"), "application/json");
  EXPECT_EQ(sent.timeout, 1500ms);
  EXPECT_TRUE(sent.robots);
  EXPECT_EQ(fetching.text(), "pong");
}

TEST(Fetch, TheOptionsBindWhereTheCallerSaysNothing) {
  Fetching fetching;
  fetching.options = {.schemes = {"https"},
                      .max_redirects = 2,
                      .user_agent = "Tester/1",
                      .timeout = 7s,
                      .max_bytes = 1234,
                      .default_length = 4,
                      .robots = false};
  fetching.answer("text/plain", "0123456789");

  fetching.call({});

  auto const& sent = *fetching.road.sent;
  EXPECT_EQ(sent.method, "GET");
  EXPECT_EQ(sent.schemes, std::vector<std::string>{"https"});
  EXPECT_EQ(sent.max_redirects, 2u);
  EXPECT_EQ(sent.response_bytes, 1234u);
  EXPECT_EQ(sent.timeout, 7s);
  EXPECT_FALSE(sent.robots);
  EXPECT_EQ(header(fetching, "User-Agent"), "Tester/1");
  EXPECT_EQ(header(fetching, "Content-Type"), "");
  EXPECT_EQ(fetching.text(), "0123");
}

TEST(Fetch, TheUserAgentArgumentBeatsTheHeader) {
  Fetching fetching;
  fetching.answer("text/plain", "x");

  fetching.call({{"headers", json::Object{{"user-agent", "header"}}}, {"user_agent", "argument"}});
  EXPECT_EQ(header(fetching, "User-Agent"), "argument");
  EXPECT_EQ(fetching.road.sent->headers.count("User-Agent"), 1u);

  fetching.call({{"headers", json::Object{{"user-agent", "header"}}}});
  EXPECT_EQ(header(fetching, "User-Agent"), "header");
  EXPECT_EQ(fetching.road.sent->headers.count("User-Agent"), 1u);
}

TEST(Fetch, ABodyWithoutPostIsRefusedBeforeAnythingIsSent) {
  Fetching fetching;

  fetching.call({{"body", "x"}});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_EQ(fetching.text(), "Error: A body goes with method POST, not with GET.");
  EXPECT_FALSE(fetching.road.sent);
  // There is no record of it that an id could name.
  EXPECT_FALSE(fetching.result->meta.at("sallyport/error").get_object().contains("callId"));
}

TEST(Fetch, ItsSchemaAcceptsTheArgumentsOfEarlierServersAndRefusesOthers) {
  test_fetch::FakeRoad road;
  auto const schema = json::Schema::compile(fetch({}, road).input_schema);
  ASSERT_TRUE(schema);
  auto const fits = [&](char const* arguments) {
    return static_cast<bool>(schema->validate(*json::parse(arguments)));
  };

  EXPECT_TRUE(fits(R"({"url":"https://example.com"})"));
  EXPECT_TRUE(fits(R"({"url":"https://example.com","method":"POST","headers":{"A":"b"},
                       "body":"x","max_length":5,"user_agent":"me"})"));
  EXPECT_TRUE(fits(R"({"url":"https://example.com","format":"text","start_index":0,
                       "timeout_ms":120000})"));
  for (auto const* const arguments :
       {R"({})", R"({"url":7})", R"({"url":"x","method":"DELETE"})",
        R"({"url":"x","headers":{"A":1}})", R"({"url":"x","max_length":0})",
        R"({"url":"x","start_index":-1})", R"({"url":"x","timeout_ms":120001})",
        R"({"url":"x","format":"pdf"})", R"({"url":"x","raw":true})"}) {
    EXPECT_FALSE(fits(arguments)) << arguments;
  }
}

TEST(Fetch, GivesTheMainContentOfAPageAndItsTitle) {
  Fetching fetching;
  fetching.answer("text/html; charset=utf-8", kPage);

  fetching.call({});

  EXPECT_FALSE(fetching.result->is_error);
  EXPECT_THAT(fetching.text(), HasSubstr("small gate"));
  EXPECT_THAT(fetching.text(), Not(HasSubstr("Elsewhere")));
  EXPECT_THAT(fetching.text(1), HasSubstr("[Title: Ports of Sally]"));
  EXPECT_THAT(fetching.text(1), HasSubstr("format=markdown gives the whole page"));
  EXPECT_EQ(fetching.facts().at("title"), "Ports of Sally");
  EXPECT_EQ(fetching.facts().at("format"), "markdown");
  EXPECT_EQ(fetching.facts().at("wholePage"), false);
}

TEST(Fetch, GivesTheWholePageToThoseWhoAskForAFormat) {
  for (auto const* const format : {"markdown", "text"}) {
    Fetching fetching;
    fetching.answer("text/html", kPage);

    fetching.call({{"format", format}});

    EXPECT_THAT(fetching.text(), HasSubstr("Elsewhere")) << format;
    EXPECT_THAT(fetching.text(), Not(HasSubstr("<main>"))) << format;
    EXPECT_EQ(fetching.facts().at("format"), format);
    EXPECT_EQ(fetching.facts().at("wholePage"), true);
  }
}

TEST(Fetch, GivesTheMarkupOnDemandStillWithTheTitle) {
  for (auto const* const format : {"html", "raw"}) {
    Fetching fetching;
    fetching.answer("text/html", kPage);

    fetching.call({{"format", format}, {"max_length", 10}});

    EXPECT_EQ(fetching.text(), "<!DOCTYPE ") << format;
    EXPECT_EQ(fetching.facts().at("title"), "Ports of Sally");
  }
}

TEST(Fetch, FindsTheTitleOfMarkupBehindOthersThatAreNone) {
  Fetching fetching;
  fetching.answer("text/html", "<html><!-- </title> --><TITLE>Real</TITLE><p>text</p>");

  fetching.call({{"format", "html"}});

  EXPECT_EQ(fetching.facts().at("title"), "Real");
}

TEST(Fetch, OtherTextsComeAsTheyAreWhateverTheFormat) {
  for (auto const* const format : {"auto", "markdown", "text", "html", "raw"}) {
    Fetching fetching;
    fetching.answer("application/json", R"({ "b": "<p>",  "a": 1.0 })");

    fetching.call({{"format", format}});

    EXPECT_EQ(fetching.text(), R"({ "b": "<p>",  "a": 1.0 })") << format;
    EXPECT_EQ(fetching.result->content.size(), 1u) << format;
  }
}

TEST(Fetch, TextsBecomeUtf8) {
  Fetching fetching;
  fetching.answer("text/plain; charset=windows-1251", "\xCF\xF0\xE8");

  fetching.call({});

  EXPECT_EQ(fetching.text(), "При");
  EXPECT_EQ(fetching.facts().at("charset"), "windows-1251");
}

TEST(Fetch, SaysWhenSomethingCouldNotBeRead) {
  Fetching fetching;
  fetching.answer("text/plain; charset=utf-8", "a\xFF");

  fetching.call({});

  EXPECT_EQ(fetching.text(), "a\uFFFD");
  EXPECT_THAT(fetching.text(1), HasSubstr("not valid utf-8"));
}

TEST(Fetch, ALongTextIsCutAndTheNoteSaysHowToGoOn) {
  Fetching fetching;
  fetching.answer("text/plain", "first line\nsecond line\nthird line\n");

  fetching.call({{"max_length", 25}});

  EXPECT_EQ(fetching.text(), "first line\nsecond line\n");
  EXPECT_EQ(fetching.text(1),
            "[Cut: this is byte 0 to 23 of 34. To go on, fetch the same URL with "
            "start_index=23.]");
  EXPECT_EQ(fetching.facts().at("nextIndex"), 23u);
  EXPECT_EQ(fetching.facts().at("truncated"), true);

  fetching.call({{"max_length", 25}, {"start_index", 23}});

  EXPECT_EQ(fetching.text(), "third line\n");
  EXPECT_EQ(fetching.text(1), "[This is byte 23 to 34 of 34: the end.]");
  EXPECT_FALSE(fetching.facts().contains("nextIndex"));
  EXPECT_EQ(fetching.facts().at("totalLength"), 34u);
  EXPECT_EQ(fetching.facts().at("length"), 11u);

  fetching.call({{"start_index", 34}});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_EQ(fetching.text(), "Error: start_index 34 is beyond the end: the text has 34 bytes.");
}

TEST(Fetch, TellsWhereARedirectLed) {
  Fetching fetching;
  fetching.answer("text/plain", "moved");
  fetching.road.final_url = "https://www.example.com/new";

  fetching.call({});

  EXPECT_EQ(fetching.text(1), "[Redirected to: https://www.example.com/new]");
  EXPECT_EQ(fetching.facts().at("url"), "https://www.example.com/new");
  EXPECT_EQ(fetching.facts().at("redirected"), true);
}

TEST(Fetch, TellsTheFactsOfTheAnswerButNoCookies) {
  Fetching fetching;
  fetching.road.head.headers = {
      {"X-A", "1"}, {"x-a", "2"}, {"Set-Cookie", "secret=1"}, {"ETag", "\"v1\""}};
  fetching.answer("text/plain", "x");

  fetching.call({});

  EXPECT_EQ(fetching.facts().at("status"), 200);
  EXPECT_EQ(fetching.facts().at("callId").get_string(), fetching.road.call_id);
  EXPECT_FALSE(fetching.road.call_id.empty());
  EXPECT_EQ(fetching.facts().at("headers"),
            (json::Object{{"x-a", "1, 2"}, {"etag", "\"v1\""}, {"content-type", "text/plain"}}));
}

TEST(Fetch, HeadersThatAreNotUtf8BecomeTextByteByByte) {
  Fetching fetching;
  fetching.road.head.headers = {{"X-A", "caf\xE9"}, {"X-B", "caf\u00E9"}};
  fetching.answer("text/plain", "x");

  fetching.call({});

  EXPECT_EQ(fetching.facts().at("headers").at("x-a"), "caf\u00E9");
  EXPECT_EQ(fetching.facts().at("headers").at("x-b"), "caf\u00E9");
}

TEST(Fetch, AStatusOf400AndMoreIsAnErrorThatShowsThePage) {
  Fetching fetching;
  fetching.road.head.status = 404;
  fetching.answer("text/plain", "No such page.");

  fetching.call({});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_EQ(fetching.text(), "Error: HTTP 404 Not Found\n\nNo such page.");
  EXPECT_FALSE(fetching.result->meta.contains("sallyport/error"));
  EXPECT_EQ(fetching.facts().at("status"), 404);
}

TEST(Fetch, AnEmptyAnswerSaysSo) {
  Fetching fetching;

  fetching.call({});
  EXPECT_EQ(fetching.text(), "(empty response)");

  fetching.road.head.status = 204;
  fetching.call({});
  EXPECT_EQ(fetching.text(), "(empty response: HTTP 204 No Content)");
  EXPECT_FALSE(fetching.result->is_error);

  fetching.road.head.status = 500;
  fetching.call({});
  EXPECT_EQ(fetching.text(), "Error: HTTP 500 Internal Server Error\n\n(empty response)");
}

TEST(Fetch, APageWithoutTextSaysWhatToDo) {
  Fetching fetching;
  fetching.answer("text/html", "<html><body><div id=root></div></body></html>");

  fetching.call({});

  EXPECT_THAT(fetching.text(), HasSubstr("format=html"));
}

TEST(Fetch, FailuresOfTheRoadAreResultsTheModelCanRead) {
  Fetching fetching;
  fetching.road.failure = fail(Errc::EgressBlocked, "127.0.0.1 is a loopback address.", "hidden");

  fetching.call({});

  ASSERT_TRUE(fetching.result);
  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_EQ(fetching.text(), "Error: 127.0.0.1 is a loopback address.");
  EXPECT_FALSE(fetching.result->structured);
  EXPECT_EQ(
      fetching.result->meta.at("sallyport/error"),
      (json::Object{
          {"code", "egress_blocked"}, {"callId", fetching.road.call_id}, {"requestId", "r-1"}}));
}

TEST(Fetch, CancellationAndOurOwnMistakesAreNoResults) {
  for (auto const code : {Errc::Cancelled, Errc::Internal}) {
    Fetching fetching;
    fetching.road.failure = fail(code, "x");

    fetching.call({});

    ASSERT_FALSE(fetching.result);
    EXPECT_EQ(fetching.result.error().code, code);
  }
}

TEST(Fetch, ReadsEventStreamsOnlyWhereTheOptionsSaySo) {
  Fetching fetching;
  fetching.answer("text/event-stream", "data: 1\n\n");

  fetching.call({});
  EXPECT_TRUE(fetching.road.sent->refuse_event_streams);

  fetching.options.event_streams = true;
  fetching.call({});
  EXPECT_FALSE(fetching.road.sent->refuse_event_streams);
  EXPECT_EQ(fetching.text(), "data: 1\n\n");
}

TEST(Fetch, ConvertsLongPagesElsewhereWithTheSameResult) {
  Fetching fetching;
  std::string page = "<html><head><title>Long</title></head><body>";
  while (page.size() < 1'000'000) page += "<p>A paragraph with some words in it.</p>\n";
  fetching.answer("text/html", page);

  fetching.call({{"max_length", 1000}});

  EXPECT_THAT(fetching.text(), HasSubstr("A paragraph with some words in it."));
  EXPECT_LE(fetching.text().size(), 1000u);
  EXPECT_EQ(fetching.facts().at("title"), "Long");

  fetching.call({{"start_index", 5'000'000}});
  EXPECT_THAT(fetching.text(), HasSubstr("beyond the end"));
}

TEST(Fetch, ALongConversionCanBeCancelled) {
  Fetching fetching;
  fetching.answer("text/plain; charset=shift_jis", std::string(8'000'000, '\x93'));

  fetching.call({}, test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(fetching.result);
  EXPECT_EQ(fetching.result.error().code, Errc::Cancelled);
}

}  // namespace
}  // namespace sallyport::tools
