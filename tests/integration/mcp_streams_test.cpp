// Long answers, uploads and events through the whole service, in both eras.
#include "tests/integration/streams_fixture.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/resident.hpp"

#include <atomic>
#include <memory>

namespace sallyport::test {
namespace {

constexpr std::string_view kEndless = "HTTP/1.1 200 OK\r\nContent-Type: application/x\r\n\r\n";

TEST_F(StreamsTest, DownloadsAHundredMegabytesInFlatMemory) {
  if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  Nginx const nginx{NginxOptions{}};
  constexpr std::size_t kSize = 100'000'000;
  {
    std::string file(kSize, '\0');
    for (std::size_t i = 0; i < kSize; ++i) file[i] = static_cast<char>(i * 31 + i / 1000);
    nginx.put_file("large.bin", file);
  }
  add_backend("files", nginx.url("/"));
  serve();
  auto const opened = tool("http_request", {{"url", "/large.bin"}});
  ASSERT_EQ(opened.facts().at("bodyType"), "stream");
  EXPECT_EQ(opened.facts().at("stream").at("length"), kSize);
  auto const id = std::string{json::view(opened.facts().at("stream").at("id").as_string())};

  auto const before = resident_kilobytes();
  std::size_t most = 0;
  std::size_t at = 0;
  bool same = true;
  auto const ended = pull_all(id, [&](std::string const& bytes) {
    for (char const c : bytes) {
      same = same && c == static_cast<char>(at * 31 + at / 1000);
      ++at;
    }
    most = std::max(most, resident_kilobytes());
  });
  EXPECT_EQ(ended.kind, "end");
  EXPECT_EQ(ended.bytes, kSize);
  EXPECT_TRUE(same);
  EXPECT_TRUE(ended.in_order);
  EXPECT_LT(most, before + 40'000) << "kilobytes, the test's own included";
  EXPECT_EQ(open_streams(), 0);
}

TEST_F(StreamsTest, UploadsFiftyMegabytes) {
  std::atomic<std::size_t> received{0};
  std::atomic<bool> same{true};
  Origin origin{[&](Origin::Connection& peer) {
    auto const request = peer.receive_request();
    auto const body = request.find("\r\n\r\n") + 4;
    received = request.size() - body;
    for (std::size_t i = 0; i < received; ++i) {
      same = same && request[body + i] == static_cast<char>('a' + i % 23);
    }
    peer.send(Origin::ok("thanks"));
  }};
  add_backend("api", origin.url("/"));
  serve();
  constexpr std::size_t kSize = 50'000'000;
  auto const id = open_stream(
      {{"url", "/up"}, {"method", "POST"}, {"upload", json::Object{{"length", kSize}}}});
  std::uint64_t seq = 0;
  for (std::size_t at = 0; at < kSize;) {
    std::string piece(std::min<std::size_t>(1024 * 1024, kSize - at), '\0');
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = static_cast<char>('a' + (at + i) % 23);
    }
    json::Object const push{{"id", id},
                            {"seq", seq},
                            {"b64", base64::encode(piece)},
                            {"fin", at + piece.size() == kSize}};
    auto const pushed = tool("stream_push", push);
    ASSERT_FALSE(pushed.is_error()) << pushed.text();
    ASSERT_EQ(pushed.facts().at("ack"), seq + 1);
    if (seq == 20) {
      EXPECT_EQ(tool("stream_push", push).facts().at("ack"), seq + 1) << "not sent twice";
    }
    at += piece.size();
    ++seq;
  }
  std::string answer;
  auto const ended = pull_all(id, [&](std::string const& bytes) { answer += bytes; });
  EXPECT_EQ(ended.kind, "end");
  EXPECT_EQ(answer, "thanks");
  EXPECT_EQ(received, kSize);
  EXPECT_TRUE(same);
}

TEST_F(StreamsTest, AnAppThatDoesNotReadHoldsItsOriginBackAndACloseReachesIt) {
  std::atomic<std::size_t> sent{0};
  std::atomic<bool> gone{false};
  Origin origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send(kEndless);
    std::string const piece(64 * 1024, 'x');
    while (peer.send(piece)) sent += piece.size();
    gone = true;
  }};
  add_backend("api", origin.url("/"));
  serve();
  auto const id = open_stream({{"url", "/endless"}});
  std::size_t before = 0;
  ASSERT_TRUE(soon([&] {
    std::this_thread::sleep_for(300ms);
    return std::exchange(before, sent.load()) == sent.load();
  }));
  // The window, and what sockets hold on the way.
  EXPECT_LT(sent, 16'000'000);
  EXPECT_FALSE(gone);

