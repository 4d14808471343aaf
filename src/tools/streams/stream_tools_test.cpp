#include "src/tools/streams/stream_tools.hpp"

#include "src/base/base64.hpp"
#include "src/tools/streams/test_stream_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using namespace test_app;

using StreamTools = StreamToolsTest;

TEST_F(StreamTools, AShortAnswerIsInTheResultAndInTheCacheAsEver) {
  road_.head.headers.add("Content-Type", "text/plain");
  road_.head.headers.add("Cache-Control", "max-age=60");
  road_.script->say("hello");
  road_.script->end();
  auto const got = call("http_request", R"("url":"/a")");
  auto const again = call("http_request", R"("url":"/a")");

  EXPECT_EQ(got.text("body"), "hello");
  EXPECT_EQ(got.text("bodyType"), "text");
  EXPECT_EQ(again.text("body"), "hello");
  EXPECT_EQ(road_.opened.size(), 1);
  EXPECT_EQ(call("stream_pull", "").facts.at("open"), 0);
}

TEST_F(StreamTools, ALongAnswerBecomesAStreamThatIsPulled) {
  std::string const body(300'000, 'x');
  road_.script->say(body);
  road_.script->end();
  auto const got = call("http_request", R"("url":"/a")");
  ASSERT_EQ(got.text("bodyType"), "stream");
  EXPECT_TRUE(got.facts.at("body").is_null());
  EXPECT_EQ(got.facts.at("stream").at("window"), 1024 * 1024);
  auto const id = std::string{json::view(got.facts.at("stream").at("id").as_string())};
  EXPECT_EQ(got.text("streamId"), id);
  EXPECT_EQ(id.size(), 22);

  auto const pulled = call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id));
  ASSERT_EQ(pulled.frames().size(), 3);
  auto const& first = pulled.frames()[0].as_object();
  EXPECT_EQ(first.at("kind"), "data");
  EXPECT_EQ(base64::decode(json::view(first.at("b64").as_string()))->size(), 256 * 1024);
  EXPECT_EQ(pulled.frames()[2].at("kind"), "end");
  EXPECT_EQ(pulled.facts.at("open"), 1);
  auto const last = call("stream_pull", fmt::format(R"("acks":{{"{}":3}})", id));
  EXPECT_EQ(last.facts.at("open"), 0);
  EXPECT_EQ(last.facts.at("closed").as_array().size(), 1);
}

TEST_F(StreamTools, AnAnswerThatDoesNotEndSoonBecomesAStream) {
  road_.script->say("at first");
  auto const got = call("http_request", R"("url":"/slow")");
  EXPECT_EQ(got.text("bodyType"), "stream");
  EXPECT_FALSE(got.facts.at("stream").as_object().contains("length"));
}

