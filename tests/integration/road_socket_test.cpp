// WebSockets of scripts through the built program: judged, given credentials and written down like
// every other call. The ordinary server is the npm package ws; skipped, with a notice, where the
// peers are not installed.
#include "tests/support/certificates.hpp"
#include "tests/support/gateway.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/request_log.hpp"
#include "tests/support/socket_peer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto const* kSocketSecret = "s3cr3t-of-the-handshake";

// What a script needs to talk and to tell how it went.
constexpr auto const* kTalk = R"(
const talk = (url, protocols, use) => new Promise((done) => {
  const seen = [];
  const ws = new WebSocket(url, protocols);
  ws.binaryType = 'arraybuffer';
  ws.onopen = () => use(ws, seen);
  ws.onerror = (e) => seen.push('error: ' + e.message);
  ws.onclose = (e) => done([...seen, e.code, e.reason, e.wasClean]);
});
)";

class RoadSocket : public testing::Test {
 protected:
  void SetUp() override {
    auto const program = std::filesystem::path{SALLYPORT_PROGRAM}.parent_path() / "sallyport-js";
    if (!std::filesystem::exists(program)) {
      SP_NOT_TESTED("sallyport-js was not built: scripts/install_libnode gets what it needs");
    }
  }

  // `port` is open, and its server gets a credential.
  GatewayOptions judged(std::uint16_t port, std::string const& more = {}) const {
    auto const url = "file://" + folder_.write("websocket.rego", R"(package mcp.websocket
allow if {
  input.operation == "websocket"
  startswith(input.url, "ws")
  not startswith(input.url_parsed.path, "/closed")
}
reason := "that is closed" if not allow
)");
    return {.egress = open({place(port)}) + more +
                      "  inject:\n  - host: 127.0.0.1\n    schemes: [http, https]\n    headers: "
                      "{X-Key: " +
                      kSocketSecret + "}\n",
            .more = "policies:\n  websocket:\n    policies:\n    - url: " + url + "\n"};
  }
  static Reply run(Gateway const& gateway, std::string const& code, json::Object more = {}) {
    more["code"] = kTalk + code;
    return gateway.call(modern_call("run_js", json::to_text(more)));
  }
  static std::string value(Reply const& reply) {
    auto const* const facts = json::find_object(reply.result, "structuredContent");
    auto const* const found = facts == nullptr ? nullptr : json::find(*facts, "value");
    return found == nullptr ? reply.whole : json::to_text(*found);
  }
  static std::string url_of(Origin const& origin, std::string_view path = "/") {
    return "ws" + origin.url(path).substr(4);
  }
  static Origin::Script echoing() {
    return [](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      socket.echo();
    };
  }

  TempFolder folder_;
};

TEST_F(RoadSocket, IsOffWithoutAPolicy) {
  Origin const origin{echoing()};
  Gateway const gateway{{.egress = open({place(origin)})}};

  auto const reply = run(gateway, "new WebSocket('" + url_of(origin) + "')");

  EXPECT_TRUE(reply.is_error);
  EXPECT_THAT(reply.text, HasSubstr("policies.websocket"));
  EXPECT_EQ(origin.connections(), 0);
}

TEST_F(RoadSocket, DoesNotReachTheServerWherePolicyDenies) {
  Origin const origin{echoing()};
  Gateway const gateway{judged(origin.port())};

  auto const reply =
      run(gateway, "await talk('" + url_of(origin, "/closed/x") + "', [], (ws) => ws.close())");

  EXPECT_THAT(value(reply), HasSubstr("error: WebSocket failed: Policy does not allow GET ws://"));
  EXPECT_THAT(value(reply), HasSubstr("that is closed"));
  EXPECT_THAT(value(reply), HasSubstr("1006"));
  EXPECT_EQ(origin.connections(), 0);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 1);
  EXPECT_EQ(records[0].text("verdict"), "denied");
  EXPECT_EQ(records[0].text("error_code"), "policy_denied");
  EXPECT_THAT(records[0].hop(0, "url"), StartsWith("ws://127.0.0.1:"));
}

