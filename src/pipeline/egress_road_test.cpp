#include "src/pipeline/egress_road.hpp"

#include "src/base/task_group.hpp"
#include "src/policy/allowlist.hpp"

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace sallyport::pipeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class FakeResolver final : public egress::Resolver {
 public:
  Task<std::vector<url::IpAddress>> resolve(std::string host, Deadline) override {
    auto const address = host.starts_with("inside") ? "10.0.0.1" : "93.184.215.14";
    co_return std::vector{*url::IpAddress::parse(address)};
  }
};

class FakeExchange final : public egress::Exchange {
 public:
  FakeExchange(egress::ResponseHead head, std::string body)
      : head_{std::move(head)}, body_{std::move(body)} {}
  egress::ResponseHead& head() noexcept override { return head_; }
  Task<std::string> read() override { co_return std::exchange(body_, {}); }
  egress::ExchangeStats stats() const override {
    return {.connected_address = "93.184.215.14", .bytes_received = 5};
  }

 private:
  egress::ResponseHead head_;
  std::string body_;
};

// Answers by path; "/hang" waits until it is cancelled.
class FakeConnector final : public egress::Connector {
 public:
  Task<std::unique_ptr<egress::Exchange>> open(egress::Dispatch dispatch,
                                               egress::ExchangeStats&) override {
    sent.push_back(dispatch);
    auto const path = dispatch.url.path();
    if (path == "/hang") {
      if (on_hang) on_hang();
      Timer timer{co_await asio::this_coro::executor, Clock::time_point::max()};
      co_await timer.async_wait(use_async);
    }
    if (path == "/reset") co_return fail(Errc::UpstreamFailed, "The connection was reset.");
    egress::ResponseHead head{.status = 200};
    std::string body = "hello";
    if (path == "/echo") {
      body.clear();
      for (auto const& [name, value] : dispatch.headers) body += name + ": " + value + "\n";
    }
    if (path == "/robots.txt") head.status = 404;
    auto const* token = dispatch.headers.find("authorization");
    if (path == "/first-refused") head.status = token && token->ends_with("-1") ? 401 : 200;
    if (path == "/always-refused") head.status = 401;
    if (path == "/leak") {
      head = {.status = 302, .headers = {{"Location", "https://b.example/?t=" + token->substr(7)}}};
    }
    if (path == "/away") head = {.status = 302, .headers = {{"Location", "https://b.example/"}}};
    if (path == "/loop") head = {.status = 302, .headers = {{"Location", "/loop"}}};
    if (!locations.empty()) {
      head = {.status = 302, .headers = {{"Location", locations.front()}}};
      locations.pop_front();
    }
    co_return std::make_unique<FakeExchange>(std::move(head), std::move(body));
  }

  std::vector<egress::Dispatch> sent;
  std::deque<std::string> locations;  // answered with first, whatever the path
  std::function<void()> on_hang;
};

// Tokens with a number, which counts up where a new one can be had.
class NumberedTokens final : public credentials::Source {
 public:
  Task<Secret> value(credentials::Ask const&) override {
    if (interrupted) co_return *interrupted;
    co_return Secret{"Bearer hidden-token-" + std::to_string(number)};
  }
  bool renews() const noexcept override { return true; }
  Async<bool> renew(Secret const& refused, credentials::Ask const& ask) override {
    EXPECT_EQ(refused.reveal(), "Bearer hidden-token-" + std::to_string(number));
    EXPECT_NE(ask.client, nullptr);
    if (has_others) ++number;
    co_return has_others;
  }

  int number{1};
  bool has_others{true};
  std::optional<Error> interrupted;
};

// Asks for a header, as a policy may: by its value.
class WantsHeader final : public policy::Evaluator {
 public:
  explicit WantsHeader(std::string value) : value_{std::move(value)} {}

  Task<policy::Decision> decide(policy::Query const& query) override {
    auto const* found = query.headers.find("authorization");
    failed = query.injection_failed;
    co_return policy::Decision{.allowed = found != nullptr && *found == value_,
                               .reasons = {"the header"}};
  }

  bool failed{false};

 private:
  std::string value_;
};