TEST_F(StreamTools, WhatIsAnnouncedAsLongIsNotWaitedFor) {
  road_.head.headers.add("Content-Length", "300000");
  auto const got = call("http_request", R"("url":"/a")");
  EXPECT_EQ(got.facts.at("stream").at("length"), 300'000);
}

TEST_F(StreamTools, AStreamMayBeAskedForWhateverItsLength) {
  road_.script->say("x");
  road_.script->end();
  auto const got = call("http_request_stream", R"("url":"/a")");
  EXPECT_EQ(got.text("bodyType"), "stream");
  EXPECT_EQ(road_.operations, std::vector<std::string>{"http_request_stream http_request"});
  EXPECT_EQ(call("stream_pull", "").frames().size(), 2);
}

TEST_F(StreamTools, ALongAnswerFromTheCacheIsAStreamToo) {
  streams_.inline_bytes = 10;
  road_.head.headers.add("Cache-Control", "max-age=60");
  road_.script->say("0123456789");
  road_.script->end();
  EXPECT_EQ(call("http_request", R"("url":"/a")").text("bodyType"), "text");
  auto const got = call("http_request_stream", R"("url":"/a")");
  EXPECT_EQ(road_.opened.size(), 1);
  EXPECT_EQ(got.facts.at("stream").at("length"), 10);
  EXPECT_EQ(call("stream_pull", "").frames()[0].at("b64"), "MDEyMzQ1Njc4OQ==");
}

TEST_F(StreamTools, WhatTheOriginConfirmsComesFromTheCacheWhole) {
  road_.head.headers.add("Cache-Control", "no-cache");
  road_.head.headers.add("ETag", "\"1\"");
  road_.script->say("0123456789");
  road_.script->end();
  EXPECT_EQ(call("http_request", R"("url":"/a")").text("body"), "0123456789");
  road_.head = {.status = 304};
  road_.script = std::make_shared<Script>();  // silent: an origin may be slow to end even that

  EXPECT_EQ(call("http_request", R"("url":"/a")").text("body"), "0123456789");
  auto const streamed = call("http_request_stream", R"("url":"/a")");
  EXPECT_EQ(*road_.opened.at(2).headers.find("if-none-match"), "\"1\"");
  EXPECT_EQ(streamed.facts.at("status"), 200);
  EXPECT_EQ(call("stream_pull", "").frames()[0].at("b64"), "MDEyMzQ1Njc4OQ==");
}

TEST_F(StreamTools, AHeadHasNoBodyWhateverTheCacheHas) {
  road_.head.headers.add("Cache-Control", "max-age=60");
  road_.script->say("0123456789");
  road_.script->end();
  EXPECT_EQ(call("http_request", R"("url":"/a")").text("body"), "0123456789");
  EXPECT_EQ(call("http_request_stream", R"("url":"/a","method":"HEAD")").facts.at("status"), 200);
  EXPECT_EQ(road_.opened.size(), 1);
  EXPECT_EQ(call("stream_pull", "").frames()[0].at("kind"), "end");
}

TEST_F(StreamTools, AnAnswerThatBreaksSoonStillHasItsHeadAndItsBeginning) {
  road_.head.status = 201;
  road_.script->say("at first");
  road_.script->put(fail(Errc::UpstreamFailed, "The connection broke."));
  auto const got = call("http_request", R"("url":"/broken")");
  EXPECT_EQ(got.facts.at("status"), 201);
  ASSERT_EQ(got.text("bodyType"), "stream");
  auto const pulled = call("stream_pull", "");
  ASSERT_EQ(pulled.frames().size(), 2);
  EXPECT_EQ(pulled.frames()[0].at("kind"), "data");
  EXPECT_EQ(pulled.frames()[1].at("code"), "upstream_failed");
}

TEST_F(StreamTools, WithoutAPlaceForItNoOriginIsAsked) {
  limits_.streams_per_view = 1;
  road_.head.headers.add("Content-Type", "text/event-stream");
  EXPECT_FALSE(call("sse_connect", R"("url":"/events")").is_error);
  EXPECT_EQ(call("sse_connect", R"("url":"/events")").code, "limit_exceeded");
  EXPECT_EQ(call("ws_connect", R"("url":"/chat")").code, "limit_exceeded");
  EXPECT_EQ(call("http_request_stream", R"("url":"/a","method":"POST")").code, "limit_exceeded");
  EXPECT_EQ(road_.operations.size(), 1);
  EXPECT_EQ(road_.unsent.size(), 3) << "each is on record";
}

TEST_F(StreamTools, TheLimitOfAStreamIsNotThatOfTheBackend) {
  streams_.total_bytes = 5'000'000'000;
  road_.failure = fail(Errc::LimitExceeded, "The answer is larger than 5000000000 bytes.");
  EXPECT_EQ(call("http_request_stream", R"("url":"/a")").message,
            "The answer is larger than 5000000000 bytes.");
  EXPECT_EQ(road_.opened.at(0).response_bytes, 5'000'000'000);
  EXPECT_TRUE(road_.opened.at(0).may_pause);
}

TEST_F(StreamTools, TellsFailuresAsHttpRequestDoes) {
  road_.failure = fail(Errc::PolicyDenied, "No.");
  EXPECT_EQ(call("http_request", R"("url":"/a")").code, "policy_denied");
  EXPECT_EQ(call("http_request_stream", R"("url":"/../x")").code, "policy_denied");
  EXPECT_EQ(road_.unsent.size(), 1);
  EXPECT_EQ(call("stream_push", R"("id":"none","seq":0,"text":"x")").code, "not_found");
  EXPECT_EQ(call("ws_send", R"("connectionId":"none","seq":0,"messages":[])").code, "not_found");
  EXPECT_EQ(call("sse_close", R"("connectionId":"none")").code, "not_found");
  EXPECT_EQ(call("stream_pull", R"("acks":{"a":-1})").code, "invalid_input");
  EXPECT_TRUE(call("stream_close", R"("ids":["none"])").facts.at("closed").as_array().empty());
}

TEST_F(StreamTools, AnUploadIsPushedAndAnsweredInFrames) {
  road_.head.status = 201;
  road_.script->say("thanks");
  road_.script->end();
  auto const opened =
      call("http_request_stream", R"("url":"/up","method":"POST","upload":{"length":9})");
  ASSERT_FALSE(opened.is_error) << opened.code;
  auto const id = opened.text("streamId");
  EXPECT_EQ(opened.facts.at("stream").at("credit"), 1024 * 1024);
  auto const first = call("stream_push", fmt::format(R"("id":"{}","seq":0,"b64":"b25lIA==")", id));
  EXPECT_EQ(first.facts.at("ack"), 1);
  EXPECT_EQ(
      call("stream_push", fmt::format(R"("id":"{}","seq":0,"b64":"b25lIA==")", id)).facts.at("ack"),
      1);
  EXPECT_EQ(call("stream_push", fmt::format(R"("id":"{}","seq":7,"text":"x")", id)).code,
            "invalid_input");
  call("stream_push", fmt::format(R"("id":"{}","seq":1,"text":"two..","fin":true)", id));
  auto const pulled = call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id));

  EXPECT_EQ(road_.uploaded, "one two..");
  EXPECT_EQ(road_.opened.at(0).upload->size(), 9);
  ASSERT_EQ(pulled.frames().size(), 3);
  EXPECT_EQ(pulled.frames()[0].at("kind"), "head");
  EXPECT_EQ(pulled.frames()[0].at("status"), 201);
  EXPECT_EQ(pulled.frames()[0].at("url"), "/up");
  EXPECT_EQ(pulled.frames()[2].at("kind"), "end");
}