TEST_F(RoadSocket, DoesNotOpenWhatTheGuardCloses) {
  Origin const origin{echoing()};
  Gateway const gateway{judged(1)};

  auto const reply = run(gateway, "await talk('" + url_of(origin) + "', [], (ws) => ws.close())");

  EXPECT_THAT(value(reply), HasSubstr("loopback address"));
  EXPECT_EQ(origin.connections(), 0);
  ASSERT_EQ(gateway.records().size(), 1);
  EXPECT_EQ(gateway.records()[0].text("error_code"), "egress_blocked");
}

TEST_F(RoadSocket, HasARecordOfItsBeginningAndOneOfItsEnd) {
  Origin const origin{echoing()};
  Gateway gateway{judged(origin.port())};

  auto const reply = run(gateway, "await talk('" + url_of(origin, "/?token=abc") +
                                      "', [], (ws, seen) => {\n"
                                      "  ws.onmessage = (e) => { seen.push(e.data); "
                                      "ws.close(3001, 'enough') };\n"
                                      "  ws.send('hello');\n})");

  EXPECT_EQ(value(reply), R"(["hello",3001,"enough",true])");
  auto const records = gateway.records_after(2);
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].text("id"), records[1].text("id"));
  EXPECT_EQ(records[0].text("stream"), "opened");
  EXPECT_EQ(records[1].text("stream"), "closed");
  for (auto const& record : records) {
    EXPECT_EQ(record.text("verdict"), "allowed");
    EXPECT_EQ(record.text("tool"), "run_js");
    EXPECT_EQ(record.number("status"), 101);
    EXPECT_FALSE(record.text("execution").empty());
    EXPECT_THAT(record.all(), Not(HasSubstr("abc")));
    EXPECT_THAT(record.all(), HasSubstr("x-key"));
  }
  EXPECT_EQ(records[1].number("bytes_sent"), 5);
  EXPECT_EQ(records[1].number("bytes_received"), 5);
  EXPECT_EQ(records[1].number("close_code"), 3001);
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

TEST_F(RoadSocket, TakesItsPlaceAmongTheCallsUnderWay) {
  Origin const origin{echoing()};
  Gateway gateway{judged(origin.port(), "  concurrent_per_host: 1\n")};
  auto const url = url_of(origin);

  auto const reply = run(gateway, "const first = talk('" + url +
                                      "', [], (ws) => globalThis.open = ws);\n"
                                      "while (!globalThis.open) await new Promise(r => "
                                      "setTimeout(r, 5));\n"
                                      "const second = await talk('" +
                                      url +
                                      "', [], (ws) => ws.close());\n"
                                      "open.close(); await first;\n"
                                      "[second[0], await talk('" +
                                      url + "', [], (ws) => ws.close(1000))]");

  EXPECT_THAT(value(reply), HasSubstr("at most 1"));
  EXPECT_THAT(value(reply), HasSubstr(R"([1000,"",true])"));
}

TEST_F(RoadSocket, CountsForWhatItsScriptMayMove) {
  Origin const origin{echoing()};
  auto options = judged(origin.port());
  options.more += "js:\n  body_bytes: 100000\n";
  Gateway gateway{std::move(options)};
  auto const after = [&](std::string const& size) {
    return value(run(gateway, "await talk('" + url_of(origin) +
                                  "', [], (ws) => { ws.onmessage = () => ws.close(1000);\n"
                                  "ws.send('x'.repeat(" +
                                  size + ")) })"));
  };

  EXPECT_EQ(after("1000"), R"([1000,"",true])");
  EXPECT_THAT(after("60000"), HasSubstr("larger than it may move")) << "on its way back";
  EXPECT_THAT(after("200000"), HasSubstr("larger than it may move")) << "on its way there";
}