class FakeSink final : public audit::Sink {
 public:
  Result<void> ready() const override { return is_ready; }
  Task<void> write(audit::Record record) override {
    if (on_write) on_write();
    // As the real one: the record is safe only after a turn of the loop.
    co_await asio::post(co_await asio::this_coro::executor, use_async);
    records.push_back(std::move(record));
    co_return outcome;
  }

  Result<void> is_ready;
  Result<void> outcome;
  std::function<void()> on_write;
  std::vector<audit::Record> records;
};

class EgressRoadTest : public testing::Test {
 protected:
  using Outcome = Result<OutboundAnswer>;

  OutboundRequest get(std::string url) {
    return {.url = std::move(url), .headers = {{"X-Mine", "1"}, {"Accept", "text/html"}}};
  }

  // The outcome of one call; cancelled when it hangs, or while its record is written.
  Outcome send(OutboundRequest request) {
    return on_road<OutboundAnswer>([&](EgressRoad& road, Passage const& passage) {
      return road.send(passage, std::move(request));
    });
  }

  Result<void> record_unsent(UnsentCall call) {
    return on_road<void>([&](EgressRoad& road, Passage const& passage) {
      return road.record_unsent(passage, std::move(call));
    });
  }

  template <class T, class Use>
  Result<T> on_road(Use const& use) {
    EventLoops loops{1};
    std::vector<std::unique_ptr<egress::Resolver>> resolvers;
    resolvers.push_back(std::make_unique<FakeResolver>());
    EgressRoad road{{.guard = guard_,
                     .connector = connector_,
                     .policy = *evaluator_,
                     .injector = injector_,
                     .limiter = limiter_,
                     .audit = sink_,
                     .mask_echoes = mask_echoes_},
                    loops,
                    std::move(resolvers)};
    Passage const passage{.request = &about_, .operation = "fetch", .purpose = "fetch"};
    std::optional<Result<T>> outcome;
    TaskGroup group{loops.executor(0), [](std::string_view, Error const&) {}};
    connector_.on_hang = [&] {
      asio::post(loops.executor(0), [&] { group.stop(asio::cancellation_type::terminal); });
    };
    if (cancel_while_writing_) sink_.on_write = connector_.on_hang;
    auto const call = [&]() -> Task<void> {
      outcome = co_await use(road, passage);
      loops.finish();
      co_return Result<void>{};
    };
    group.spawn("call", call());
    loops.run();
    call_id_ = passage.call_id;
    return std::move(*outcome);
  }

  audit::Record const& record() const { return sink_.records.back(); }

  RequestContext about_{.request_id = "r-1", .principal = {.id = "alice"}, .client = "c/1"};
  egress::Guard guard_;
  policy::Evaluator* evaluator_{&policy_};
  policy::Allowlist policy_{{.deny = {{.reach = {.hosts = {"denied.example"}}, .name = "no"}}}};
  credentials::Injector injector_{
      {{.reach = {.hosts = {"a.example"}, .schemes = {"http", "https"}},
        .header = "Authorization",
        .source = credentials::fixed_source(Secret{"Bearer hidden-token"}),
        .name = "a"}}};
  Limiter limiter_{{}};
  FakeConnector connector_;
  FakeSink sink_;
  std::string call_id_;
  bool cancel_while_writing_{false};
  bool mask_echoes_{true};
};

class RoadTokenTest : public EgressRoadTest {
 protected:
  RoadTokenTest() {
    injector_ = credentials::Injector{
        {{.reach = {.hosts = {"a.example"}}, .header = "Authorization", .source = tokens_}}};
  }
  std::vector<std::string> sent_tokens() const {
    std::vector<std::string> tokens;
    for (auto const& dispatch : connector_.sent) {
      auto const* token = dispatch.headers.find("authorization");
      tokens.push_back(token == nullptr ? "none" : token->substr(7));
    }
    return tokens;
  }

  std::shared_ptr<NumberedTokens> tokens_ = std::make_shared<NumberedTokens>();
};