TEST_F(StreamTools, AnUploadThatIsGivenUpFails) {
  auto const opened = call("http_request_stream", R"("url":"/up","method":"PUT","upload":true)");
  auto const id = opened.text("streamId");
  call("stream_push", fmt::format(R"("id":"{}","seq":0,"abort":true)", id));
  auto const pulled = call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id));
  ASSERT_EQ(pulled.frames().size(), 1);
  EXPECT_EQ(pulled.frames()[0].at("kind"), "error");
  EXPECT_EQ(call("http_request_stream", R"("url":"/up","upload":true)").code, "invalid_input");
}

TEST_F(StreamTools, GivesEventsAsFrames) {
  road_.head.headers.add("Content-Type", "text/event-stream; charset=utf-8");
  road_.script->say("id: 8\ndata: x\n\n");
  auto const opened = call("sse_connect", R"("url":"/events","lastEventId":"7")");
  auto const id = opened.text("connectionId");
  auto const pulled = call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id));

  EXPECT_EQ(*road_.opened.at(0).headers.find("last-event-id"), "7");
  EXPECT_EQ(*road_.opened.at(0).headers.find("accept"), "text/event-stream");
  EXPECT_EQ(pulled.frames()[0].at("lastEventId"), "8");
  EXPECT_FALSE(call("sse_close", fmt::format(R"("connectionId":"{}")", id)).is_error);
  settle();
  EXPECT_TRUE(road_.script->gone);
}

