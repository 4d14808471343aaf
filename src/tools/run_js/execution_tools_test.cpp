// get_execution, get_execution_output, cancel_execution and list_executions.
#include "src/tools/run_js/test_run_js.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using namespace std::chrono_literals;
using test::parsed;
using test_js::error_of;
using test_js::value_of;
using testing::ElementsAre;
using testing::HasSubstr;

class ExecutionToolsTest : public test_js::RunJsFixture {
 protected:
  test::RecordingOutlet& about(std::string_view tool, std::string_view id, json::Object more = {}) {
    more["execution_id"] = id;
    return call(tool, std::move(more));
  }
  std::vector<std::string> listed(json::Object arguments = {}) {
    std::vector<std::string> ids;
    auto const all = facts(call("list_executions", std::move(arguments)));
    for (auto const& each : all.at("executions").get_array()) {
      ids.push_back(text_of(each.get_object(), "execution_id"));
    }
    return ids;
  }
};

TEST_F(ExecutionToolsTest, TellHowARunGoesAndHowItEnded) {
  engine.log("line");
  engine.outcome = value_of(json::Array{1, 2});
  auto const id = leave_running();

  auto const running = facts(about("get_execution", id));
  EXPECT_EQ(text_of(running, "status"), "running");
  EXPECT_EQ(running.at("total_lines"), 1);
  EXPECT_FALSE(running.contains("end"));
  EXPECT_FALSE(running.contains("completed_at"));
  end_scripts();

  auto const& outlet = about("get_execution", id);
  auto const ended = facts(outlet);
  EXPECT_EQ(text_of(ended, "status"), "completed");
  EXPECT_EQ(ended.at("value"), parsed("[1,2]"));
  EXPECT_TRUE(ended.contains("completed_at"));
  EXPECT_FALSE(is_error(outlet));
  EXPECT_THAT(outlet.text(), HasSubstr("[1,2]"));
}

TEST_F(ExecutionToolsTest, AFailedRunIsToldWithItsErrorAndTheQuestionHasNotFailed) {
  engine.outcome = error_of(js::RunEnd::TimedOut, "TimeoutError", "took too long");
  auto const id = leave_running();
  end_scripts();

  auto const& outlet = about("get_execution", id);

  EXPECT_FALSE(is_error(outlet));
  EXPECT_EQ(text_of(facts(outlet), "status"), "timed_out");
  EXPECT_EQ(text_of(facts(outlet).at("error").get_object(), "message"), "took too long");
}

TEST_F(ExecutionToolsTest, WaitForTheEndWhenAsked) {
  auto const id = leave_running();

  auto const& outlet = about("get_execution", id, {{"wait_secs", 30}});
  EXPECT_EQ(outlet.finished, 0);
  end_scripts();

  EXPECT_EQ(text_of(facts(outlet), "status"), "completed");
}

TEST_F(ExecutionToolsTest, AnswerWhenTheWaitIsOver) {
  auto const id = leave_running();

  auto const& outlet = about("get_execution", id, {{"wait_secs", 0.001}});
  bench().wait(outlet);

  EXPECT_EQ(text_of(facts(outlet), "status"), "running");
}

TEST_F(ExecutionToolsTest, PageByLines) {
  for (int i = 0; i < 5; ++i) engine.log(fmt::format("line {}", i));
  auto const id = leave_running();

  auto const first = facts(about("get_execution_output", id, {{"line_limit", 2}}));
  auto const second =
      facts(about("get_execution_output", id,
                  {{"line_limit", 2}, {"line_offset", first.at("next_line_offset")}}));

  EXPECT_EQ(json::Value(first), [&] {
    auto expected = parsed(R"({"status":"running","data":"line 0\nline 1\n","start_line":0,
        "end_line":2,"next_line_offset":2,"total_lines":5,"start_byte":0,"end_byte":14,
        "next_byte_offset":14,"total_bytes":35,"has_more":true,"output_limit_reached":false})");
    expected.get_object()["execution_id"] = id;
    return expected;
  }());
  EXPECT_EQ(text_of(second, "data"), "line 2\nline 3\n");
}

TEST_F(ExecutionToolsTest, PageByBytesBetweenCharacters) {
  engine.log("€€€");
  auto const id = leave_running();

  auto const first =
      facts(about("get_execution_output", id, {{"byte_offset", 0}, {"byte_limit", 4}}));
  auto const second =
      facts(about("get_execution_output", id, {{"byte_offset", 4}, {"byte_limit", 1}}));

  EXPECT_EQ(text_of(first, "data"), "€");
  EXPECT_EQ(first.at("next_byte_offset"), 3);
  EXPECT_EQ(text_of(second, "data"), "€");
  EXPECT_EQ(second.at("start_byte"), 6);
}

TEST_F(ExecutionToolsTest, FollowARunThatStillWrites) {
  engine.log("first");
  auto const id = leave_running();

  auto const& outlet = about("get_execution_output", id);

  EXPECT_EQ(texts(outlet), "first\n|[The script is running. Go on with line_offset 1 later.]");
  EXPECT_EQ(facts(outlet).at("has_more"), false);
}

