// Credentials on the road: added before policy judges, renewed after a 401, never shown.
#include "src/pipeline/test_road.hpp"

namespace sallyport::pipeline {
namespace {

using fakes::EgressRoadTest;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

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
