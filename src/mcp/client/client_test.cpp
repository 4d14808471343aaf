#include "src/mcp/client/client.hpp"

#include "src/json/write.hpp"
#include "src/mcp/client/test_wire.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto const* kDiscovered =
    R"({"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete","supportedVersions":)"
    R"(["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":)"
    R"({"io.modelcontextprotocol/serverInfo":{"name":"new","version":"1"}}}})";
constexpr auto const* kInitialized =
    R"({"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-06-18","capabilities":)"
    R"({"tools":{}},"serverInfo":{"name":"old","version":"1"}}})";
constexpr auto const* kUnknownMethod =
    R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"?"}})";
constexpr auto const* kDone = R"({"jsonrpc":"2.0","id":{id},"result":{"done":true}})";

class Heard final : public Observer {
 public:
  void heard(NotificationMessage const& message) override { methods.push_back(message.method); }
  std::vector<std::string> methods;
};

class Asked final : public Listener {
 public:
  void progress(json::Object const& params) override { said.push_back(json::to_text(params)); }
  void log(json::Object const& params) override { said.push_back(json::to_text(params)); }
  Task<Answers> answer(Inquiry inquiry) override {
    if (failure) co_return *failure;
    inquiries.push_back(inquiry);
    Timer thinking{co_await asio::this_coro::executor, thinks_for};
    if (thinks_for.count() > 0) co_await thinking.async_wait(use_tuple);
    Answers answers;
    for (auto const& [key, question] : inquiry.questions) {
      said.push_back(question.method);
      answers[key] = {{"action", "accept"}};
    }
    co_return answers;
  }
  std::optional<Error> failure;
  std::vector<std::string> said;
  std::vector<Inquiry> inquiries;
  std::chrono::milliseconds thinks_for{0};
};

class McpClient : public testing::Test {
 protected:
  void modern() { wire.says["server/discover"] = {{.messages = {kDiscovered}}}; }
  void legacy() {
    wire.says["server/discover"] = {{.status = 400, .messages = {kUnknownMethod}}};
    wire.says["initialize"] = {{.session = "s-1", .messages = {kInitialized}}};
  }
  static Ask call(std::string tool = "t") {
    return {.method = "tools/call", .params = {{"name", tool}, {"arguments", json::Object{}}}};
  }

  Result<Outcome> ask(Ask what, test::Interrupt interrupt = test::Interrupt::Never) {
    return test::run(with_client([&, this](Client& client) -> Task<Outcome> {
                       return client.request(std::move(what), listener);
                     }),
                     interrupt);
  }
  template <class Work>
  auto with_client(Work work) -> decltype(work(std::declval<Client&>())) {
    Client client{wire, heard, options, co_await asio::this_coro::executor};
    auto result = co_await capture(work(client));
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    // What it still has to say is said by then.
    Timer pause{co_await asio::this_coro::executor, 5ms};
    co_await pause.async_wait(use_tuple);
    (void)co_await client.close();
    co_return result;
  }

  ScriptedWire wire;
  Heard heard;
  std::shared_ptr<Asked> listener{std::make_shared<Asked>()};
  Asked& asked{*listener};
  ClientOptions options;
};

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

TEST_F(McpClient, ConnectsOnceForAllWhoWait) {
  modern();
  wire.says["tools/call"] = {{.messages = {kDone}}};

  auto const both = test::run(with_client([&, this](Client& client) -> Task<int> {
    using asio::experimental::awaitable_operators::operator&&;
    auto const [one, two] =
        co_await (client.request(call(), listener) && client.request(call(), listener));
    co_return one&& two ? 2 : 0;
  }));

  EXPECT_EQ(*both, 2);
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"server/discover"}), 1);
}

TEST_F(McpClient, TakesTheAnswerWithItsOwnIdAlone) {
  modern();
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":999,"result":{"not":"mine"}})", kDone}}};

  EXPECT_EQ(json::to_text(ask(call())->result), R"({"done":true})");
}

