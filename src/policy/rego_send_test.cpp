// Policies that use http.send: judged in a thread beside the loop, which sends for them.
#include "src/policy/chain.hpp"
#include "src/policy/rego_source.hpp"
#include "src/policy/test_query.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>

#include <functional>

namespace sallyport::policy {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FakeSender final : public Sender {
 public:
  Task<http::Response> send(SendRequest request, Question judged) override {
    sent.push_back(request.url);
    bodies.push_back(request.body);
    principals.push_back(judged.request().principal.id);
    if (hangs) {
      Timer timer{co_await asio::this_coro::executor, request.deadline.at};
      auto const [interrupted] = co_await timer.async_wait(use_tuple);
      ++ended;
      if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
      co_return fail(Errc::DeadlineExceeded, "The request took too long.");
    }
    if (failure) co_return *failure;
    co_return http::Response{
        .status = status,
        .headers = {{"content-type", "application/json"}, {"cache-control", cache_control}},
        .body = R"({"good": true})"};
  }

  bool hangs{false};
  int status{200};
  std::string cache_control{"no-store"};
  std::optional<Error> failure;
  std::vector<std::string> sent;
  std::vector<std::string> bodies;
  std::vector<std::string> principals;
  int ended{0};
};

constexpr char const* kAsk =
    "ask := http.send({\"method\": \"get\", \"url\": \"https://who.example/\", \"body\": input})\n";

class RegoSend : public testing::Test {
 protected:
  std::unique_ptr<RegoSource> source(std::string const& rules,
                                     std::chrono::milliseconds time = 5s) {
    auto const policy = compile_rego({.sources = {{"p.rego", "package mcp.fetch\n" + rules}}},
                                     "data.mcp.fetch.allow", HttpSend::Allowed);
    EXPECT_TRUE(policy) << policy.error().message;
    return std::make_unique<RegoSource>("p", *policy, rego::Limits{},
                                        Outside{workers_, sender_, cache_, time});
  }

  Result<Judgement> judge(std::string const& rules, std::chrono::milliseconds time = 5s) {
    auto const made = source(rules, time);
    return sallyport::test::run(made->judge(query_.get()));
  }

