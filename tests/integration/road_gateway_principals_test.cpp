// Older servers that keep something for whoever calls: what is kept apart behind the gateway.
#include "tests/support/gateway_road.hpp"
#include "tests/support/two_callers.hpp"

#include <gmock/gmock.h>

#include <atomic>

namespace sallyport::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::string header_of(std::string const& head, std::string const& name) {
  auto const at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  auto const from = at + name.size() + 4;
  return head.substr(from, head.find("\r\n", from) - from);
}

// Asks for input once two calls are under way, and answers both with what came of it.
constexpr auto const* kAskingProgram = R"sh(
say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2"; }
answer() { say "$1" '"result":{"content":[{"type":"text","text":"'"$2"'"}]}'; }
waiting=
while read -r line; do
  id=$(printf %s "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
  case "$line" in
    *'"id":"q"'*'"error"'*) for each in $waiting; do answer "$each" refused; done ;;
    *'"id":"q"'*) for each in $waiting; do answer "$each" answered; done ;;
    *'"method":"initialize"'*) say "$id" '"result":{"protocolVersion":"2025-06-18",
        "capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}' | tr -d '\n'; echo ;;
    *'"method":"tools/list"'*)
      say "$id" '"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      if [ -n "$waiting" ]; then
        say '"q"' '"method":"elicitation/create","params":{"message":"Who?",
            "requestedSchema":{"type":"object","properties":{}}}' | tr -d '\n'; echo
      fi
      waiting="$waiting $id" ;;
    *'"method":"notifications/'*) ;;
    *) say "$id" '"error":{"code":-32601,"message":"?"}' ;;
  esac
done
)sh";

class RoadGatewayPrincipals : public GatewayRoadTest {
 protected:
  // A server of 2025-06-18: its tool says in which session it was called.
  RoadGatewayPrincipals() {
    server_.answer_with([this](std::string const& request) { return answer_in_session(request); });
  }

  static bool offers(Gateway const& gateway, std::string const& tool) {
    return within_seconds(20, [&] {
      auto const reply = gateway.call(as("alice", Modern{.method = "tools/list"}));
      return reply.whole.find(tool) != std::string::npos;
    });
  }

  // The headers of a session with the gateway.
  static Fields new_session(RawClient& client, std::string const& who) {
    client.send(post(initialize("2025-06-18"), {token_of(who)}));
    return {{"Mcp-Session-Id", header_of(client.receive().head, "Mcp-Session-Id")},
            {"MCP-Protocol-Version", "2025-06-18"},
            token_of(who)};
  }
  // In which session of the server a client of its own session has its call made.
  static std::string call_in_new_session(Gateway const& gateway, std::string const& who) {
    RawClient client{gateway.port()};
    auto const session = new_session(client, who);
    client.send(post(legacy_call("7", "mcp_old_where"), session));
    return Reply::read(client.receive()).text;
  }

  SmallMcpServer server_;

 private:
  std::string answer_in_session(std::string const& request) {
    auto const has = [&](std::string_view text) { return request.find(text) != std::string::npos; };
    auto const id_at = request.find("\"id\":") + 5;
    auto const id = request.substr(id_at, request.find(',', id_at) - id_at);
    auto const said = [&](std::string const& what, std::string const& headers = {}) {
      return Origin::ok(R"({"jsonrpc":"2.0","id":)" + id + "," + what + "}",
                        "Content-Type: application/json\r\n" + headers);
    };
    if (request.starts_with("GET") || request.starts_with("DELETE")) {
      return "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
    }
    if (has(R"("method":"initialize")")) {
      return said(R"("result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},)"
                  R"("resources":{"subscribe":true}},)"
                  R"("serverInfo":{"name":"old","version":"1"}})",
                  "Mcp-Session-Id: s" + std::to_string(++sessions_) + "\r\n");
    }
    if (has(R"("method":"notifications/)")) {
      return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    }
    if (has(R"("method":"tools/list")")) {
      return said(R"("result":{"tools":[{"name":"where","inputSchema":{"type":"object"}}]})");
    }
    if (has(R"("method":"resources/)")) {
      return said(R"("result":{"resources":[],"resourceTemplates":[]})");
    }
    if (has(R"("method":"tools/call")")) {
      auto const session = header_of(request, "Mcp-Session-Id");
      return said(R"("result":{"content":[{"type":"text","text":")" + session + R"("}]})");
    }
    return said(R"("error":{"code":-32601,"message":"?"})");
  }

  std::atomic<int> sessions_{0};
};