TEST_F(ExecutionToolsTest, APageIsNoLargerThanAnAnswerMayBe) {
  options.answer_bytes = 10;
  engine.log(std::string(50, 'x'));
  auto const id = leave_running();

  auto const& outlet = about("get_execution_output", id);
  auto const& greedy = about("get_execution_output", id, {{"byte_limit", 11}});

  EXPECT_EQ(text_of(facts(outlet), "data"), std::string(10, 'x'));
  EXPECT_THAT(texts(outlet), HasSubstr("Go on with byte_offset 10."));
  EXPECT_TRUE(is_error(greedy));
}

TEST_F(ExecutionToolsTest, RefuseOffsetsThatAreNone) {
  auto const id = leave_running();

  for (auto const* const arguments :
       {R"({"line_offset":-1})", R"({"byte_offset":-1})", R"({"line_limit":0})",
        R"({"byte_limit":0})", R"({"line_offset":"1"})", R"({"byte_offset":0.5})"}) {
    auto more = test::parsed_object(arguments);
    EXPECT_TRUE(is_error(about("get_execution_output", id, std::move(more)))) << arguments;
  }
  EXPECT_FALSE(is_error(about("get_execution_output", id, {{"line_offset", 1e15}})));
}

TEST_F(ExecutionToolsTest, CancelEndsTheScript) {
  engine.log("before");
  auto const id = leave_running();

  auto const& outlet = about("cancel_execution", id);
  bench().settle();

  EXPECT_EQ(text_of(facts(outlet), "status"), "cancelled");
  EXPECT_EQ(facts(outlet).at("cancelled"), true);
  EXPECT_EQ(engine.under_way, 0U);
  EXPECT_EQ(text_of(facts(about("get_execution_output", id)), "data"), "before\n");
}

TEST_F(ExecutionToolsTest, CancelAfterTheEndSaysThatItHadEnded) {
  auto const id = leave_running();
  end_scripts();

  auto const& outlet = about("cancel_execution", id);

  EXPECT_FALSE(is_error(outlet));
  EXPECT_EQ(facts(outlet).at("cancelled"), false);
  EXPECT_EQ(text_of(facts(outlet), "status"), "completed");
}

TEST_F(ExecutionToolsTest, ACallThatWaitsLearnsThatItsScriptWasCancelled) {
  engine.block();
  auto const& waits = run();
  auto const id = executions[0];

  EXPECT_TRUE(is_error(about("cancel_execution", id))) << "it is not kept: its call owns it";
  EXPECT_EQ(waits.finished, 0);
}

TEST_F(ExecutionToolsTest, ListTheNewestFirstAndByStatus) {
  auto const first = leave_running();
  auto const second = leave_running();
  end_scripts();
  auto const third = leave_running();

  EXPECT_EQ(listed().size(), 3U);
  EXPECT_THAT(listed({{"status", "running"}}), ElementsAre(third));
  EXPECT_EQ(listed({{"status", "completed"}}).size(), 2U);
  EXPECT_TRUE(listed({{"status", "failed"}}).empty());
}

// SECURITY: ids are unguessable, and knowing one is not enough.
TEST_F(ExecutionToolsTest, NobodySeesReadsOrCancelsTheExecutionOfAnother) {
  bench().principal = {.id = "alice"};
  engine.log("secret");
  auto const id = leave_running();

  for (auto const& other : {Principal{.id = "bob"}, Principal{},
                            Principal{.id = "alice", .issuer = "https://other.example"}}) {
    bench().principal = other;
    std::string const nothing = about("get_execution", "0123456789abcdef").text();
    for (auto const* const tool : {"get_execution", "get_execution_output", "cancel_execution"}) {
      auto const& outlet = about(tool, id);
      EXPECT_TRUE(is_error(outlet)) << tool;
      EXPECT_EQ(outlet.text(), nothing) << "the same as when there is none";
    }
    EXPECT_TRUE(listed().empty());
  }
  EXPECT_EQ(engine.cancelled, 0U);
  bench().principal = {.id = "alice"};
  EXPECT_EQ(text_of(facts(about("get_execution", id)), "status"), "running");
}

TEST_F(ExecutionToolsTest, WhatIsTooOldIsNotFound) {
  limits.kept = 1;
  auto const first = leave_running();
  end_scripts();
  auto const second = leave_running();
  end_scripts();

  EXPECT_TRUE(is_error(about("get_execution", first)));
  EXPECT_FALSE(is_error(about("get_execution", second)));
}

TEST_F(ExecutionToolsTest, ARunThatWaitedInVainIsToldAsFailed) {
  engine.queues = true;
  auto const id = leave_running();
  EXPECT_EQ(text_of(facts(about("get_execution", id)), "status"), "queued");
  engine.failure = fail(Errc::LimitExceeded, "Too many scripts are running.");
  end_scripts();

  auto const& outlet = about("get_execution", id);

  EXPECT_EQ(text_of(facts(outlet), "status"), "failed");
  EXPECT_THAT(outlet.text(), HasSubstr("Too many scripts are running."));
}

}  // namespace
}  // namespace sallyport::tools