  test::TestQuery query_;
  FakeSender sender_;
  SendCache cache_;
  WorkerPool workers_{2, 4};
};

TEST_F(RegoSend, AsksAndDecides) {
  EXPECT_TRUE(judge(std::string{kAsk} + "allow if ask.body.good")->allowed);
  EXPECT_FALSE(judge(std::string{kAsk} + "allow if not ask.body.good")->allowed);

  EXPECT_THAT(sender_.sent, ElementsAre("https://who.example/", "https://who.example/"));
  EXPECT_EQ(sender_.principals.front(), "ada");
}

TEST_F(RegoSend, IsOffUnlessItIsAllowed) {
  for (std::string const rules :
       {"allow if http.send({\"method\": \"get\", \"url\": \"u\"})",
        "allow if f(1) with f as http.send\nf(x) := x", "allow if count([]) with http.send as 1"}) {
    auto const policy = compile_rego({.sources = {{"p.rego", "package mcp.fetch\n" + rules}}},
                                     "data.mcp.fetch.allow", HttpSend::Refused);

    ASSERT_FALSE(policy) << rules;
    EXPECT_THAT(policy.error().message, HasSubstr("p.rego:2:")) << rules;
    EXPECT_THAT(policy.error().message,
                HasSubstr("(hint: http.send is off; `policies.http_send: true` turns it on)"));
  }
}

TEST_F(RegoSend, EqualRequestsOfOneJudgementAreSentOnce) {
  auto const judgement = judge(std::string{kAsk} +
                               "allow if ask.status_code == 200\n"
                               "again := http.send({\"method\": \"get\", \"url\": "
                               "\"https://who.example/\", \"body\": input})\n"
                               "reason := \"asked\" if again.body.good\n"
                               "deny if ask.status == \"500\"");

  EXPECT_TRUE(judgement->allowed) << judgement->problem;
  EXPECT_THAT(judgement->reasons, ElementsAre("asked"));
  EXPECT_EQ(sender_.sent.size(), 1U);
}

TEST_F(RegoSend, AnswersAreKeptForLaterJudgementsWhereThePolicyWantsIt) {
  auto const sent_by = [&](std::string const& more) {
    sender_.sent.clear();
    for (int i = 0; i < 3; ++i) {
      auto const judgement =
          judge("allow if http.send({\"method\": \"get\", \"url\": \"https://who.example/" +
                std::to_string(more.size()) + sender_.cache_control + "\"" + more + "})");
      EXPECT_TRUE(judgement->allowed) << judgement->problem;
    }
    return sender_.sent.size();
  };
  EXPECT_EQ(sent_by(""), 3U);
  EXPECT_EQ(sent_by(", \"cache\": true"), 3U);
  EXPECT_EQ(sent_by(", \"force_cache\": true, \"force_cache_duration_seconds\": 60"), 1U);
  sender_.cache_control = "max-age=60";
  EXPECT_EQ(sent_by(""), 3U);
  EXPECT_EQ(sent_by(", \"cache\": true"), 1U);
  sender_.status = 503;
  sender_.cache_control = "max-age=61";
  EXPECT_EQ(sent_by(", \"cache\": true"), 3U);
}

TEST_F(RegoSend, SecretsAreNotShownToAPolicyThatSends) {
  EXPECT_FALSE(
      judge(std::string{kAsk} + "allow if { ask; input.headers.authorization == \"Bearer hush\" }")
          ->allowed);

  ASSERT_EQ(sender_.bodies.size(), 1U);
  EXPECT_THAT(sender_.bodies[0], HasSubstr(R"("authorization":"[redacted]")"));
  EXPECT_THAT(sender_.bodies[0], Not(HasSubstr("hush")));
}

TEST_F(RegoSend, AFailureDeniesAlsoWhereOnlyADenyDependsOnIt) {
  sender_.failure = fail(Errc::UpstreamFailed, "no route");

  auto const judgement = judge(std::string{kAsk} + "allow := true\ndeny if ask.body.bad");

  EXPECT_FALSE(judgement->allowed);
  EXPECT_THAT(judgement->problem, HasSubstr("http.send: no route"));
}

TEST_F(RegoSend, AFailureThatThePolicyWantsToSeeIsAnAnswer) {
  std::string const lenient =
      "ask := http.send({\"method\": \"get\", \"url\": \"u\", \"raise_error\": false})\n";
  sender_.failure = fail(Errc::UpstreamFailed, "no route");
  EXPECT_TRUE(judge(lenient + "allow if { ask.status_code == 0; ask.error.message == \"no route\"; "
                              "ask.error.code == \"eval_http_send_network_error\" }")
                  ->allowed);

  sender_.failure = fail(Errc::EgressBlocked, "private");
  EXPECT_TRUE(
      judge(lenient + "allow if ask.error.code == \"eval_http_send_internal_error\"")->allowed);
}

TEST_F(RegoSend, ATimeoutOfOneRequestIsAFailureOfTheNetwork) {
  sender_.hangs = true;

  EXPECT_TRUE(judge("ask := http.send({\"method\": \"get\", \"url\": \"u\", \"timeout\": \"20ms\", "
                    "\"raise_error\": false})\n"
                    "allow if ask.error.message == \"GET: request timed out\"")
                  ->allowed);
}

TEST_F(RegoSend, TheTimeOfAJudgementEndsWhatItSends) {
  sender_.hangs = true;

  auto const judgement = judge(
      "ask := http.send({\"method\": \"get\", \"url\": \"u\", \"raise_error\": false})\n"
      "allow if ask\nreason := \"x\" if ask",
      50ms);

  ASSERT_TRUE(judgement) << judgement.error().message;
  EXPECT_FALSE(judgement->allowed);
  EXPECT_THAT(judgement->problem, HasSubstr("http.send: timed out"));
  EXPECT_EQ(sender_.sent.size(), 1U);
  EXPECT_EQ(sender_.ended, 1);
}

TEST_F(RegoSend, TheTimeOfTheCallCountsToo) {
  sender_.hangs = true;
  query_.deadline = Deadline::in(50ms);

  EXPECT_FALSE(judge(std::string{kAsk} + "allow if ask")->allowed);
  EXPECT_EQ(sender_.ended, 1);
}

TEST_F(RegoSend, TooManyRequestsEndTheJudgement) {
  auto const judgement = judge(
      "allow if { every i in numbers.range(1, 100) { http.send({\"method\": \"get\", \"url\": "
      "sprintf(\"https://a.example/%d\", [i]), \"raise_error\": false}).status_code == 200 } }");

  EXPECT_FALSE(judgement->allowed);
  EXPECT_THAT(judgement->problem, HasSubstr("http.send: more than 16 requests in one judgement"));
  EXPECT_EQ(sender_.sent.size(), 16U);
}

TEST_F(RegoSend, ACallThatIsGivenUpEndsWhatIsSentForIt) {
  sender_.hangs = true;
  auto const made = source(std::string{kAsk} + "allow if ask");

  auto const judgement = sallyport::test::run(made->judge(query_.get()),
                                              sallyport::test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(judgement);
  EXPECT_EQ(judgement.error().code, Errc::Cancelled);
  EXPECT_EQ(sender_.ended, static_cast<int>(sender_.sent.size()));
}

// The request is under way for sure when the call is given up.
TEST_F(RegoSend, ACallThatIsGivenUpWhileItWaitsEndsWhatIsSentForIt) {
  using asio::experimental::awaitable_operators::operator||;
  sender_.hangs = true;
  auto const made = source(std::string{kAsk} + "allow if ask");
  auto const until_sent = [](FakeSender& sender) -> Task<void> {
    Timer timer{co_await asio::this_coro::executor};
    while (sender.sent.empty()) {
      timer.expires_after(1ms);
      co_await timer.async_wait(use_async);
    }
    co_return Result<void>{};
  };
  auto const race = [&]() -> Task<bool> {
    auto const first = co_await (capture(made->judge(query_.get())) || until_sent(sender_));
    co_return first.index() == 1;
  };

  EXPECT_TRUE(*sallyport::test::run(race()));
  EXPECT_EQ(sender_.ended, 1);
}

TEST_F(RegoSend, TheLoopIsFreeWhileAPolicyWaits) {
  sender_.hangs = true;
  auto const slow = source(std::string{kAsk} + "allow if ask", 200ms);
  auto const quick = source("allow := true");
  auto const both = [&]() -> Task<std::vector<std::string>> {
    using asio::experimental::awaitable_operators::operator&&;
    std::vector<std::string> order;
    auto const note = [](RegoSource& source, Query query, std::string name,
                         std::vector<std::string>& done) -> Task<void> {
      (void)co_await source.judge(query);
      done.push_back(name);
      co_return Result<void>{};
    };
    (void)co_await (note(*slow, query_.get(), "slow", order) &&
                    note(*quick, query_.get(), "quick", order));
    co_return order;
  };

  EXPECT_THAT(*sallyport::test::run(both()), ElementsAre("quick", "slow"));
}

TEST_F(RegoSend, WhereNoThreadIsFreeTheCallIsDenied) {
  sender_.hangs = true;
  WorkerPool busy{1, 0};
  auto const policy = compile_rego(
      {.sources = {{"p.rego", "package mcp.fetch\n" + std::string{kAsk} + "allow if ask"}}},
      "data.mcp.fetch.allow", HttpSend::Allowed);
  RegoSource crowded{"p", *policy, {}, Outside{busy, sender_, cache_, 50ms}};

  auto const judgement = sallyport::test::run(crowded.judge(query_.get()));

  ASSERT_TRUE(judgement) << judgement.error().message;
  EXPECT_FALSE(judgement->allowed);
  EXPECT_THAT(judgement->problem, HasSubstr("busy"));
}

TEST_F(RegoSend, DoesNotJudgeWhatPoliciesSend) {
  auto const made = source(std::string{kAsk} + "allow if ask");
  auto query = query_.get();
  query.for_policy = true;

  auto const judgement = sallyport::test::run(made->judge(query));

  EXPECT_TRUE(judgement->abstained);
  EXPECT_THAT(sender_.sent, IsEmpty());
  EXPECT_TRUE(sallyport::test::run(source("allow := true")->judge(query))->allowed);
}

TEST_F(RegoSend, WithoutThreadsNothingIsSent) {
  auto const policy = compile_rego(
      {.sources = {{"p.rego", "package mcp.fetch\n" + std::string{kAsk} + "allow if ask"}}},
      "data.mcp.fetch.allow", HttpSend::Allowed);
  RegoSource alone{"p", *policy, {}};

  auto const judgement = sallyport::test::run(alone.judge(query_.get()));

  EXPECT_FALSE(judgement->allowed);
  EXPECT_THAT(judgement->problem, HasSubstr("it is off here"));
}

}  // namespace
}  // namespace sallyport::policy