TEST_F(StreamTools, WhatIsNoEventStreamIsAnsweredWithoutOne) {
  road_.head.status = 204;
  auto const got = call("sse_connect", R"("url":"/events")");
  EXPECT_EQ(got.facts.at("status"), 204);
  EXPECT_FALSE(got.facts.contains("stream"));
  EXPECT_TRUE(road_.script->gone);
}

TEST_F(StreamTools, CarriesAWebSocket) {
  auto const opened =
      call("ws_connect", R"("url":"/chat","protocols":["a","b"],"headers":{"X-A":"1"})");
  ASSERT_FALSE(opened.is_error) << opened.code;
  auto const id = opened.text("connectionId");
  EXPECT_EQ(opened.text("url"), "/chat");
  EXPECT_EQ(road_.operations, std::vector<std::string>{"ws_connect websocket"});
  EXPECT_EQ(road_.connected.at(0).url, "https://api.example.com/v1/chat");
  EXPECT_EQ(road_.connected.at(0).protocols, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*road_.connected.at(0).headers.find("x-a"), "1");
  EXPECT_TRUE(road_.connected.at(0).header_bytes);

  auto const sent =
      call("ws_send",
           fmt::format(
               R"("connectionId":"{}","seq":0,"messages":[{{"text":"hi"}},{{"b64":"AP8="}}])", id));
  EXPECT_EQ(sent.facts.at("ack"), 1);
  settle();
  ASSERT_EQ(road_.socket_view->sent.size(), 2);
  EXPECT_EQ(road_.socket_view->sent[0].data, "hi");
  road_.socket_view->say(true, "hello");
  auto const pulled = call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id));
  EXPECT_EQ(pulled.frames()[0].at("text"), "hello");
  EXPECT_EQ(call("ws_close", fmt::format(R"("connectionId":"{}","code":1001)", id)).code,
            "invalid_input");
  call("ws_close", fmt::format(R"("connectionId":"{}","code":3000,"reason":"bye")", id));
  auto const closing = call("stream_pull", fmt::format(R"("acks":{{"{}":1}})", id));
  EXPECT_EQ(closing.frames()[0].at("kind"), "close");
  EXPECT_EQ(closing.frames()[0].at("code"), 3000);
}

