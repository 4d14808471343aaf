#include "src/policy/rego_source.hpp"

#include "src/policy/test_query.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>

namespace sallyport::policy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

std::string const kRule = "data.mcp.fetch.allow";

RegoFiles files(std::string body) {
  return {.sources = {{"p.rego", "package mcp.fetch\n" + std::move(body)}}, .revision = "r1"};
}

Judgement judge(std::string body, test::TestQuery const& query = {}) {
  auto const policy = compile_rego(files(std::move(body)), kRule, HttpSend::Refused);
  EXPECT_TRUE(policy) << policy.error().message;
  if (!policy) return {};
  RegoSource source{"file p.rego", *policy, {}};
  return *sallyport::test::run(source.judge(query.get()));
}

TEST(RegoSource, AllowsOnlyWhatIsTrue) {
  EXPECT_TRUE(judge("allow if input.method == \"GET\"").allowed);
  EXPECT_FALSE(judge("allow if input.method == \"POST\"").allowed);
  EXPECT_FALSE(judge("default allow := false").allowed);
  auto const text = judge("allow := \"yes\"");
  EXPECT_FALSE(text.allowed);
  EXPECT_THAT(text.problem, HasSubstr("string instead of true or false"));
}

TEST(RegoSource, SeesInjectedValues) {
  EXPECT_TRUE(judge("allow if startswith(input.headers.authorization, \"Bearer \")").allowed);
}

// It sees them, but the caller and the audit log read its reasons.
TEST(RegoSource, DoesNotTellACredentialInItsReasons) {
  auto const told = judge(
      "default allow := false\n"
      "deny contains sprintf(\"sent %v\", [input.headers]) if true\n"
      "reason := concat(\" \", [\"saw\", substring(input.headers.authorization, 7, -1)])\n",
      {.headers = {{"Accept", "*/*"},
                   {"Authorization", "Bearer hush-hush-token"},
                   {"X-Key", "quoted\"secret"}},
       .injected = {"authorization", "x-key"}});

  EXPECT_THAT(told.reasons,
              ElementsAre(AllOf(HasSubstr("*/*"), HasSubstr("[redacted]")), "saw [redacted]"));
  EXPECT_THAT(told.reasons, Each(Not(HasSubstr("hush"))));
  EXPECT_THAT(told.reasons, Each(Not(HasSubstr("secret\""))));
}

// Errors of built-in functions repeat their operands.
TEST(RegoSource, DoesNotTellACredentialInItsProblems) {
  ::testing::internal::CaptureStderr();
  auto const unknown =
      judge("allow if to_number(input.headers.authorization) > 1",
            {.headers = {{"Authorization", "Bearer hush-hush-token"}}, .injected = {}});
  auto const log = ::testing::internal::GetCapturedStderr();

  EXPECT_FALSE(unknown.allowed);
  EXPECT_THAT(log, HasSubstr("a built-in function of a policy failed"));
  EXPECT_THAT(log, HasSubstr("[redacted]"));
  EXPECT_THAT(log + unknown.problem, Not(HasSubstr("hush")));
}

TEST(RegoSource, GivesReasonsAndRevision) {
  auto const told = judge(
      "default allow := false\n"
      "deny contains \"a\" if true\n"
      "reasons := [\"b\", \"c\"]\n");

  EXPECT_FALSE(told.allowed);
  EXPECT_THAT(told.reasons, ElementsAre("a", "b", "c"));
  EXPECT_EQ(told.revision, "r1");
}

TEST(RegoSource, DeniesWhatIsAllowedAndDenied) {
  EXPECT_FALSE(judge("allow := true\ndeny contains \"no\" if input.method == \"GET\"").allowed);
  EXPECT_TRUE(judge("allow := true\ndeny contains \"no\" if input.method == \"PUT\"").allowed);
}

TEST(RegoSource, DeniesWhatItCannotJudge) {
  auto const conflict = judge("allow := true if input.method\nallow := false if input.url");

  EXPECT_FALSE(conflict.allowed);
  EXPECT_THAT(conflict.problem, HasSubstr("eval_conflict_error"));
}