  std::uint64_t next = 0;
  for (int i = 0; i < 20; ++i) {
    auto const reply = tool("stream_pull", {{"acks", json::Object{{id, next}}}});
    next += reply.facts().at("frames").as_array().size();
  }
  EXPECT_TRUE(soon([&] { return sent > before; })) << "who reads lets it go on";

  auto const closed = tool("stream_close", {{"ids", json::Array{id}}});
  EXPECT_EQ(closed.facts().at("closed").as_array().size(), 1);
  EXPECT_TRUE(soon([&] { return gone.load(); }));
}

TEST_F(StreamsTest, GivesEventsAsTheyHappenAndAShortAnswerAtOnce) {
  Origin origin{[&](Origin::Connection& peer) {
    auto const request = peer.receive_request();
    if (request.starts_with("GET /short")) {
      peer.send(Origin::ok("short", "Content-Type: text/plain\r\n"));
      return;
    }
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 100\n\n");
    for (int i = 0; i < 3; ++i) {
      peer.send(fmt::format("id: {}\nevent: tick\ndata: {}\n\n", i, i * i));
      if (!peer.pause(30ms)) return;
    }
  }};
  add_backend("api", origin.url("/"));
  serve();
  EXPECT_EQ(tool("http_request", {{"url", "/short"}}).body(), "short");
  auto const opened = tool("sse_connect", {{"url", "/events"}});
  auto const id = std::string{json::view(opened.facts().at("connectionId").as_string())};
  EXPECT_EQ(opened.facts().at("status"), 200);
  std::string seen;
  std::uint64_t next = 0;
  for (int turns = 0; turns < 20 && !seen.ends_with("end "); ++turns) {
    auto const reply = tool("stream_pull", {{"acks", json::Object{{id, next}}}});
    for (auto const& frame : reply.facts().at("frames").as_array()) {
      ++next;
      auto const* data = json::find_string(frame.as_object(), "data");
      seen += std::string{json::view(frame.at("kind").as_string())} +
              (data == nullptr ? "" : ":" + std::string{json::view(*data)}) + " ";
    }
  }
  EXPECT_EQ(seen, "retry event:0 event:1 event:4 end ");
}

TEST_F(StreamsTest, AnotherPrincipalFindsNoneOfIt) {
  Origin origin{Origin::answering_once(std::string{kEndless} + "some")};
  add_backend("api", origin.url("/"));
  serve();
  auto const id = open_stream({{"url", "/"}});
  EXPECT_EQ(tool("stream_push", {{"id", id}, {"seq", 0}, {"text", "x"}}, kBob).error_code(),
            "not_found");
  EXPECT_EQ(tool("stream_pull", {{"acks", json::Object{{id, 0}}}}, kBob).facts().at("closed"),
            (json::Array{id}));
  EXPECT_EQ(pull_all(id, [](auto const&) {}).bytes, 4);
}

