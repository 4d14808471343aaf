// Which revision a client and a server come to speak, and what becomes of that when the server
// changes.
#include "src/mcp/client/test_client.hpp"

namespace sallyport::mcp::client {
namespace {

using namespace test_client;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(McpClient, SpeaksTheNewestRevisionToWhoeverKnowsIt) {
  modern();
  wire.says["tools/call"] = {{.messages = {kDone}}};
  auto what = call("größe");
  what.capabilities = {{"elicitation", json::Object{}}};
  what.log_level = LogLevel::Info;

  auto const outcome = ask(std::move(what));

  EXPECT_EQ(json::to_text(outcome->result), R"({"done":true})");
  ASSERT_THAT(wire.methods(), ElementsAre("server/discover", "tools/call"));
  auto const& sent = wire.posts[1];
  EXPECT_EQ(sent.header("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(sent.header("Mcp-Method"), "tools/call");
  EXPECT_EQ(sent.header("Mcp-Name"), "=?base64?Z3LDtsOfZQ==?=");
  auto const about = sent.params().at("_meta").as_object();
  EXPECT_EQ(about.at("io.modelcontextprotocol/protocolVersion").as_string(), "2026-07-28");
  EXPECT_EQ(about.at("io.modelcontextprotocol/logLevel").as_string(), "info");
  EXPECT_TRUE(
      about.at("io.modelcontextprotocol/clientCapabilities").as_object().contains("elicitation"));
  EXPECT_EQ(about.at("progressToken"), sent.message.at("id"));
}

TEST_F(McpClient, OpensASessionWithAnOlderServerAndEndsIt) {
  legacy();
  wire.says["tools/call"] = {{.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());

  ASSERT_THAT(wire.methods(), ElementsAre("server/discover", "initialize",
                                          "notifications/initialized", "tools/call", "end"));
  EXPECT_THAT(wire.posts[1].headers, IsEmpty());
  for (auto const at : {2U, 3U, 4U}) {
    EXPECT_EQ(wire.posts[at].header("Mcp-Session-Id"), "s-1");
    EXPECT_EQ(wire.posts[at].header("MCP-Protocol-Version"), "2025-06-18");
  }
  EXPECT_FALSE(wire.posts[3].params().at("_meta").as_object().contains(
      "io.modelcontextprotocol/protocolVersion"));
}

TEST_F(McpClient, TakesASilentChildProcessForAnOlderServer) {
  wire.http = false;
  wire.says["server/discover"] = {{.goes_on = true}};
  wire.says["initialize"] = {{.messages = {kInitialized}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};
  options.probing = 20ms;

  EXPECT_TRUE(ask(call()).has_value());
}

TEST_F(McpClient, ProbesAChildProcessAgainThatWasOnlyLate) {
  wire.http = false;
  wire.says["server/discover"] = {{.goes_on = true}, {.messages = {kDiscovered}}};
  wire.says["initialize"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32022,"message":"?"}})"}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};
  options.probing = 20ms;

  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_THAT(wire.methods(),
              ElementsAre("server/discover", "initialize", "server/discover", "tools/call"));
}

TEST_F(McpClient, LeavesTimeForASilentChildProcessToBeGreeted) {
  wire.http = false;
  wire.says["server/discover"] = {{.goes_on = true}};
  wire.says["initialize"] = {{.messages = {kInitialized}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};
  options.connecting = 2s;  // less than a probe would take

  EXPECT_TRUE(ask(call()).has_value());
}

TEST_F(McpClient, SaysNothingOfHttpWhereThereIsNone) {
  wire.http = false;
  wire.says["server/discover"] = {{.messages = {kUnknownMethod}}};
  wire.says["initialize"] = {{.messages = {kUnknownMethod}}};

  auto const outcome = ask(call());

  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("answered with error -32601."));
}

TEST_F(McpClient, DoesNotTakeTroubleForAnOldServer) {
  for (auto const status : {401, 403, 429, 500, 503}) {
    wire.says["server/discover"] = {{.status = status}};
    auto const outcome = ask(call());
    ASSERT_FALSE(outcome.has_value());
    EXPECT_THAT(outcome.error().message, HasSubstr(std::to_string(status)));
  }
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"initialize"}), 0);
}

TEST_F(McpClient, OpensASessionWithAnOlderServerThatRefusesInTheWayOfTheNewEra) {
  legacy();
  wire.says["server/discover"] = {{.status = 404, .messages = {kUnknownMethod}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_EQ(wire.posts[3].header("Mcp-Session-Id"), "s-1");
}

TEST_F(McpClient, AssumesThatAServerOfTheNewEraHasWhatItDoesNotTell) {
  wire.says["server/discover"] = {{.status = 404, .messages = {kUnknownMethod}}};
  wire.says["initialize"] = {{.status = 404, .messages = {kUnknownMethod}}};

  auto const agreed = test::run(with_client([](Client& client) { return client.connect(); }));

  ASSERT_TRUE(agreed) << agreed.error().message;
  EXPECT_EQ((*agreed)->revision, kModern);
  EXPECT_TRUE((*agreed)->assumed);
  EXPECT_EQ(json::to_text((*agreed)->capabilities), R"({"tools":{},"resources":{},"prompts":{}})");
}

TEST_F(McpClient, AssumesNothingWhereTheServerIsInTrouble) {
  wire.says["server/discover"] = {{.status = 404, .messages = {kUnknownMethod}}};
  for (auto const status : {0, 401, 503}) {
    wire.says["initialize"] = {{.status = status}};
    EXPECT_FALSE(ask(call()).has_value()) << status;
  }
}

TEST_F(McpClient, GivesTheWordsOfAServerThatRefusesToSayWhatItOffers) {
  wire.says["server/discover"] = {
      {.status = 400,
       .messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32021,"message":"Sample!"}})"}}};

  auto const outcome = ask(call());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::UpstreamFailed);
  EXPECT_THAT(outcome.error().message, HasSubstr("-32021"));
  EXPECT_EQ(outcome.error().detail, "Sample!");
}

TEST_F(McpClient, AsksAgainWhereTheServerOffersTheVersionThatItRefused) {
  wire.says["server/discover"] = {
      {.status = 400,
       .messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32022,"message":"?","data":)"
                    R"({"supported":["2026-07-28"],"requested":"2026-07-28"}}})"}},
      {.messages = {kDiscovered}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_THAT(wire.methods(), ElementsAre("server/discover", "server/discover", "tools/call"));
}

TEST_F(McpClient, FallsBackToTheOlderBindingOnce) {
  wire.says["server/discover"] = {{.status = 404}};
  wire.says["initialize"] = {{.status = 405}, {.messages = {kInitialized}}};
  wire.says["tools/call"] = {{.messages = {kDone}}};
  EXPECT_FALSE(ask(call()).has_value());

  wire.falls_back = true;
  wire.says["initialize"] = {{.status = 405}, {.messages = {kInitialized}}};
  EXPECT_TRUE(ask(call()).has_value());
}

TEST_F(McpClient, OpensAForgottenSessionAnewOnce) {
  legacy();
  wire.says["tools/call"] = {{.status = 404}, {.messages = {kDone}}};
  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"initialize"}), 2);

  wire.says["tools/call"] = {{.status = 404}};
  EXPECT_FALSE(ask(call()).has_value());
}