TEST(RegoSource, StopsAPolicyThatRunsAway) {
  auto const policy = compile_rego(
      files("allow if {\n some a in numbers.range(1, 300)\n some b in numbers.range(1, 300)\n"
            " some c in numbers.range(1, 300)\n a + b + c == 1000 + count(input.method)\n}"),
      kRule, HttpSend::Refused);
  ASSERT_TRUE(policy) << policy.error().message;
  RegoSource source{"p", *policy, {.steps = 10'000}};
  test::TestQuery const query;

  auto const stopped = *sallyport::test::run(source.judge(query.get()));

  EXPECT_FALSE(stopped.allowed);
  EXPECT_THAT(stopped.problem, HasSubstr("eval_cancel_error"));
}

TEST(RegoSource, CombinesFilesOfOnePackageAndReadsData) {
  RegoFiles const both{
      .sources = {{"a.rego", "package mcp.fetch\nallow if input.method == \"PUT\""},
                  {"b.rego", "package mcp.fetch\nallow if input.url_parsed.host in data.hosts"}},
      .data = R"({"hosts": ["api.example"]})",
      .revision = ""};
  auto const policy = compile_rego(both, kRule, HttpSend::Refused);
  ASSERT_TRUE(policy) << policy.error().message;
  RegoSource source{"p", *policy, {}};
  test::TestQuery const query;

  EXPECT_TRUE(sallyport::test::run(source.judge(query.get()))->allowed);
}

TEST(RegoSource, JudgesByTheLatestPolicy) {
  RegoSource source{"p", *compile_rego(files("allow := true"), kRule, HttpSend::Refused), {}};
  test::TestQuery const query;
  EXPECT_TRUE(sallyport::test::run(source.judge(query.get()))->allowed);

  source.replace(*compile_rego(files("default allow := false"), kRule, HttpSend::Refused));

  EXPECT_FALSE(sallyport::test::run(source.judge(query.get()))->allowed);
}

TEST(CompileRego, SaysEveryMistakeWithItsPlace) {
  auto const broken =
      compile_rego(files("allow if x == 1\nother if y == 2"), kRule, HttpSend::Refused);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("p.rego:2:"));
  EXPECT_THAT(broken.error().message, HasSubstr("p.rego:3:"));

  auto const missing = compile_rego(files("alow := true"), kRule, HttpSend::Refused);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("data.mcp.fetch.alow"));
}

TEST(RegoSource, TellsThePlacesOfErrorsWithoutAWordOfTheFile) {
  RegoFiles const broken{
      .sources = {{"/etc/hidden/p.rego", "package mcp.fetch\nallow if hunter2 == input.x\n"}}};
  auto const unsafe = compile_rego(broken, kRule, HttpSend::Refused);
  ASSERT_FALSE(unsafe);
  EXPECT_THAT(unsafe.error().message, HasSubstr("hunter2"));
  EXPECT_THAT(unsafe.error().detail, testing::StartsWith("p.rego:2:"));
  EXPECT_THAT(unsafe.error().detail, testing::EndsWith(": rego_unsafe_var_error"));
  EXPECT_THAT(unsafe.error().detail, testing::Not(HasSubstr("hunter2")));

  auto data = files("allow := true");
  data.data = "{hunter2";
  auto const bad_data = compile_rego(data, kRule, HttpSend::Refused);
  ASSERT_FALSE(bad_data);
  EXPECT_EQ(bad_data.error().detail, "data.json is not valid JSON");
}

TEST(RegoSource, JudgesByTheTimeThatItIsGiven) {
  auto const policy = compile_rego(files("allow if time.clock(time.now_ns()) == [10, 20, 30]"),
                                   kRule, HttpSend::Refused);
  ASSERT_TRUE(policy) << policy.error().message;
  test::TestQuery const call;
  std::chrono::nanoseconds const then =
      std::chrono::hours{10} + std::chrono::minutes{20} + std::chrono::seconds{30};

  EXPECT_TRUE(judge_with(**policy, call.get(), {.now = then}).allowed);
  EXPECT_FALSE(judge_with(**policy, call.get(), {.now = then + std::chrono::hours{1}}).allowed);
}

}  // namespace
}  // namespace sallyport::policy
