#include "src/pipeline/egress_road.hpp"

#include "src/pipeline/test_road.hpp"

namespace sallyport::pipeline {
namespace {

using fakes::EgressRoadTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

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

TEST_F(EgressRoadTest, WhereAUrlOfTheSettingsRedirectsToIsJudgedAsAnyOther) {
  policy::Allowlist allowlist{{.allow = {{.reach = {.hosts = {"c.example"}}, .name = "c"}}}};
  evaluator_ = &allowlist;
  auto request = get("https://a.example/away");
  request.named_by_settings = true;

  auto const answer = send(std::move(request));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::PolicyDenied);
  EXPECT_THAT(answer.error().message, HasSubstr("b.example"));
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

TEST_F(EgressRoadTest, WhereAUrlOfTheSettingsRedirectsToCountsForTheLimits) {
  limiter_ = Limiter{{.per_host = {1, std::chrono::hours{1}}}};
  ASSERT_TRUE(send(get("https://b.example/")));
  auto request = get("https://a.example/away");
  request.named_by_settings = true;

  auto const answer = send(std::move(request));

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("Too many calls to b.example"));
  EXPECT_THAT(connector_.sent, SizeIs(2));
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

}  // namespace
}  // namespace sallyport::pipeline
