#include "src/mcp/client/client.hpp"

#include "src/mcp/client/test_client.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace sallyport::mcp::client {
namespace {

using namespace test_client;
using testing::ElementsAre;
using testing::HasSubstr;

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