// Connections of a client are accepted by any loop: a session with the server must not depend on
// which one it was.
TEST_F(RoadGatewayPrincipals, ThereIsOneSessionOfAPrincipalOnAllConnections) {
  auto options = in_front_of(entry("old", server_), {}, kTwoCallers);
  options.loops = 2;
  Gateway const gateway{std::move(options)};
  ASSERT_TRUE(offers(gateway, "mcp_old_where"));

  std::set<std::string> of_alice;
  std::set<std::string> of_bob;
  for (int connection = 0; connection < 16; ++connection) {
    of_alice.insert(gateway.call(as("alice", modern_call("mcp_old_where"))).text);
    of_bob.insert(gateway.call(as("bob", modern_call("mcp_old_where"))).text);
  }

  EXPECT_THAT(of_alice, SizeIs(1));
  EXPECT_THAT(of_bob, SizeIs(1));
  EXPECT_NE(of_alice, of_bob);
}

TEST_F(RoadGatewayPrincipals, AClientWithASessionHasOneOfItsOwn) {
  Gateway const gateway{in_front_of(entry("old", server_), {}, kTwoCallers)};
  ASSERT_TRUE(offers(gateway, "mcp_old_where"));

  std::set<std::string> const sessions{call_in_new_session(gateway, "alice"),
                                       call_in_new_session(gateway, "alice"),
                                       call_in_new_session(gateway, "bob")};

  EXPECT_THAT(sessions, SizeIs(3));
}

TEST_F(RoadGatewayPrincipals, TheServerIsToldWhenNobodyWantsToHearOfAResourceAnyMore) {
  Gateway const gateway{in_front_of(entry("old", server_), {}, kTwoCallers)};
  ASSERT_TRUE(offers(gateway, "mcp_old_where"));
  RawClient client{gateway.port()};
  auto const session = new_session(client, "alice");
  auto const ask = [&](std::string_view method) {
    client.send(post(legacy("8", method, R"({"uri":"mcp://old/note://1"})"), session));
    return client.receive().status;
  };

  EXPECT_EQ(ask("resources/subscribe"), 200);
  EXPECT_TRUE(within_seconds(10, [&] { return server_.count("resources/subscribe") > 0; }));
  EXPECT_EQ(server_.count("resources/unsubscribe"), 0U);
  EXPECT_EQ(ask("resources/unsubscribe"), 200);
  EXPECT_TRUE(within_seconds(10, [&] { return server_.count("resources/unsubscribe") > 0; }));
}

// A program asks on its only stream: whoever called last saw what another one was asked.
TEST_F(RoadGatewayPrincipals, NobodyIsAskedWhatMayBeAnotherPrincipalsQuestion) {
  auto const program = folder_.write("asking.sh", kAskingProgram);
  Gateway const gateway{in_front_of(
      "- name: old\n  command: /bin/sh\n  args: [\"" + program + "\"]\n", {}, kTwoCallers)};
  ASSERT_TRUE(offers(gateway, "mcp_old_ask"));
  RawClient alice{gateway.port()};
  RawClient bob{gateway.port()};
  auto call = modern_call("mcp_old_ask");
  call.capabilities = R"({"elicitation":{}})";

  alice.send(as("alice", call).http());
  bob.send(as("bob", call).http());
  std::vector<std::string> const texts{Reply::read(alice.receive()).text,
                                       Reply::read(bob.receive()).text};

  EXPECT_THAT(texts, ElementsAre("refused", "refused"));
}

}  // namespace
}  // namespace sallyport::test
