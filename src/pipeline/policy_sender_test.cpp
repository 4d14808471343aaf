#include "src/pipeline/policy_sender.hpp"

#include "src/pipeline/test_road.hpp"

namespace sallyport::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Remembers what it was asked.
class Listener final : public policy::Evaluator {
 public:
  Task<policy::Decision> decide(policy::Query const& query) override {
    operations.emplace_back(query.operation);
    all_for_policy = all_for_policy && query.for_policy && !query.named_by_settings;
    co_return policy::Decision{.allowed = true};
  }
  std::vector<std::string> operations;
  bool all_for_policy{true};
};

class PolicySenderTest : public fakes::EgressRoadTest {
 protected:
  Result<http::Response> ask(policy::SendRequest request) {
    auto const url = *url::Url::parse("https://judged.example/");
    http::Headers const headers;
    policy::Query const judged{.operation = "fetch",
                               .purpose = "fetch",
                               .url = url,
                               .method = "GET",
                               .headers = headers,
                               .request = about_,
                               .tool = "fetch",
                               .server = ""};
    return on_road<http::Response>([&](EgressRoad& road, Passage const&) {
      sender_.emplace(road);
      return sender_->send(std::move(request), judged);
    });
  }

  std::optional<PolicySender> sender_;
};

TEST_F(PolicySenderTest, SendsForTheSakeOfTheCallThatIsJudged) {
  Listener listener;
  evaluator_ = &listener;

  auto const answer = ask({.method = "POST",
                           .url = "https://b.example/ask",
                           .headers = {{"X-Mine", "1"}},
                           .body = "{}"});

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "hello");
  ASSERT_EQ(connector_.sent.size(), 1);
  EXPECT_EQ(connector_.sent[0].method, "POST");
  EXPECT_EQ(connector_.sent[0].body, "{}");
  EXPECT_THAT(listener.operations, ElementsAre("policy"));
  EXPECT_TRUE(listener.all_for_policy);
  EXPECT_EQ(record().purpose, "policy");
  EXPECT_EQ(record().principal, "alice");
  EXPECT_EQ(record().tool, "fetch");
}

TEST_F(PolicySenderTest, AddsNoCredentials) {
  ASSERT_TRUE(ask({.method = "GET", .url = "https://a.example/"}));

  EXPECT_EQ(connector_.sent[0].headers.find("authorization"), nullptr);
}

TEST_F(PolicySenderTest, ReachesNoPrivateNetwork) {
  auto const answer = ask({.method = "GET", .url = "https://inside.example/"});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::EgressBlocked);
  EXPECT_TRUE(connector_.sent.empty());
  EXPECT_EQ(record().verdict, audit::Verdict::Denied);
}

TEST_F(PolicySenderTest, IsHeldByRules) {
  auto const answer = ask({.method = "GET", .url = "https://denied.example/"});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::PolicyDenied);
}

TEST_F(PolicySenderTest, FollowsRedirectsOnlyWhereItIsAsked) {
  EXPECT_EQ(ask({.method = "GET", .url = "https://c.example/away"})->status, 302);
  EXPECT_EQ(ask({.method = "GET", .url = "https://c.example/away", .follow_redirects = true})->body,
            "hello");
}

TEST_F(PolicySenderTest, NeedsNoSecondPlaceButCounts) {
  limiter_ = Limiter{{.concurrent = 2, .per_host = {.count = 1, .period = std::chrono::hours{1}}}};
  auto const enter = [&](std::string_view text) {
    auto const url = *url::Url::parse(text);
    return limiter_.enter({.principal = "bob", .tool = "fetch", .url = url, .now = Clock::now()});
  };
  auto const judged = enter("https://judged.example/");
  auto const another = enter("https://another.example/");
  ASSERT_TRUE(judged && another);

  EXPECT_TRUE(ask({.method = "GET", .url = "https://b.example/"}));
  EXPECT_TRUE(ask({.method = "GET", .url = "https://b.example/"}));

  limiter_ = Limiter{{.per_host = {.count = 1, .period = std::chrono::hours{1}}}};
  EXPECT_TRUE(ask({.method = "GET", .url = "https://b.example/"}));
  auto const refused = enter("https://b.example/");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Too many calls to b.example"));
}

}  // namespace
}  // namespace sallyport::pipeline