TEST_F(McpClient, HandsOnWhatIsSaidMeanwhile) {
  modern();
  wire.says["tools/call"] = {
      {.messages = {
           R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})",
           R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})",
           kDone}}};

  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_THAT(asked.said, ElementsAre(R"({"progress":1})", R"({"level":"info"})"));
}

TEST_F(McpClient, GivesTheErrorOfTheServerAsItIs) {
  modern();
  wire.says["tools/call"] = {{.messages = {R"({"jsonrpc":"2.0","id":{id},"error":)"
                                           R"({"code":-32602,"message":"No.","data":{"a":1}}})"}}};

  auto const outcome = ask(call());

  ASSERT_TRUE(outcome->error.has_value());
  EXPECT_EQ(outcome->error->code, -32602);
  EXPECT_EQ(outcome->error->message, "No.");
  EXPECT_EQ(json::to_text(outcome->error->data), R"({"a":1})");
}

TEST_F(McpClient, AnswersInRoundsWithTheStateAsItCame) {
  modern();
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required",)"
                    R"("requestState":"a b","inputRequests":{"who":{"method":"elicitation/create",)"
                    R"("params":{"message":"Who?"}}}}})"}},
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required",)"
                    R"("inputRequests":{"where":{"method":"roots/list"}}}})"}},
      {.messages = {kDone}}};

  EXPECT_TRUE(ask(call()).has_value());

  EXPECT_THAT(asked.said, ElementsAre("elicitation/create", "roots/list"));
  auto const second = wire.posts[2].params();
  EXPECT_EQ(second.at("requestState").as_string(), "a b");
  EXPECT_EQ(json::to_text(second.at("inputResponses")), R"({"who":{"action":"accept"}})");
  auto const third = wire.posts[3].params();
  EXPECT_FALSE(third.contains("requestState"));
  EXPECT_NE(wire.posts[1].message.at("id"), wire.posts[2].message.at("id"));
}

TEST_F(McpClient, LeavesAServerThatAsksWithoutEnd) {
  modern();
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"result":)"
                    R"({"resultType":"input_required","requestState":"s"}})"}}};

  auto const outcome = ask(call());

  EXPECT_EQ(outcome.error().code, Errc::UpstreamFailed);
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"tools/call"}), 8);
}

TEST_F(McpClient, AnswersRequestsOfAnOlderServer) {
  legacy();
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":"q-1","method":"ping"})",
                    R"({"jsonrpc":"2.0","id":"q-2","method":"elicitation/create","params":{}})",
                    R"({"jsonrpc":"2.0","id":"q-3","method":"tools/list"})", kDone}}};

  EXPECT_TRUE(ask(call()).has_value());

  std::vector<std::string> replies;
  for (auto const& post : wire.posts) {
    if (post.method == "reply") replies.push_back(json::to_text(post.message));
  }
  EXPECT_THAT(replies, ElementsAre(HasSubstr(R"("id":"q-1","result":{})"),
                                   HasSubstr(R"("id":"q-2","result":{"action":"accept"})"),
                                   HasSubstr(R"("id":"q-3","error":{"code":-32601)")));
}

TEST_F(McpClient, DoesNotCountTheTimeInWhichTheServerWaitsForUs) {
  legacy();
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})",
                    kDone},
       .pause = 20ms}};
  asked.thinks_for = 600ms;
  auto what = call();
  what.patience = {.silence = 200ms, .longest = 400ms};

  auto const outcome = ask(std::move(what));

  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(asked.inquiries.size(), 1U);
  EXPECT_TRUE(asked.inquiries[0].server_waits);
}

TEST_F(McpClient, TellsAnOlderServerWhatCannotBeAskedHere) {
  legacy();
  asked.failure = fail(Errc::ClientCapabilityMissing, "Nobody to ask.");
  wire.says["tools/call"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}})",
                    kDone}}};

  EXPECT_TRUE(ask(call()).has_value());
  EXPECT_EQ(std::ranges::count(wire.methods(), std::string{"reply"}), 1);
}