TEST_F(RoadSocket, IsEndedWithItsScript) {
  Origin const origin{echoing()};
  Gateway gateway{judged(origin.port())};

  auto const reply =
      run(gateway, "await talk('" + url_of(origin) + "', [], (ws) => { console.log('open') })",
          {{"execution_timeout_secs", 1}});

  EXPECT_TRUE(reply.is_error);
  auto const records = gateway.records_after(2);
  ASSERT_EQ(records.size(), 2) << reply.whole;
  EXPECT_EQ(records[1].text("error_code"), "cancelled");
  EXPECT_EQ(records[1].number("close_code"), 1006);
}

TEST_F(RoadSocket, IsEndedWithTheProgram) {
  Origin const origin{echoing()};
  Gateway gateway{judged(origin.port())};

  run(gateway, "await talk('" + url_of(origin) + "', [], () => {})", {{"background", true}});
  ASSERT_EQ(gateway.records_after(1).size(), 1);

  EXPECT_EQ(gateway.stop(), 0) << gateway.log();
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[1].text("stream"), "closed");
  EXPECT_EQ(records[1].text("error_code"), "cancelled");
}

TEST_F(RoadSocket, TellsTheScriptHowItEnded) {
  struct Case {
    Origin::Script script;
    std::string expected;
  };
  auto const accepting = [](std::function<void(Origin::Connection&, SocketPeer&)> then) {
    return Origin::Script{[then = std::move(then)](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      then(peer, socket);
    }};
  };
  Case const cases[] = {
      {accepting([](auto&, auto& socket) {
         socket.close(4001, "grüße");
         socket.receive();
       }),
       R"([4001,"grüße",true])"},
      {accepting([](auto&, auto& socket) {
         socket.send(kCloseFrame, "");
         socket.receive();
       }),
       R"([1005,"",true])"},
      {accepting([](auto& peer, auto&) { peer.reset(); }),
       R"(["error: The connection was lost",1006,"The connection broke.",false])"},
      {Origin::answering_once("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
       R"(["error: WebSocket failed: 127.0.0.1 does not open a WebSocket: it answered 403 )"
       R"(Forbidden.",1006,"127.0.0.1 does not open a WebSocket: it answered 403 Forbidden.",false])"},
      {Origin::answering_once(redirect(302, "/elsewhere")),
       R"(["error: WebSocket failed: 127.0.0.1 does not open a WebSocket: it answered 302 Moved.",)"
       R"(1006,"127.0.0.1 does not open a WebSocket: it answered 302 Moved.",false])"},
      {accepting([](auto&, auto& socket) {
         socket.send(kBinaryFrame, std::string(17UL * 1024 * 1024, 'x'));
         socket.receive(kCloseFrame);
       }),
       R"(["error: WebSocket failed: The server sent a message of more than 16777215 bytes.",1009,)"
       R"("The server sent a message of more than 16777215 bytes.",false])"},
  };
  for (auto const& [script, expected] : cases) {
    Origin const origin{script};
    Gateway const gateway{judged(origin.port())};
    EXPECT_EQ(value(run(gateway, "await talk('" + url_of(origin) + "', [], () => {})")), expected);
  }
}

class RoadSocketPeer : public RoadSocket {
 protected:
  void start(std::vector<std::string> variables = {}) {
    peer_ = start_peer("ws_server.mjs", std::move(variables));
    if (!peer_) return;
    url_ = peer_->line();
    port_ = static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
  }

  std::unique_ptr<ChildProcess> peer_;
  std::string url_;
  std::uint16_t port_{0};
};

#define SP_NEED_PEER \
  if (!peer_) SP_NOT_TESTED("the peers are not installed: run tests/peers/install.")

