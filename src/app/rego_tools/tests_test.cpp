#include "src/app/rego_tools/testing.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::app::rego_tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char const* kJudged = R"(package shop

allow if input.method == "GET"

allow if input.admin

deny if input.method == "TRACE"
)";

constexpr char const* kPassing = R"(package shop_test

import data.shop

test_reading if shop.allow with input as {"method": "GET"}

test_nobody if not shop.allow with input as {}
)";

constexpr char const* kFailing = R"(package shop_test

import data.shop

test_writing if {
	print("about to write")
	shop.allow with input as {"method": "PUT"}
}

todo_test_later if false
)";

TEST(PolicyTest, SaysHowManyPassed) {
  PolicyFolder const folder;
  folder.write("shop.rego", kJudged);
  folder.write("shop_test.rego", kPassing);

  auto const few = policy_command({"test", folder.path()});
  auto const all = policy_command({"test", "-v", folder / "shop.rego", folder / "shop_test.rego"});

  EXPECT_EQ(few.code, 0) << few.err;
  EXPECT_EQ(few.out, "PASS: 2/2\n");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out,
              ContainsRegex("shop_test.rego:5:\ndata.shop_test.test_reading: PASS \\(.*s\\)\n"));
}

TEST(PolicyTest, AFailureIsExitCodeTwoAndExplainsItself) {
  PolicyFolder const folder;
  folder.write("shop.rego", kJudged);
  folder.write("pass_test.rego", kPassing);
  folder.write("shop_test.rego", kFailing);

  auto const few = policy_command({"test", folder.path()});
  auto const all = policy_command({"test", "-v", folder.path()});

  EXPECT_EQ(few.code, 2);
  EXPECT_THAT(few.out, AllOf(ContainsRegex("data.shop_test.test_writing: FAIL \\(.*s\\)\n"),
                             HasSubstr("\n  about to write\n"),
                             HasSubstr("data.shop_test.todo_test_later: SKIPPED\n"),
                             HasSubstr("\nPASS: 2/4\nFAIL: 1/4\nSKIPPED: 1/4\n"),
                             Not(HasSubstr("test_reading")), Not(HasSubstr("FAILURES"))));
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.out, AllOf(HasSubstr("test_reading: PASS"), HasSubstr("\nFAILURES\n"),
                             ContainsRegex("shop_test.rego:7 .*Fail shop.allow with input")));
}

TEST(PolicyTest, RunsWhatIsAskedFor) {
  PolicyFolder const folder;
  folder.write("shop.rego", kJudged);
  folder.write("shop_test.rego", kPassing);

  EXPECT_EQ(policy_command({"test", folder.path(), "--run", "test_(no|every)body$"}).out,
            "PASS: 1/1\n");
  auto const none = policy_command({"test", folder.path(), "--run", "nothing"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("no rule whose name starts with test_"));
  auto const wrong = policy_command({"test", folder.path(), "--run", "("});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("--run: "));
}

TEST(PolicyTest, GivesTheJsonOfOpa) {
  PolicyFolder const folder;
  folder.write("shop.rego", kJudged);
  folder.write("shop_test.rego", kFailing);

  auto const came = policy_command({"test", folder.path(), "--format", "json"});

  EXPECT_EQ(came.code, 2);
  auto const parsed = json::parse(came.out);
  ASSERT_TRUE(parsed) << came.out;
  auto const& first = parsed->at(0);
  EXPECT_EQ(first.at("package").as_string(), "data.shop_test");
  EXPECT_EQ(first.at("name").as_string(), "test_writing");
  EXPECT_TRUE(first.at("fail").as_bool());
  EXPECT_EQ(first.at("location").at("row").as_int64(), 5);
  EXPECT_TRUE(parsed->at(1).at("skip").as_bool());
}

TEST(PolicyTest, CountsWhatTheTestsReach) {
  PolicyFolder const folder;
  folder.write("shop.rego", kJudged);
  folder.write("shop_test.rego", kPassing);

  auto const text = policy_command({"test", folder.path(), "--coverage"});
  auto const json = policy_command({"test", folder.path(), "--coverage", "--format", "json"});
  auto const little = policy_command({"test", folder.path(), "--threshold", "99"});

  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, ContainsRegex("shop.rego +[0-9.]+ %  not covered: .*7"));
  auto const parsed = json::parse(json.out);
  ASSERT_TRUE(parsed) << json.out;
  auto const& file = parsed->at("files").at(folder / "shop.rego");
  EXPECT_EQ(file.at("not_covered").as_array().back().at("start").at("row").as_int64(), 7);
  EXPECT_EQ(little.code, 2);
  EXPECT_THAT(little.err, HasSubstr("--threshold"));
}

TEST(PolicyTest, AnErrorIsNoFailureOfTheOthers) {
  PolicyFolder const folder;
  folder.write("a_test.rego", R"(package a

test_good if true

test_endless if {
	n := numbers.range(1, 3000)
	n[_] * n[_] * n[_] == -1
}

test_odd := 7
)");

  auto const came = policy_command({"test", folder.path(), "--timeout", "50ms"});

  EXPECT_EQ(came.code, 2);
  EXPECT_THAT(came.out, AllOf(HasSubstr("data.a.test_endless: ERROR"),
                              HasSubstr("eval_cancel_error"), HasSubstr("its value is 7, not true"),
                              HasSubstr("\nPASS: 1/3\nFAIL: 1/3\nERROR: 1/3\n")));
}

TEST(PolicyTest, ModulesThatDoNotCompileAreToldWithTheirPlace) {
  PolicyFolder const folder;
  auto const file = folder.write("a_test.rego", "package a\n\ntest_x if y\n");

  auto const came = policy_command({"test", folder.path()});

  EXPECT_EQ(came.code, 1);
  EXPECT_THAT(came.err, AllOf(HasSubstr(file + ":3:"), HasSubstr("rego_unsafe_var_error")));
}

}  // namespace
}  // namespace sallyport::app::rego_tools