TEST_F(McpClient, TellsAnOlderServerThatNobodyWaitsAnyMore) {
  legacy();
  wire.says["tools/call"] = {{.goes_on = true}};
  auto impatient = call();
  impatient.patience.silence = 20ms;

  auto const outcome = ask(std::move(impatient));

  EXPECT_EQ(outcome.error().code, Errc::DeadlineExceeded);
  EXPECT_THAT(outcome.error().message, HasSubstr("20ms"));
  ASSERT_EQ(wire.posts[4].method, "notifications/cancelled");
  EXPECT_EQ(wire.posts[4].params().at("requestId"), wire.posts[3].message.at("id"));
  EXPECT_EQ(wire.open, 0);
}

TEST_F(McpClient, HangsUpOnAServerOfTheNewEra) {
  modern();
  wire.says["tools/call"] = {{.goes_on = true}};

  auto const outcome = ask(call(), test::Interrupt::AfterFirstSuspension);

  EXPECT_EQ(outcome.error().code, Errc::Cancelled);
  EXPECT_THAT(wire.methods(), ElementsAre("server/discover", "tools/call"));
  EXPECT_EQ(wire.open, 0);
}

TEST_F(McpClient, ProgressRenewsThePatienceButNotForEver) {
  modern();
  Script talkative{.goes_on = true};
  wire.says["tools/call"] = {talkative};
  auto what = call();
  what.patience = {.silence = 1s, .longest = 30ms};

  EXPECT_THAT(ask(std::move(what)).error().message, HasSubstr("30ms"));
}

TEST_F(McpClient, HearsWhatAnOlderServerSaysByItself) {
  legacy();
  wire.stray.messages = {R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
                         R"({"jsonrpc":"2.0","id":1,"method":"ping"})"};

  auto const listened =
      test::run(with_client([](Client& client) -> Task<void> { return client.listen({}); }));

  EXPECT_TRUE(listened.has_value());
  EXPECT_THAT(heard.methods, ElementsAre("notifications/tools/list_changed"));
}

TEST_F(McpClient, TellsAServerThatKnowsNoSubscriptionsFromOneInTrouble) {
  constexpr auto const* kInternal =
      R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32603,"message":"?"}})";
  modern();
  for (auto const& [answer, expected] :
       {std::pair{Script{.status = 404}, Errc::NotFound},
        {Script{.status = 405}, Errc::NotFound},
        {Script{.status = 400, .messages = {kUnknownMethod}}, Errc::NotFound},
        {Script{.messages = {kUnknownMethod}}, Errc::NotFound},
        {Script{.messages = {kInternal}}, Errc::UpstreamFailed},
        {Script{.status = 503}, Errc::UpstreamFailed},
        {Script{.status = 401}, Errc::CredentialUnavailable}}) {
    wire.says["subscriptions/listen"] = {answer};
    auto const listened =
        test::run(with_client([](Client& client) -> Task<void> { return client.listen({}); }));
    ASSERT_FALSE(listened);
    EXPECT_EQ(listened.error().code, expected) << answer.status << listened.error().message;
  }
}

