#include "src/transport/duplex_peer.hpp"

#include "src/transport/test_server.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace sallyport::transport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string modern(std::string_view id, std::string_view method, std::string_view params = "") {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text.append(id).append(R"(,"method":")").append(method).append(R"(","params":{)").append(params);
  if (!params.empty()) text += ',';
  return text.append(kMeta).append("}}");
}

std::string legacy(std::string_view id, std::string_view method, std::string_view params = "{}") {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text.append(id).append(R"(,"method":")").append(method).append(R"(","params":)");
  return text.append(params).append("}");
}

std::string initialize(std::string_view revision) {
  std::string params = R"({"protocolVersion":")";
  params.append(revision).append(R"(","capabilities":{},"clientInfo":{"name":"t"}})");
  return legacy("0", "initialize", params);
}

class DuplexPeerTest : public TestServer {
 protected:
  // What the peer is sent because of `text`.
  std::vector<std::string> tell(std::string_view text) {
    peer_->receive(text);
    turn();
    return std::exchange(written_, {});
  }

  void TearDown() override {
    peer_.reset();
    TestServer::TearDown();
  }

  std::vector<std::string> written_;
  std::size_t unsent_{0};
  std::unique_ptr<DuplexPeer> peer_ = std::make_unique<DuplexPeer>(
      dispatcher(), Principal{}, 32,
      DuplexPeer::Output{
          .write = [this](std::string message) { written_.push_back(std::move(message)); },
          .unsent = [this] { return unsent_; }});
};

TEST_F(DuplexPeerTest, SpeaksBothErasOnOneStream) {
  EXPECT_THAT(tell(modern("1", "server/discover")),
              ElementsAre(HasSubstr(R"("supportedVersions")")));
  EXPECT_THAT(tell(initialize("2025-06-18")),
              ElementsAre(HasSubstr(R"("protocolVersion":"2025-06-18")")));
  EXPECT_THAT(tell(legacy("2", "tools/list")), ElementsAre(testing::Not(HasSubstr("resultType"))));
  EXPECT_THAT(tell(modern("3", "tools/list")), ElementsAre(HasSubstr(R"("resultType")")));
  EXPECT_THAT(tell(legacy("4", "ping")), ElementsAre(R"({"jsonrpc":"2.0","id":4,"result":{}})"));
}

TEST_F(DuplexPeerTest, TellsCallsWhatThePeerHasYetToTake) {
  unsent_ = 4711;
  EXPECT_THAT(tell(modern("1", "tools/call", R"("name":"unheard")")),
              ElementsAre(HasSubstr(R"("text":"4711")")));
  tell(initialize("2025-03-26"));
  EXPECT_THAT(tell("[" + legacy("2", "tools/call", R"({"name":"unheard"})") + "]"),
              ElementsAre(HasSubstr(R"("text":"4711")")));
}