TEST_F(EgressRoadTest, WritesOneRecordOfWhatHappened) {
  auto const answer = send(get("https://a.example/page?key=secret"));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "hello");
  ASSERT_THAT(sink_.records, SizeIs(1));
  EXPECT_EQ(record().id, call_id_);
  EXPECT_EQ(record().principal, "alice");
  EXPECT_EQ(record().client, "c/1");
  EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
  EXPECT_EQ(record().status, 200);
  EXPECT_EQ(record().bytes_received, 5U);
  auto const& hop = record().hops.front();
  EXPECT_THAT(hop.url, Not(HasSubstr("secret")));
  EXPECT_THAT(hop.header_names, ElementsAre("x-mine", "accept", "authorization"));
  EXPECT_THAT(hop.injected, ElementsAre("Authorization"));
  EXPECT_THAT(hop.resolved, ElementsAre("93.184.215.14"));
  EXPECT_EQ(hop.connected, "93.184.215.14");
}

TEST_F(EgressRoadTest, NoticesThatACallWasCancelledWhileItsRecordWasWritten) {
  cancel_while_writing_ = true;

  auto const answer = send(get("https://a.example/"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Cancelled);
  ASSERT_THAT(sink_.records, SizeIs(1));
  EXPECT_EQ(record().error_code, "");
}

TEST_F(EgressRoadTest, RecordsTheBeginningOfASessionOnly) {
  about_.session = "0123456789abcdef";
  ASSERT_TRUE(send(get("https://a.example/")));
  EXPECT_EQ(record().session, "01234567");
}

TEST_F(EgressRoadTest, RecordsWhatWasRefusedAndSendsNothing) {
  std::pair<char const*, Errc> const cases[] = {
      {"not a url", Errc::InvalidInput},
      {"ftp://a.example/", Errc::EgressBlocked},
      {"http://127.0.0.1/", Errc::EgressBlocked},
      {"http://inside.example/", Errc::EgressBlocked},
      {"https://denied.example/", Errc::PolicyDenied},
  };
  for (auto const& [url, code] : cases) {
    auto const before = sink_.records.size();

    auto const answer = send(get(url));

    ASSERT_FALSE(answer) << url;
    EXPECT_EQ(answer.error().code, code) << url;
    ASSERT_THAT(sink_.records, SizeIs(before + 1)) << url;
    EXPECT_EQ(record().verdict, audit::Verdict::Denied) << url;
    ASSERT_THAT(record().reasons, SizeIs(1)) << url;
    EXPECT_THAT(answer.error().message, HasSubstr(record().reasons.front())) << url;
    EXPECT_EQ(record().error_code, to_string(code)) << url;
  }
  EXPECT_THAT(connector_.sent, SizeIs(0));
}

TEST_F(EgressRoadTest, RecordsWhatFailedOnTheWay) {
  auto const answer = send(get("https://a.example/reset"));

  ASSERT_FALSE(answer);
  ASSERT_THAT(sink_.records, SizeIs(1));
  EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
  EXPECT_EQ(record().error_code, "upstream_failed");
}

TEST_F(EgressRoadTest, RecordsACallThatWasGivenUp) {
  auto const answer = send(get("https://a.example/hang"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Cancelled);
  ASSERT_THAT(sink_.records, SizeIs(1));
  EXPECT_EQ(record().error_code, "cancelled");
}

TEST_F(EgressRoadTest, LeavesEverythingOfTheCallerBehindAtAnotherOrigin) {
  auto const answer = send(get("https://a.example/away"));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->redirected);
  EXPECT_EQ(answer->url.href(), "https://b.example/");
  ASSERT_THAT(connector_.sent, SizeIs(2));
  EXPECT_NE(connector_.sent[0].headers.find("authorization"), nullptr);
  EXPECT_EQ(connector_.sent[1].headers.find("authorization"), nullptr);
  EXPECT_EQ(connector_.sent[1].headers.find("x-mine"), nullptr);
  EXPECT_NE(connector_.sent[1].headers.find("accept"), nullptr);
  EXPECT_THAT(record().hops, SizeIs(2));
}

TEST_F(EgressRoadTest, StopsAfterSoManyRedirects) {
  auto request = get("https://a.example/loop");
  request.max_redirects = 3;

  auto const answer = send(std::move(request));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::LimitExceeded);
  EXPECT_THAT(connector_.sent, SizeIs(4));
}