TEST_F(McpClient, SubscribesToWhatAServerOfTheNewEraSays) {
  modern();
  wire.says["subscriptions/listen"] = {
      {.messages = {R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"}}};

  auto const listened = test::run(with_client(
      [](Client& client) -> Task<void> { return client.listen({{"toolsListChanged", true}}); }));

  EXPECT_TRUE(listened.has_value());
  EXPECT_THAT(heard.methods, ElementsAre("notifications/tools/list_changed"));
  EXPECT_EQ(json::to_text(wire.posts[1].params().at("notifications")),
            R"({"toolsListChanged":true})");
}

// A program that asks on its one stream while requests are under way.
class McpClientOfAProgram : public McpClient {
 protected:
  McpClientOfAProgram() {
    legacy();
    wire.http = false;
    wire.says["tools/call"] = {{.goes_on = true}};
    wire.stray.messages = {
        R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})"};
  }

  struct Caller {
    explicit Caller(std::string name) { about.principal.id = std::move(name); }
    RequestContext about;
    std::shared_ptr<Asked> listener{std::make_shared<Asked>()};
    bool was_asked() const { return !listener->inquiries.empty(); }
  };

  // What the server hears.
  std::string question_while(std::function<void(Client&, TaskGroup&)> begin) {
    (void)test::run(with_client([&, this](Client& client) -> Task<void> {
      auto const executor = co_await asio::this_coro::executor;
      TaskGroup requests{executor, [](std::string_view, Error const&) {}};
      SP_CO_CHECK(co_await client.connect());
      begin(client, requests);
      Timer pause{executor, 1ms};
      co_await pause.async_wait(use_tuple);
      (void)co_await client.listen({});
      while (reply().empty()) {
        pause.expires_after(1ms);
        co_await pause.async_wait(use_tuple);
      }
      requests.stop(asio::cancellation_type::terminal);
      co_await requests.join();
      co_return Result<void>{};
    }));
    return reply();
  }
  TaskGroup::Child begin_call(Client& client, TaskGroup& requests, Caller const& caller) {
    auto what = call();
    what.about = &caller.about;
    what.capabilities = {{"elicitation", json::Object{}}};
    return requests.spawn("a call", run_call(client, std::move(what), caller.listener));
  }
  static Task<void> run_call(Client& client, Ask what, std::shared_ptr<Listener> listener) {
    SP_CO_CHECK(co_await client.request(std::move(what), std::move(listener)));
    co_return Result<void>{};
  }
  std::string reply() const {
    for (auto const& post : wire.posts) {
      if (post.method == "reply") return json::to_text(post.message);
    }
    return {};
  }

  Caller const alice{"alice"};
  Caller const bob{"bob"};
};

TEST_F(McpClientOfAProgram, AsksNobodyWhereAQuestionMayBeAnotherPrincipals) {
  auto const heard = question_while([this](Client& client, TaskGroup& requests) {
    begin_call(client, requests, alice);
    begin_call(client, requests, bob);
  });

  EXPECT_FALSE(alice.was_asked());
  EXPECT_FALSE(bob.was_asked());
  EXPECT_THAT(heard, HasSubstr(R"("id":"q","error")"));
  EXPECT_THAT(heard, HasSubstr("several users"));
}

TEST_F(McpClientOfAProgram, AsksNobodyElseAboutACallThatWasCancelled) {
  question_while([this](Client& client, TaskGroup& requests) {
    auto const given_up = begin_call(client, requests, alice);
    begin_call(client, requests, bob);
    given_up->emit(asio::cancellation_type::terminal);
  });

  EXPECT_FALSE(bob.was_asked());
}

TEST_F(McpClientOfAProgram, AsksTheOnePrincipalWhoseRequestsAreUnderWay) {
  auto const heard = question_while([this](Client& client, TaskGroup& requests) {
    begin_call(client, requests, alice);
    begin_call(client, requests, alice);
  });

  EXPECT_TRUE(alice.was_asked());
  EXPECT_THAT(heard, HasSubstr(R"("id":"q","result":{"action":"accept"})"));
}

TEST_F(McpClientOfAProgram, AsksTheLatestThatCanAnswer) {
  Caller const unable{"alice"};
  question_while([&, this](Client& client, TaskGroup& requests) {
    begin_call(client, requests, alice);
    auto what = call();
    what.about = &unable.about;
    requests.spawn("a call", run_call(client, std::move(what), unable.listener));
  });

  EXPECT_TRUE(alice.was_asked());
  EXPECT_FALSE(unable.was_asked());
}

TEST_F(McpClientOfAProgram, DoesNotTakeRequestsOfOurOwnForThoseOfAPrincipal) {
  wire.says["tools/list"] = {{.goes_on = true}};

  question_while([this](Client& client, TaskGroup& requests) {
    begin_call(client, requests, alice);
    requests.spawn("a list",
                   run_call(client, {.method = "tools/list"}, std::make_shared<NobodyToAsk>()));
  });

  EXPECT_TRUE(alice.was_asked());
}

TEST_F(McpClientOfAProgram, RefusesAQuestionThatIsAboutNoRequest) {
  auto const heard = question_while([](Client&, TaskGroup&) {});

  EXPECT_THAT(heard, HasSubstr("Nobody is there to be asked."));
}

}  // namespace
}  // namespace sallyport::mcp::client