TEST_F(RoadSocketPeer, TalksInTextsAndBytesCompressedAndWithASubprotocol) {
  start();
  SP_NEED_PEER;
  Gateway gateway{judged(port_)};

  auto const reply = run(gateway, "await talk('" + url_ +
                                      R"(/chat', ['chat', 'other'], (ws, seen) => {
  seen.push(ws.protocol, ws.extensions.split(';')[0], ws.url.endsWith('/chat'));
  const all = ['grüße', new Uint8Array([0, 255]), 'x'.repeat(200000), ''];
  ws.onmessage = ({ data }) => {
    if (typeof data !== 'string') seen.push([...new Uint8Array(data)]);
    else seen.push(data.length > 100 ? data.length : data);
    if (--left === 0) ws.close(1000, 'bye');
  };
  let left = all.length;
  for (const each of all) ws.send(each);
}))");

  EXPECT_EQ(value(reply), R"(["chat","permessage-deflate",true,"grüße",[0,255],200000,"",1000,)"
                          R"("bye",true])");
  auto const handshake = parsed(peer_->line());
  EXPECT_EQ(Reply::text_in(handshake, "url"), "/chat");
  EXPECT_EQ(Reply::text_in(handshake, "extensions"), "permessage-deflate");
  EXPECT_EQ(Reply::text_in(handshake.at("headers").as_object(), "x-key"), kSocketSecret);
  EXPECT_EQ(json::to_text(parsed(peer_->line())), R"({"closed":1000,"reason":"bye"})");
}

TEST_F(RoadSocketPeer, NeverShowsTheScriptACredential) {
  start();
  SP_NEED_PEER;
  Gateway gateway{judged(port_)};

  auto const reply = run(gateway, "await talk('" + url_ + R"(', [], (ws, seen) => {
  ws.onmessage = ({ data }) => { seen.push(JSON.parse(data)); ws.close() };
  ws.send('headers');
}))");

  EXPECT_THAT(value(reply), HasSubstr(R"("x-key":"***)")) << reply.whole;
  EXPECT_THAT(reply.whole, Not(HasSubstr(kSocketSecret)));
  EXPECT_THAT(gateway.written(), Not(HasSubstr(kSocketSecret)));
  EXPECT_THAT(peer_->line(), HasSubstr(kSocketSecret)) << "the server got it";
}

TEST_F(RoadSocketPeer, KeepsTheOrderOfManyMessages) {
  start();
  SP_NEED_PEER;
  Gateway gateway{judged(port_)};

  auto const reply = run(gateway, "await talk('" + url_ + R"(', [], (ws, seen) => {
  let count = 0, good = true;
  ws.onmessage = ({ data }) => {
    good &&= data.startsWith(`${count}.`) && data.length === 1000;
    if (++count === 5000) { seen.push(count, good); ws.close(); }
  };
  ws.send('count 5000');
}))");

  EXPECT_EQ(value(reply), R"([5000,true,1005,"",true])");
}

TEST_F(RoadSocketPeer, HearsCloseCodesAndBreaks) {
  start();
  SP_NEED_PEER;
  Gateway gateway{judged(port_)};

  auto const after = [&](std::string const& order) {
    return value(run(gateway, "await talk('" + url_ + "', [], (ws) => ws.send('" + order + "'))"));
  };
  EXPECT_EQ(after("close 4321 that is all"), R"([4321,"that is all",true])");
  EXPECT_EQ(after("close 1011 oops"), R"([1011,"oops",true])");
  EXPECT_THAT(after("break"), HasSubstr(R"("error: The connection was lost",1006,)"));
}

TEST_F(RoadSocketPeer, SpeaksTls) {
  CertificateAuthority authority;
  CertificateAuthority other;
  auto const files = authority.issue();
  start({"TEST_CERTIFICATE=" + files.certificate, "TEST_KEY=" + files.key});
  SP_NEED_PEER;
  auto const code = "await talk('" + url_ + R"(', ['superchat'], (ws, seen) => {
  ws.onmessage = ({ data }) => { seen.push(data, ws.protocol); ws.close(1000) };
  ws.send('private');
}))";
  {
    Gateway gateway{judged(port_, "  ca_file: \"" + authority.file() + "\"\n")};
    EXPECT_EQ(value(run(gateway, code)), R"(["private","superchat",1000,"",true])");
  }
  Gateway gateway{judged(port_, "  ca_file: \"" + other.file() + "\"\n")};
  EXPECT_THAT(value(run(gateway, code)), HasSubstr("The certificate of 127.0.0.1 is not trusted"));
}

}  // namespace
}  // namespace sallyport::test