TEST_F(DuplexPeerTest, AnswersPingBeforeInitialize) {
  EXPECT_THAT(tell(legacy("1", "ping")), ElementsAre(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
}

TEST_F(DuplexPeerTest, RefusesOtherRequestsBeforeInitialize) {
  auto const answers = tell(legacy("1", "tools/list"));

  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(code_of(answers[0]), -32600);
}

TEST_F(DuplexPeerTest, RefusesAModernVersionThatItDoesNotKnow) {
  auto text = modern("1", "tools/list");
  text.replace(text.find("2026-07-28"), 10, "2027-01-01");

  auto const answers = tell(text);

  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(code_of(answers[0]), -32022);
}

TEST_F(DuplexPeerTest, AnswersWhatIsNoMessageAndGoesOn) {
  struct Case {
    std::string text;
    int code;
  };
  for (auto const& [text, code] : {
           Case{"{", -32700},
           Case{"nonsense", -32700},
           Case{std::string(64, '[') + std::string(64, ']'), -32700},
           Case{"1", -32600},
           Case{"null", -32600},
           Case{"{}", -32600},
           Case{R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600},
           Case{"[]", -32600},
       }) {
    auto const answers = tell(text);

    ASSERT_THAT(answers, SizeIs(1)) << text;
    EXPECT_EQ(code_of(answers[0]), code) << text;
  }
  EXPECT_THAT(tell(legacy("1", "ping")), SizeIs(1));
}

TEST_F(DuplexPeerTest, SaysNothingToNotificationsAndReplies) {
  EXPECT_THAT(tell(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), IsEmpty());
  EXPECT_THAT(tell(R"({"jsonrpc":"2.0","id":"0-1","result":{}})"), IsEmpty());
}

TEST_F(DuplexPeerTest, TakesBatchesOfOldSessionsOnly) {
  auto const batch = "[" + legacy("1", "ping") + "]";
  auto const refused = tell(batch);
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_EQ(code_of(refused[0]), -32600);

  tell(initialize("2025-03-26"));
  EXPECT_THAT(tell(batch), ElementsAre(R"([{"jsonrpc":"2.0","id":1,"result":{}}])"));

  tell(initialize("2025-06-18"));
  auto const again = tell(batch);
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(code_of(again[0]), -32600);
}

TEST_F(DuplexPeerTest, CountsCallsInFlightButNotSubscriptions) {
  tell(modern("1", "tools/call", R"("name":"sleep")"));
  EXPECT_EQ(peer_->in_flight(), 1);
  auto const acknowledged =
      tell(modern("2", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  EXPECT_THAT(acknowledged, ElementsAre(HasSubstr("subscriptions/acknowledged")));
  EXPECT_EQ(peer_->in_flight(), 1);

  tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");

  EXPECT_EQ(peer_->in_flight(), 0);
}

TEST_F(DuplexPeerTest, CancelsWithoutAnAnswerInEitherEra) {
  tell(initialize("2025-11-25"));
  tell(legacy(R"("a")", "tools/call", R"({"name":"sleep"})"));
  tell(modern(R"("b")", "tools/call", R"("name":"sleep")"));

  for (auto const* id : {"a", "b"}) {
    EXPECT_THAT(tell(std::string{R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"} +
                     R"("params":{"requestId":")" + id + R"("}})"),
                IsEmpty());
  }

  EXPECT_EQ(calls_in_flight(), 0);
  EXPECT_EQ(cancelled(), 2);
}

TEST_F(DuplexPeerTest, KeepsTheIdsOneAndStringOneApart) {
  tell(modern("1", "tools/call", R"("name":"sleep")"));

  tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");

  EXPECT_EQ(peer_->in_flight(), 1);
}

TEST_F(DuplexPeerTest, HearsOfChangesInBothEras) {
  tell(initialize("2025-11-25"));
  tell(modern("2", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));

  server_.publish({.kind = mcp::Event::Kind::ToolsChanged});
  turn();

  EXPECT_THAT(written_, SizeIs(2));
  EXPECT_THAT(written_, testing::Each(HasSubstr("notifications/tools/list_changed")));
  EXPECT_THAT(written_, testing::Contains(HasSubstr(R"(subscriptionId":2)")).Times(1));
}

TEST_F(DuplexPeerTest, GivesUpEverythingWhenItGoes) {
  tell(initialize("2025-03-26"));
  tell(legacy("1", "tools/call", R"({"name":"sleep"})"));
  tell(modern("2", "tools/call", R"("name":"sleep")"));
  tell(modern("3", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  tell("[" + legacy("4", "tools/call", R"({"name":"sleep"})") + "]");
  EXPECT_EQ(calls_in_flight(), 4);

  peer_.reset();
  server_.publish({.kind = mcp::Event::Kind::ToolsChanged});
  turn();

  EXPECT_EQ(calls_in_flight(), 0);
  EXPECT_EQ(server_.sessions().size(), 0);
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(DuplexPeerTest, OpensAnotherSessionOnASecondInitialize) {
  tell(initialize("2025-03-26"));
  tell(legacy("1", "tools/call", R"({"name":"sleep"})"));

  tell(initialize("2025-11-25"));

  EXPECT_EQ(server_.sessions().size(), 1);
  EXPECT_EQ(calls_in_flight(), 0);
}

TEST_F(DuplexPeerTest, AnswersCallsOnOneLine) {
  auto const answers =
      tell(modern("1", "tools/call", R"("name":"echo","arguments":{"text":"a\nb\u2028c"})"));

  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].find('\n'), std::string::npos);
  EXPECT_THAT(answers[0], HasSubstr(R"(a\nb)"));
}

}  // namespace
}  // namespace sallyport::transport
