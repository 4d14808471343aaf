// WebSockets of apps through the whole service, to a server that sends back what comes.
#include "tests/integration/streams_fixture.hpp"
#include "tests/support/not_tested.hpp"

#if __has_include("tests/support/socket_peer.hpp")
#include "tests/support/socket_peer.hpp"
#define SALLYPORT_HAS_SOCKETS 1
#endif

namespace sallyport::test {
namespace {

class StreamsSocketTest : public StreamsTest {
 protected:
#ifdef SALLYPORT_HAS_SOCKETS
  void SetUp() override {
    add_backend("chat", origin_.url("/"));
    serve();
    auto const opened = tool("ws_connect", {{"url", "/chat"}});
    ASSERT_FALSE(opened.is_error()) << opened.text();
    id_ = json::view(opened.facts().at("connectionId").as_string());
    EXPECT_EQ(opened.facts().at("url"), "/chat");
  }

  AppReply send(json::Array messages) {
    return tool("ws_send", {{"connectionId", id_},
                            {"seq", seq_++},
                            { "messages",
                              std::move(messages) }});
  }

  // The next frames until `count` have come.
  std::vector<json::Object> frames(std::size_t count) {
    std::vector<json::Object> all;
    for (int turns = 0; turns < 100 && all.size() < count; ++turns) {
      auto const reply = tool("stream_pull", {{ "acks", json::Object { { id_, next_ } } }});
      for (auto const& frame : reply.facts().at("frames").as_array()) {
        all.push_back(frame.as_object());
        ++next_;
      }
    }
    return all;
  }

  Origin origin_{[](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.echo();
  }};
  std::string id_;
  std::uint64_t seq_{0};
  std::uint64_t next_{0};
#else
  void SetUp() override { SP_NOT_TESTED("this build has no road for WebSockets"); }
#endif
};

TEST_F(StreamsSocketTest, SendsAndReceivesMessagesInOrder) {
#ifdef SALLYPORT_HAS_SOCKETS
  EXPECT_EQ(send({json::Object{{"text", "h\xC3\xA9llo"}}, json::Object{{"b64", "AP8="}}})
                .facts()
                .at("ack"),
            1);
  auto const came = frames(2);
  ASSERT_EQ(came.size(), 2);
  EXPECT_EQ(came[0].at("text"), "h\xC3\xA9llo");
  EXPECT_EQ(came[1].at("b64"), "AP8=");
#endif
}

TEST_F(StreamsSocketTest, CarriesAMessageOfMegabytesInPieces) {
#ifdef SALLYPORT_HAS_SOCKETS
  std::string const part(1'000'000, 'm');
  for (int i = 0; i < 3; ++i) {
    auto const sent = send({json::Object{{"text", part}, {"more", i < 2}}});
    ASSERT_FALSE(sent.is_error()) << sent.text();
  }
  std::size_t bytes = 0;
  for (bool more = true; more;) {
    auto const came = frames(1);
    ASSERT_FALSE(came.empty());
    for (auto const& frame : came) {
      bytes += frame.at("text").as_string().size();
      more = frame.contains("more");
    }
  }
  EXPECT_EQ(bytes, 3'000'000);
#endif
}

TEST_F(StreamsSocketTest, SaysGoodbyeAndHearsIt) {
#ifdef SALLYPORT_HAS_SOCKETS
  send({json::Object{{"text", "last"}}});
  tool("ws_close", {{"connectionId", id_}, {"code", 3001}, {"reason", "done"}});
  auto const came = frames(1);
  ASSERT_FALSE(came.empty());
  auto const& last = came.back();
  if (last.at("kind") == "text") {
    EXPECT_EQ(frames(1).at(0).at("code"), 3001);
  } else {
    EXPECT_EQ(last.at("code"), 3001);
  }
#endif
}

TEST_F(StreamsSocketTest, ThousandsOfMessagesComeBackInOrder) {
#ifdef SALLYPORT_HAS_SOCKETS
  int expected = 0;
  for (int batch = 0; batch < 20; ++batch) {
    json::Array messages;
    for (int i = 0; i < 100; ++i) {
      messages.push_back(json::Object{{"text", std::to_string(batch * 100 + i)}});
    }
    ASSERT_FALSE(send(std::move(messages)).is_error());
    for (auto const& frame : frames(100)) {
      EXPECT_EQ(json::view(frame.at("text").as_string()), std::to_string(expected));
      ++expected;
    }
  }
  EXPECT_EQ(expected, 2000);
#endif
}

}  // namespace
}  // namespace sallyport::test
