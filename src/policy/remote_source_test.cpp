#include "src/policy/remote_source.hpp"

#include "src/policy/test_query.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>

#include <deque>

namespace sallyport::policy {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Answers from a list, the last one again and again, and keeps what it was asked.
class ScriptedClient final : public http::Client {
 public:
  explicit ScriptedClient(std::deque<Result<http::Response>> answers)
      : answers_{std::move(answers)} {}

  Task<http::Response> send(http::ClientRequest request) override {
    requests.push_back(std::move(request));
    auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    co_return answer;
  }

  std::vector<http::ClientRequest> requests;

 private:
  std::deque<Result<http::Response>> answers_;
};

http::Response answer(std::string body, int status = 200) {
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

Result<http::Response> dead() {
  return fail(Errc::UpstreamFailed, "The connection was refused.");
}

Judgement judge(RemoteSource& source) {
  test::TestQuery const query;
  return *sallyport::test::run(source.judge(query.get()));
}

TEST(RemoteSource, AsksTheDataApiWithTheInputAndWithoutSecrets) {
  ScriptedClient client{{answer(R"({"result":{"allow":true}})")}};
  RemoteSource source{{.url = "https://opa.example:8181/", .policy_path = "mcp/fetch"}, client};

  EXPECT_TRUE(judge(source).allowed);

  auto const& request = client.requests.front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://opa.example:8181/v1/data/mcp/fetch");
  EXPECT_EQ(*request.headers.find("content-type"), "application/json");
  EXPECT_THAT(request.body, HasSubstr(R"({"input":{)"));
  EXPECT_THAT(request.body, HasSubstr(R"("authorization":"[redacted]")"));
  EXPECT_THAT(request.body, Not(HasSubstr("hush")));
}

TEST(RemoteAnswer, IsADocumentOrTheRuleItself) {
  EXPECT_TRUE(read_answer(answer(R"({"result":{"allow":true}})")).allowed);
  EXPECT_TRUE(read_answer(answer(R"({"result":true})")).allowed);
  EXPECT_FALSE(read_answer(answer(R"({"result":{"allow":false}})")).allowed);
  EXPECT_FALSE(read_answer(answer(R"({"result":{"other":true}})")).allowed);
  EXPECT_FALSE(read_answer(answer(R"({"result":{"allow":true,"deny":["no"]}})")).allowed);
}

TEST(RemoteAnswer, CarriesReasons) {
  auto const told = read_answer(
      answer(R"({"result":{"allow":false,"deny":["a","b"],"reason":"c","reasons":["d",1]}})"));

  EXPECT_THAT(told.reasons, ElementsAre("a", "b", "c", "d"));
}

TEST(RemoteAnswer, OfAnUndefinedPolicyIsNo) {
  auto const none = read_answer(answer("{}"));

  EXPECT_FALSE(none.allowed);
  EXPECT_EQ(none.problem, "");
}

TEST(RemoteAnswer, ThatIsNoneCannotJudge) {
  EXPECT_THAT(read_answer(answer(R"({"code":"internal_error","message":"hush"})", 500)).problem,
              "it answered with status 500 (internal_error)");
  EXPECT_THAT(read_answer(answer("<html>", 404)).problem, "it answered with status 404");
  EXPECT_THAT(read_answer(answer("not json")).problem, HasSubstr("not a JSON object"));
  EXPECT_THAT(read_answer(answer(R"({"result":"true"})")).problem, HasSubstr("`result`"));
  EXPECT_THAT(read_answer(answer(R"({"result":{"allow":"true"}})")).problem, HasSubstr("`allow`"));
}

TEST(RemoteSource, TriesOnceMoreWhenNobodyAnswered) {
  ScriptedClient client{{dead(), answer(R"({"result":true})")}};
  RemoteSource source{{.url = "http://opa.example"}, client};

  EXPECT_TRUE(judge(source).allowed);
  EXPECT_EQ(client.requests.size(), 2U);
}

TEST(RemoteSource, DeniesWhereNoAnswerComesInTime) {
  ScriptedClient client{{fail(Errc::DeadlineExceeded, "The answer did not come in time.")}};
  RemoteSource source{{.url = "http://opa.example"}, client};
  auto const before = Clock::now();

  auto const denied = judge(source);

  EXPECT_FALSE(denied.allowed);
  EXPECT_THAT(denied.problem, HasSubstr("did not come in time"));
  for (auto const& request : client.requests) {
    EXPECT_GE(request.deadline.at, before + 5s);
    EXPECT_LE(request.deadline.at, Clock::now() + 5s);
  }
}

TEST(RemoteSource, AsksNoLongerThanItsCallerWaits) {
  ScriptedClient client{{answer(R"({"result":true})")}};
  RemoteSource source{{.url = "http://opa.example"}, client};
  test::TestQuery query;
  query.deadline = Deadline::in(100ms);

  EXPECT_TRUE(sallyport::test::run(source.judge(query.get()))->allowed);

  EXPECT_EQ(client.requests.front().deadline.at, query.deadline.at);
}

TEST(RemoteSource, DoesNotDoubleTheLoadOfAServerInTrouble) {
  ScriptedClient client{{answer("", 503)}};
  RemoteSource source{{.url = "http://opa.example", .failures = 1000}, client};

  for (int i = 0; i < 100; ++i) judge(source);

  EXPECT_LE(client.requests.size(), 100U + 100U / 10 + 1);
}

TEST(RemoteSource, IsLeftAloneAfterSomeFailures) {
  ScriptedClient client{{dead()}};
  RemoteSource source{{.url = "http://opa.example", .failures = 3, .left_alone = 1h}, client};

  for (int i = 0; i < 3; ++i) judge(source);
  auto const asked = client.requests.size();
  auto const denied = judge(source);

  EXPECT_FALSE(denied.allowed);
  EXPECT_THAT(denied.problem, HasSubstr("left alone"));
  EXPECT_EQ(client.requests.size(), asked);
}

TEST(Breaker, LetsOneTryAfterThePauseAndAllAfterASuccess) {
  Breaker breaker{2, 10s};
  Clock::time_point const start{100s};
  breaker.failed(start);
  EXPECT_TRUE(breaker.may_try(start));
  breaker.failed(start);

  EXPECT_FALSE(breaker.may_try(start + 9s));
  EXPECT_TRUE(breaker.may_try(start + 11s));
  EXPECT_FALSE(breaker.may_try(start + 11s));
  breaker.succeeded();
  EXPECT_TRUE(breaker.may_try(start + 11s));
}

}  // namespace
}  // namespace sallyport::policy