constexpr auto const* kNoSession =
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}})";
constexpr auto const* kBadParams =
    R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32602,"message":"No _meta."}})";

TEST_F(McpClient, OpensASessionAnewThatTheServerDeniesInItsOwnWay) {
  for (Script const& denial :
       {Script{.status = 400, .messages = {kNoSession}}, Script{.status = 400}}) {
    wire.posts.clear();
    legacy();
    wire.says["tools/call"] = {denial, {.messages = {kDone}}};
    EXPECT_TRUE(ask(call()).has_value());
    EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"initialize"}), 2);
  }
}

TEST_F(McpClient, GivesARefusalThatStaysAsItIs) {
  legacy();
  wire.says["tools/call"] = {
      {.status = 400,
       .messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32000,"message":"No."}})"}}};

  auto const outcome = ask(call());

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->error->code, -32000);
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"tools/call"}), 2);
}

TEST_F(McpClient, SpeaksTheOlderEraToAServerThatWentBackToIt) {
  legacy();
  wire.says["server/discover"] = {{.messages = {kDiscovered}},
                                  {.status = 400, .messages = {kNoSession}}};
  wire.says["tools/call"] = {{.status = 400, .messages = {kNoSession}}, {.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());

  EXPECT_THAT(wire.methods(),
              ElementsAre("server/discover", "tools/call", "server/discover", "initialize",
                          "notifications/initialized", "tools/call", "end"));
}

TEST_F(McpClient, SpeaksTheNewEraToAServerThatCameInPlaceOfAnOlderOne) {
  wire.says["server/discover"] = {{.status = 400, .messages = {kUnknownMethod}},
                                  {.messages = {kDiscovered}}};
  wire.says["initialize"] = {{.messages = {kInitialized}},
                             {.status = 400, .messages = {kBadParams}}};
  wire.says["tools/call"] = {{.status = 400, .messages = {kBadParams}}, {.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());

  EXPECT_THAT(wire.methods(),
              ElementsAre("server/discover", "initialize", "notifications/initialized",
                          "tools/call", "initialize", "server/discover", "tools/call"));
}

TEST_F(McpClient, TakesBadArgumentsForWhatTheyAreInTheNewEra) {
  modern();
  wire.says["tools/call"] = {{.status = 400, .messages = {kBadParams}}};

  EXPECT_EQ(ask(call())->error->code, -32602);
  EXPECT_THAT(wire.methods(), ElementsAre("server/discover", "tools/call"));
}

}  // namespace
}  // namespace sallyport::mcp::client