TEST_F(EgressRoadTest, FollowsOnlyWhereTheCallMayGo) {
  auto request = get("https://a.example/away");
  request.may_redirect_to = [](url::Url const& url) { return url.host() == "a.example"; };

  auto const answer = send(std::move(request));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::PolicyDenied);
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(EgressRoadTest, SendsNothingThatCouldNotBeRecorded) {
  sink_.is_ready = fail(Errc::LimitExceeded, "The audit log is full.");

  auto const answer = send(get("https://a.example/"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The audit log is full.");
  EXPECT_THAT(connector_.sent, SizeIs(0));
}

TEST_F(EgressRoadTest, WithholdsAnAnswerThatWasNotRecorded) {
  sink_.outcome = fail(Errc::Internal, "The audit log cannot be written.");

  auto const answer = send(get("https://a.example/"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The audit log cannot be written.");
}

TEST_F(EgressRoadTest, AsksForRobotsWithoutTheCallersHeadersOrASecondPlace) {
  limiter_ = Limiter{{.concurrent = 1}};
  auto request = get("https://b.example/page");
  request.robots = true;

  auto const answer = send(std::move(request));

  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_THAT(connector_.sent, SizeIs(2));
  EXPECT_EQ(connector_.sent[0].url.path(), "/robots.txt");
  EXPECT_EQ(connector_.sent[0].headers.find("x-mine"), nullptr);
  ASSERT_THAT(sink_.records, SizeIs(2));
  EXPECT_EQ(sink_.records[0].purpose, "robots");
}

TEST_F(EgressRoadTest, AsksForRobotsWithoutCredentials) {
  auto request = get("https://a.example/page");
  request.robots = true;

  auto const answer = send(std::move(request));

  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_THAT(connector_.sent, SizeIs(2));
  EXPECT_EQ(connector_.sent[0].headers.find("authorization"), nullptr);
  EXPECT_NE(connector_.sent[1].headers.find("authorization"), nullptr);
  EXPECT_THAT(sink_.records[0].hops.front().injected, SizeIs(0));
}

TEST_F(EgressRoadTest, ARobotsFileCountsForTheRateOfItsHostAndIsNotRefusedForIt) {
  limiter_ = Limiter{{.per_host = {2, std::chrono::hours{1}}}};
  auto request = get("https://b.example/page");
  request.robots = true;

  auto const first = send(request);
  auto const second = send(get("https://b.example/page"));

  ASSERT_TRUE(first) << first.error().message;
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("Too many calls to b.example"));

  limiter_ = Limiter{{.per_host = {1, std::chrono::hours{1}}}};
  EXPECT_TRUE(send(std::move(request)));
}

TEST_F(EgressRoadTest, TwoIssuersWithTheSameSubjectShareNoLimit) {
  limiter_ = Limiter{{.per_principal = {1, std::chrono::hours{1}}}};
  about_.principal.issuer = "https://one.example";
  ASSERT_TRUE(send(get("https://a.example/")));
  ASSERT_FALSE(send(get("https://a.example/")));

  about_.principal.issuer = "https://two.example";

  EXPECT_TRUE(send(get("https://a.example/")));
}

TEST_F(EgressRoadTest, RecordsWhatNeverCameToTheRoad) {
  auto const refused = record_unsent({.method = "PUT",
                                      .url = "https://a.example/x?key=secret",
                                      .refusal = fail(Errc::PolicyDenied, "No such path.")});

  ASSERT_TRUE(refused) << refused.error().message;
  ASSERT_THAT(sink_.records, SizeIs(1));
  EXPECT_EQ(record().id, call_id_);
  EXPECT_EQ(record().principal, "alice");
  EXPECT_EQ(record().verdict, audit::Verdict::Denied);
  EXPECT_THAT(record().reasons, ElementsAre("No such path."));
  EXPECT_EQ(record().error_code, "policy_denied");
  ASSERT_THAT(record().hops, SizeIs(1));
  EXPECT_EQ(record().hops.front().method, "PUT");
  EXPECT_EQ(record().hops.front().url, "https://a.example/x?key=***");

  ASSERT_TRUE(record_unsent({.url = "/cart?key=secret", .reason = "served from cache"}));
  EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
  EXPECT_THAT(record().reasons, ElementsAre("served from cache"));
  EXPECT_THAT(record().hops.front().url, Not(HasSubstr("secret")));
  EXPECT_THAT(connector_.sent, SizeIs(0));
}

TEST_F(EgressRoadTest, SaysThatWhatWasNotSentCouldNotBeRecordedEither) {
  sink_.outcome = fail(Errc::Internal, "The audit log cannot be written.");
  EXPECT_FALSE(record_unsent({.url = "https://a.example/", .reason = "served from cache"}));
  sink_.is_ready = fail(Errc::LimitExceeded, "The audit log is full.");
  EXPECT_FALSE(record_unsent({.url = "https://a.example/", .reason = "served from cache"}));
}

TEST_F(EgressRoadTest, RecordsWhatCannotEvenBeLookedAt) {
  OutboundRequest const requests[] = {
      {.method = "G T", .url = "http://a.example/"},
      {.url = "http://a.example/", .headers = {{"Host", "x"}}},
      {.url = "http://u@a.example/"},
      {.url = "http://a.example/", .body = "xx", .request_bytes = 1},
  };
  for (auto const& request : requests) {
    EXPECT_FALSE(send(request)) << request.url;
    EXPECT_THAT(record().hops, SizeIs(1)) << request.url;
    EXPECT_EQ(record().verdict, audit::Verdict::Denied) << request.url;
  }
  EXPECT_THAT(sink_.records, SizeIs(std::size(requests)));
}

TEST_F(EgressRoadTest, ARefusedRedirectIsADenial) {
  for (auto const* location : {"http://10.0.0.1/", "file:///etc/passwd"}) {
    connector_.locations = {location};

    EXPECT_FALSE(send(get("http://a.example/")));

    EXPECT_EQ(record().verdict, audit::Verdict::Denied) << location;
    EXPECT_EQ(record().status, 302) << location;
  }
}

TEST_F(EgressRoadTest, KeepsTokensInPathsAndQueriesOutOfTheLog) {
  constexpr auto kToken = "xoxb-8Jd92KsLq01ZmVbT7yRw";
  for (std::string const host : {"denied.example", "a.example"}) {
    auto const url = "https://" + host + "/hook/" + kToken + "?key=" + kToken;
    connector_.locations = std::deque<std::string>(6, url);

    EXPECT_FALSE(send(get(url))) << host;

    EXPECT_THAT(record().error, Not(HasSubstr(kToken)));
    EXPECT_THAT(record().reasons, testing::Each(Not(HasSubstr(kToken))));
    for (auto const& hop : record().hops) EXPECT_THAT(hop.url, Not(HasSubstr(kToken)));
  }
}

TEST_F(EgressRoadTest, HidesInjectedCredentialsThatAnOriginRepeats) {
  auto const answer = send(get("https://a.example/echo"));

  ASSERT_TRUE(answer);
  EXPECT_EQ(*connector_.sent.front().headers.find("Authorization"), "Bearer hidden-token");
  EXPECT_THAT(answer->body, HasSubstr("X-Mine: 1\n"));
  EXPECT_THAT(answer->body, HasSubstr("Authorization: Bearer ***"));
  EXPECT_THAT(answer->body, Not(HasSubstr("hidden")));
}

TEST_F(EgressRoadTest, PolicySeesWhatRulesAddedAndCanRequireIt) {
  WantsHeader wanted{"Bearer hidden-token"};
  evaluator_ = &wanted;
  EXPECT_TRUE(send(get("https://a.example/")));
  EXPECT_EQ(send(get("https://b.example/")).error().code, Errc::PolicyDenied);

  WantsHeader other{"Bearer another"};
  evaluator_ = &other;
  EXPECT_EQ(send(get("https://a.example/")).error().code, Errc::PolicyDenied);
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(EgressRoadTest, ShowsThemWhereTheOperatorSaysSo) {
  mask_echoes_ = false;

  EXPECT_THAT(send(get("https://a.example/echo"))->body, HasSubstr("Bearer hidden-token"));
}

TEST_F(EgressRoadTest, FollowsNoRedirectThatRepeatsACredential) {
  auto const answer = send(get("https://a.example/leak"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::EgressBlocked);
  EXPECT_THAT(answer.error().message, Not(HasSubstr("hidden")));
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(EgressRoadTest, DoesNotRepeatARequestWhoseCredentialIsFixed) {
  auto const answer = send(get("https://a.example/always-refused"));

  EXPECT_EQ(answer->head.status, 401);
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(RoadTokenTest, TriesOnceMoreWithAnotherTokenAfterA401) {
  auto request = get("https://a.example/first-refused");
  request.method = "POST";
  request.body = "body";

  auto const answer = send(std::move(request));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 200);
  EXPECT_FALSE(answer->redirected);
  EXPECT_THAT(sent_tokens(), ElementsAre("hidden-token-1", "hidden-token-2"));
  EXPECT_EQ(connector_.sent[1].body, "body");
  ASSERT_THAT(sink_.records, SizeIs(1));
  ASSERT_THAT(record().hops, SizeIs(2));
  EXPECT_EQ(record().hops[0].status, 401);
  EXPECT_EQ(record().hops[1].status, 200);
  EXPECT_EQ(record().bytes_received, 10U);
}

TEST_F(RoadTokenTest, NeverTriesAThirdTime) {
  EXPECT_EQ(send(get("https://a.example/always-refused"))->head.status, 401);
  EXPECT_THAT(sent_tokens(), ElementsAre("hidden-token-1", "hidden-token-2"));
}

TEST_F(RoadTokenTest, GivesThe401WhereThereIsNoOtherToken) {
  tokens_->has_others = false;

  EXPECT_EQ(send(get("https://a.example/always-refused"))->head.status, 401);
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(RoadTokenTest, DoesNotTryAgainWithATokenOfTheCaller) {
  auto request = get("https://a.example/always-refused");
  request.headers.add("Authorization", "Bearer of-mine");

  EXPECT_EQ(send(std::move(request))->head.status, 401);
  EXPECT_THAT(sent_tokens(), ElementsAre("of-mine"));
}

TEST_F(RoadTokenTest, SaysThatTimeRanOutAndNotThatTheCallWasRefused) {
  tokens_->interrupted = fail(Errc::DeadlineExceeded, "too late");

  auto const answer = send(get("https://a.example/"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
  EXPECT_THAT(connector_.sent, SizeIs(0));
}

TEST_F(RoadTokenTest, NamesHostHeaderAndReasonOfACredentialThatCannotBeHad) {
  tokens_->interrupted = fail(Errc::CredentialUnavailable, "There is no token.", "hidden");

  auto const answer = send(get("https://a.example/"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::CredentialUnavailable);
  EXPECT_EQ(answer.error().message,
            "A credential cannot be had, so nothing was sent: Authorization for a.example (rule "
            "\"Authorization\"): There is no token.");
  EXPECT_EQ(record().verdict, audit::Verdict::Denied);
  EXPECT_THAT(connector_.sent, SizeIs(0));
}

TEST_F(RoadTokenTest, PolicyIsToldThatACredentialIsMissing) {
  tokens_->interrupted = fail(Errc::CredentialUnavailable, "There is no token.");
  WantsHeader wanted{"Bearer hidden-token-1"};
  evaluator_ = &wanted;

  EXPECT_EQ(send(get("https://a.example/")).error().code, Errc::PolicyDenied);
  EXPECT_TRUE(wanted.failed);
}

TEST_F(EgressRoadTest, NeverTellsASecret) {
  auto const answer = send(get("https://a.example/reset"));

  for (auto const& record : sink_.records) {
    EXPECT_THAT(record.error, Not(HasSubstr("hidden")));
    EXPECT_THAT(record.reasons, Not(Contains(HasSubstr("hidden"))));
  }
  EXPECT_THAT(answer.error().message + answer.error().detail, Not(HasSubstr("hidden")));
}

}  // namespace
}  // namespace sallyport::pipeline