TEST_F(StreamsTest, WorksInTheOlderEraToo) {
  Origin origin{Origin::answering(Origin::ok(std::string(400'000, 'y')))};
  add_backend("api", origin.url("/"));
  serve();
  auto const session = open_session("2025-11-25", "{}", bearer(kAlice));
  auto const call_old = [&](std::string const& name, std::string const& arguments) {
    auto const response = ask(post(legacy_call("7", name, arguments), session));
    // An answer, or the last event of a stream.
    auto const at = response.body.rfind("data: ");
    return parsed(response.body.starts_with('{') ? response.body : response.body.substr(at + 6));
  };
  auto const opened = call_old("http_request", fmt::format(R"({{"url":"/","view":"{}"}})", kView));
  auto const& stream = opened.at("result").at("structuredContent").at("stream");
  auto const id = std::string{json::view(stream.at("id").as_string())};
  auto const pulled =
      call_old("stream_pull", fmt::format(R"({{"view":"{}","acks":{{"{}":0}}}})", kView, id));
  std::size_t bytes = 0;
  for (auto const& frame : pulled.at("result").at("structuredContent").at("frames").as_array()) {
    auto const* data = json::find_string(frame.as_object(), "b64");
    if (data != nullptr) bytes += base64::decode(json::view(*data))->size();
  }
  EXPECT_GT(bytes, 0);
  EXPECT_TRUE(pulled.at("result").at("content").as_array().empty());
}

class PushTest : public StreamsTest {
 protected:
  // Reads a push to its end; gives the bytes that came in progress, and the result.
  std::pair<std::string, json::Object> read_push(EventClient& client) {
    std::string bytes;
    for (;;) {
      auto const message = parsed(client.data());
      if (message.empty()) return {bytes, {}};
      if (auto const* result = json::find_object(message, "result")) return {bytes, *result};
      EXPECT_EQ(message.at("method"), "notifications/progress");
      auto const& params = message.at("params");
      EXPECT_EQ(params.at("progressToken"), "t");
      auto const& frame = params.at("_meta").at("sallyport/frame");
      auto const* data = json::find_string(frame.as_object(), "b64");
      if (data != nullptr) bytes += *base64::decode(json::view(*data));
    }
  }
  static constexpr std::size_t kSize = 3'000'000;
};

TEST_F(PushTest, SendsFramesInProgressOfBothEras) {
  Origin origin{Origin::answering(Origin::ok(std::string(kSize, 'z')))};
  add_backend("api", origin.url("/"));
  settings_.streams.window_bytes = 8'000'000;
  serve();
  auto const session = open_session("2025-11-25", "{}", bearer(kAlice));
  for (bool const is_modern : {true, false}) {
    auto const id = open_stream({{"url", "/"}});
    auto const arguments =
        fmt::format(R"({{"view":"{}","acks":{{"{}":0}},"push":true,"waitMs":20000}})", kView, id);
    auto modern = modern_call("stream_pull", arguments);
    modern.meta = R"("progressToken":"t")";
    modern.fields = bearer(kAlice);
    auto const begin = Clock::now();
    EventClient client{
        port_, is_modern ? modern.http()
                         : post(legacy_call("9", "stream_pull", arguments, kProgress), session)};
    auto const [bytes, result] = read_push(client);
    EXPECT_EQ(bytes.size(), kSize) << is_modern;
    auto const& facts = result.at("structuredContent");
    EXPECT_LT(Clock::now() - begin, 15s) << "all is said: there is nothing to wait for";
    EXPECT_GT(facts.at("sent").at(id).to_number<int>(), 1);
    tool("stream_close", {{"all", true}});
  }
}

TEST_F(PushTest, WaitsForASlowClientInsteadOfCuttingItOff) {
  Origin origin{Origin::answering(Origin::ok(std::string(kSize, 'z')))};
  add_backend("api", origin.url("/"));
  settings_.streams.window_bytes = 8'000'000;
  settings_.limits.sse_queue_bytes = 700'000;
  serve();
  auto const id = open_stream({{"url", "/"}});
  auto modern = modern_call(
      "stream_pull",
      fmt::format(R"({{"view":"{}","acks":{{"{}":0}},"push":true,"waitMs":20000}})", kView, id));
  modern.meta = R"("progressToken":"t")";
  modern.fields = bearer(kAlice);
  EventClient client{port_, modern.http(), 4096};
  std::this_thread::sleep_for(300ms);
  auto bytes = std::size_t{0};
  while (bytes < kSize) {
    auto const message = parsed(client.data());
    ASSERT_FALSE(message.empty()) << "cut off after " << bytes;
    auto const* data = json::find_string(
        message.at("params").at("_meta").at("sallyport/frame").as_object(), "b64");
    if (data != nullptr) bytes += base64::decode(json::view(*data))->size();
  }
  EXPECT_EQ(bytes, kSize);
}

TEST_F(StreamsTest, StopsWithStreamsOpenAndAPullUnderWayAndForgetsThem) {
  Origin origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send(kEndless);
    peer.wait_for_end();
  }};
  add_backend("api", origin.url("/"));
  settings_.limits.shutdown_grace = 200ms;
  serve();
  std::string id;
  for (int i = 0; i < 10; ++i) id = open_stream({{"url", "/"}});
  auto waiting = modern_call("stream_pull", fmt::format(R"({{"view":"{}"}})", kView));
  waiting.fields = bearer(kAlice);
  RawClient client{port_};
  client.send(waiting.http());
  std::this_thread::sleep_for(50ms);
  EXPECT_LT(stop(), 3s);

  serve();
  auto const reply = tool("stream_pull", {{"acks", json::Object{{id, 0}}}});
  EXPECT_EQ(reply.facts().at("closed"), (json::Array{id}));
  EXPECT_EQ(reply.facts().at("open"), 0);
}

TEST_F(StreamsTest, AViewThatIsLeftLosesItsStreams) {
  std::atomic<bool> gone{false};
  Origin origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send(kEndless);
    peer.wait_for_end();
    gone = true;
  }};
  add_backend("api", origin.url("/"));
  settings_.streams.lease = 1s;
  serve();
  open_stream({{"url", "/"}});
  EXPECT_TRUE(soon([&] { return gone.load(); }));
}

}  // namespace
}  // namespace sallyport::test