TEST_F(StreamTools, AWebSocketReachesWhatHttpReaches) {
  EXPECT_EQ(call("ws_connect", R"("url":"wss://elsewhere.example/")").code, "policy_denied");
  EXPECT_EQ(call("ws_connect", R"("url":"/x","protocols":["a","a"])").code, "invalid_input");
  auto const own = call("ws_connect", R"("url":"wss://api.example.com/v1/x")");
  EXPECT_EQ(own.text("url"), "wss://api.example.com/v1/x");
}

TEST_F(StreamTools, APullWaitsForTheFirstFrame) {
  auto const got = call("http_request_stream", R"("url":"/a")");
  auto const none = call("stream_pull", R"("waitMs":1)");
  EXPECT_TRUE(none.frames().empty());
  EXPECT_EQ(none.facts.at("open"), 1);
  asio::post(context_, [&] { road_.script->say("x"); });
  EXPECT_EQ(call("stream_pull", R"("waitMs":5000)").frames().size(), 1);
}

TEST_F(StreamTools, PushesFramesWhereTheClientHearsProgress) {
  context.wants_progress = true;
  road_.script->say("one");
  auto const id = call("http_request_stream", R"("url":"/a")").text("streamId");
  asio::post(context_, [&] {
    road_.script->say("two");
    road_.script->end();
  });
  auto const done = call("stream_pull", R"("push":true,"notify":true,"waitMs":50)");

  EXPECT_TRUE(done.frames().empty());
  EXPECT_EQ(done.facts.at("sent").at(id), 3);
  ASSERT_EQ(context.heard.size(), 3);
  EXPECT_EQ(context.heard[0].second, "{\"sallyport/frame\":{\"id\":\"" + id +
                                         "\",\"seq\":0,\"kind\":\"data\",\"b64\":\"b25l\"}}");
  EXPECT_LT(context.heard[0].first, context.heard[1].first);
  ASSERT_EQ(context.notified.size(), 3);
  EXPECT_EQ(context.notified[0].first, "notifications/stream_chunk");
  EXPECT_THAT(context.notified[0].second, testing::HasSubstr("\"streamId\":\"" + id + "\""));
  EXPECT_EQ(context.notified[2].first, "notifications/stream_end");
  // What was pushed is not acknowledged: it can be pulled again.
  EXPECT_EQ(call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id)).frames().size(), 3);
}

TEST_F(StreamTools, NothingPilesUpForAClientThatIsBehind) {
  context.wants_progress = true;
  road_.script->say("one");
  call("http_request_stream", R"("url":"/a")");
  context.unheard = 1024 * 1024;
  auto const done = call("stream_pull", R"("push":true,"notify":true,"waitMs":50)");
  EXPECT_TRUE(context.heard.empty());
  EXPECT_TRUE(done.facts.at("sent").as_object().empty());
  context.unheard = 0;
  call("stream_pull", R"("push":true,"notify":true,"waitMs":50)");
  EXPECT_EQ(context.heard.size(), 1);
}

TEST_F(StreamTools, TheEndOfAConnectionNamesIt) {
  road_.head.headers.add("Content-Type", "text/event-stream");
  road_.script->end();
  auto const id = call("sse_connect", R"("url":"/events")").text("connectionId");
  call("stream_pull", R"("push":true,"notify":true,"waitMs":50)");
  ASSERT_EQ(context.notified.size(), 1);
  EXPECT_EQ(context.notified[0].first, "notifications/stream_end");
  EXPECT_THAT(context.notified[0].second, testing::HasSubstr("\"connectionId\":\"" + id + "\""));
}

TEST_F(StreamTools, APushEndsWhenCreditIsUsedUp) {
  context.wants_progress = true;
  for (int i = 0; i < 10; ++i) road_.script->say(std::string(20'000, 'x'));
  auto const id = call("http_request_stream", R"("url":"/a")").text("streamId");
  auto const done = call(
      "stream_pull",
      fmt::format(R"("push":true,"acks":{{"{0}":0}},"credit":{{"{0}":50000}},"waitMs":20000)", id));
  EXPECT_EQ(done.facts.at("sent").at(id), 3);
}

TEST_F(StreamTools, WithoutAListenerAPushIsAPull) {
  road_.script->say("x");
  call("http_request_stream", R"("url":"/a")");
  EXPECT_EQ(call("stream_pull", R"("push":true)").frames().size(), 1);
}

TEST_F(StreamTools, AnotherPrincipalFindsNothing) {
  auto const id = call("http_request_stream", R"("url":"/a")").text("streamId");
  context.about.principal.id = "bob";
  EXPECT_EQ(call("stream_push", fmt::format(R"("id":"{}","seq":0,"text":"x")", id)).code,
            "not_found");
  EXPECT_EQ(call("stream_pull", fmt::format(R"("acks":{{"{}":0}})", id))
                .facts.at("closed")
                .as_array()
                .size(),
            1);
  EXPECT_TRUE(call("stream_close", R"("all":true)").facts.at("closed").as_array().empty());
  context.about.principal.id = "alice";
  EXPECT_EQ(call("stream_close", R"("all":true)").facts.at("closed").as_array().size(), 1);
  settle();
  EXPECT_TRUE(road_.script->gone);
}

}  // namespace
}  // namespace sallyport::tools
