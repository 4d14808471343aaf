#include "src/tools/run_js/run_js.hpp"

#include "src/tools/run_js/test_run_js.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using namespace std::chrono_literals;
using test::parsed;
using test_js::error_of;
using test_js::kHasTasks;
using test_js::value_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RunJsTest : public test_js::RunJsFixture {};

TEST_F(RunJsTest, GivesOutputAndValueTheMomentTheScriptEnds) {
  engine.log("hello");
  engine.log("world");
  engine.outcome = value_of(json::Object{{"answer", 42}});

  auto const& outlet = run("({answer: 42})");

  EXPECT_EQ(outlet.finished, 1);
  EXPECT_FALSE(is_error(outlet));
  EXPECT_EQ(texts(outlet), "hello\nworld\n|Value: {\"answer\":42}");
  EXPECT_EQ(json::Value(facts(outlet)), parsed(R"({"status":"completed","end":"completed",
      "output":"hello\nworld\n","output_truncated":false,"value":{"answer":42},
      "timings":{"queued_ms":0.01,"wall_ms":2.5,"cpu_ms":1.5},"heap_bytes":4096,"calls":0})"));
}

TEST_F(RunJsTest, AValueAloneStandsThereAsItIs) {
  engine.outcome = value_of("just a text");
  EXPECT_EQ(texts(run()), "just a text");

  engine.outcome = value_of(2);
  EXPECT_EQ(texts(run()), "2");

  engine.outcome = {};
  EXPECT_EQ(texts(run()), "[The script wrote nothing and has no value.]");
}

TEST_F(RunJsTest, MarksWhatComplains) {
  engine.lines = {{"log", "plain"}, {"warn", "careful"}, {"error", "oh no"}, {"info", "fyi"}};

  EXPECT_EQ(text_of(facts(run()), "output"), "plain\n[warn] careful\n[error] oh no\nfyi\n");
}

TEST_F(RunJsTest, AScriptThatThrowsIsAnErrorWithItsStack) {
  engine.log("before");
  engine.outcome = error_of(js::RunEnd::Threw, "TypeError", "x is not a function");

  auto const& outlet = run("x()");

  EXPECT_TRUE(is_error(outlet));
  EXPECT_EQ(texts(outlet), "before\n|TypeError: x is not a function\n    at script.js:1:7");
  EXPECT_EQ(facts(outlet).at("error"),
            parsed(R"({"name":"TypeError","message":"x is not a function",
                       "stack":"TypeError: x is not a function\n    at script.js:1:7"})"));
  EXPECT_EQ(text_of(facts(outlet), "end"), "threw");
  EXPECT_EQ(text_of(facts(outlet), "status"), "failed");
}

TEST_F(RunJsTest, EveryLimitThatEndsAScriptIsNamed) {
  std::vector<std::pair<js::RunEnd, std::string>> const ends{
      {js::RunEnd::TimedOut, "timed_out"},
      {js::RunEnd::CpuExhausted, "cpu_exhausted"},
      {js::RunEnd::OutOfMemory, "out_of_memory"},
      {js::RunEnd::OutputExceeded, "output_exceeded"},
      {js::RunEnd::Crashed, "crashed"}};

  for (auto const& [end, name] : ends) {
    engine.outcome = error_of(end, "LimitError", "too much");
    auto const& outlet = run();
    EXPECT_TRUE(is_error(outlet)) << name;
    EXPECT_EQ(text_of(facts(outlet), "end"), name);
  }
}

TEST_F(RunJsTest, TheEngineHearsCodeLimitsAndOwner) {
  bench().principal = {.id = "alice", .issuer = "https://i.example"};

  call("run_js", {{"code", "1 + 1"}, {"execution_timeout_secs", 1.5}, {"heap_memory_max_mb", 64}});

  ASSERT_EQ(engine.scripts.size(), 1U);
  auto const& script = engine.scripts[0];
  EXPECT_EQ(script.code, "1 + 1");
  EXPECT_EQ(script.limits.wall, 1500ms);
  EXPECT_EQ(script.limits.heap_mb, 64U);
  EXPECT_EQ(script.owner, "https://i.example\nalice");
  EXPECT_EQ(script.session, "");
}

TEST_F(RunJsTest, ALimitAboveItsCeilingIsRefusedAndTheCeilingNamed) {
  options.max_wall = 300s;
  options.max_heap_mb = 512;

  auto const& late = call("run_js", {{"code", "1"}, {"execution_timeout_secs", 301}});
  auto const& large = call("run_js", {{"code", "1"}, {"heap_memory_max_mb", 513}});

  EXPECT_TRUE(is_error(late));
  EXPECT_THAT(late.text(), HasSubstr("execution_timeout_secs"));
  EXPECT_THAT(late.text(), HasSubstr("300"));
  EXPECT_TRUE(is_error(large));
  EXPECT_THAT(large.text(), HasSubstr("heap_memory_max_mb"));
  EXPECT_THAT(large.text(), HasSubstr("512"));
  EXPECT_TRUE(engine.scripts.empty());
}

TEST_F(RunJsTest, RefusesArgumentsThatMakeNoSense) {
  for (auto const* const arguments :
       {R"({})", R"({"code":""})", R"({"code":1})", R"({"code":"1","execution_timeout_secs":0})",
        R"({"code":"1","execution_timeout_secs":-1})", R"({"code":"1","heap_memory_max_mb":7})",
        R"({"code":"1","heap_memory_max_mb":1.5})", R"({"code":"1","session":""})",
        R"({"code":"1","session":"a b"})", R"({"code":"1","session":"a\nb"})",
        R"({"code":"1","background":"yes"})", R"({"code":"1","file":"/etc/passwd"})"}) {
    auto const& outlet = call("run_js", test::parsed_object(arguments));
    EXPECT_TRUE(is_error(outlet)) << arguments;
  }
  EXPECT_TRUE(engine.scripts.empty());
}

TEST_F(RunJsTest, ASessionBelongsToItsPrincipal) {
  auto const session_of = [&](Principal principal, std::string_view name) {
    bench().principal = std::move(principal);
    call("run_js", {{"code", "1"}, {"session", name}});
    return engine.scripts.back().session;
  };

  auto const alice = session_of({.id = "alice"}, "notes");

  EXPECT_FALSE(alice.empty());
  EXPECT_EQ(session_of({.id = "alice"}, "notes"), alice);
  EXPECT_NE(session_of({.id = "alice"}, "other"), alice);
  EXPECT_NE(session_of({.id = "bob"}, "notes"), alice);
  EXPECT_NE(session_of({.id = "alice", .issuer = "https://i.example"}, "notes"), alice);
  // A name cannot spell the session of somebody else.
  EXPECT_NE(session_of({.id = "a"}, "b.c"), session_of({.id = "a:b"}, "c"));
  EXPECT_NE(session_key({.id = "a:"}, "b"), session_key({.id = "a"}, ":b"));
}

TEST_F(RunJsTest, TheWorldKnowsTheCallerAndHasNoDeadline) {
  bench().principal = {.id = "alice"};

  auto const id = leave_running();

  ASSERT_EQ(callers.size(), 1U);
  EXPECT_EQ(callers[0].principal.id, "alice");
  EXPECT_EQ(callers[0].deadline.at, Clock::time_point::max());
  EXPECT_EQ(executions[0], id);
}

TEST_F(RunJsTest, IdsCannotBeGuessed) {
  auto const first = leave_running();
  auto const second = leave_running();

  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
}

TEST_F(RunJsTest, InTheBackgroundItAnswersAtOnceWithAnId) {
  engine.block();
  engine.log("so far");

  auto const& outlet = call("run_js", {{"code", "1"}, {"background", true}});

  ASSERT_EQ(outlet.finished, 1);
  EXPECT_FALSE(is_error(outlet));
  EXPECT_EQ(text_of(facts(outlet), "status"), "running");
  EXPECT_EQ(text_of(facts(outlet), "output"), "so far\n");
  EXPECT_THAT(outlet.text(), HasSubstr(text_of(facts(outlet), "execution_id")));
  EXPECT_EQ(engine.under_way, 1U);
}

TEST_F(RunJsTest, AScriptThatTakesLongGoesOnInTheBackground) {
  options.background_after = 1ms;
  engine.block();
  auto const& outlet = run();
  EXPECT_EQ(outlet.finished, 0);

  bench().wait(outlet);

  auto const id = text_of(facts(outlet), "execution_id");
  EXPECT_EQ(text_of(facts(outlet), "status"), "running");
  EXPECT_EQ(engine.cancelled, 0U);
  engine.outcome = value_of(1);
  end_scripts();
  EXPECT_EQ(text_of(facts(call("get_execution", {{"execution_id", id}})), "status"), "completed");
}

TEST_F(RunJsTest, WithoutAThresholdTheCallWaits) {
  options.background_after = 0ms;
  engine.block();

  auto const& outlet = run();
  EXPECT_EQ(outlet.finished, 0);
  end_scripts();

  EXPECT_EQ(text_of(facts(outlet), "status"), "completed");
}

TEST_F(RunJsTest, AShortRunLeavesNothingBehind) {
  engine.outcome = value_of(1);

  EXPECT_FALSE(facts(run()).contains("execution_id"));

  EXPECT_TRUE(facts(call("list_executions", {})).at("executions").get_array().empty());
}

TEST_F(RunJsTest, ACallThatIsGivenUpEndsItsScript) {
  bench().cancel_scope = "peer";
  engine.block();
  auto const& outlet = bench().modern(
      "tools/call", test::parsed_object(R"({"name":"run_js","arguments":{"code":"1"}})"), {}, 77);

  bench().on_loop([&] { bench().server().cancel("peer", 77); });
  bench().settle();

  EXPECT_EQ(engine.cancelled, 1U);
  EXPECT_TRUE(outlet.answer.empty());
}

TEST_F(RunJsTest, ARunInTheBackgroundOutlivesItsCall) {
  bench().cancel_scope = "peer";
  leave_running();

  bench().on_loop([&] { bench().server().cancel("peer", 1001); });

  EXPECT_EQ(engine.cancelled, 0U);
  EXPECT_EQ(bench().calls_in_flight(), 0);
}

TEST_F(RunJsTest, ABusyEngineIsToldAsAnError) {
  engine.failure = fail(Errc::LimitExceeded, "Too many scripts are running.", "internal detail");

  auto const& outlet = run();
  auto const& in_background = call("run_js", {{"code", "1"}, {"background", true}});

  EXPECT_TRUE(is_error(outlet));
  EXPECT_EQ(outlet.text(), "Too many scripts are running.");
  EXPECT_EQ(in_background.text(), "Too many scripts are running.");
  EXPECT_THAT(json::to_text(outlet.answer), Not(HasSubstr("internal detail")));
}

TEST_F(RunJsTest, LongOutputIsCutAndTheRestKept) {
  options.answer_bytes = 10;
  for (int i = 0; i < 5; ++i) engine.log(fmt::format("line {}", i));

  auto const& outlet = run();
  auto const shown = facts(outlet);
  auto const id = text_of(shown, "execution_id");
  auto const rest = facts(
      call("get_execution_output", {{"execution_id", id}, {"byte_offset", 10}, {"byte_limit", 9}}));

  EXPECT_EQ(text_of(shown, "output"), "line 0\nlin");
  EXPECT_EQ(shown.at("output_truncated"), true);
  EXPECT_THAT(texts(outlet), HasSubstr("byte_offset 10"));
  EXPECT_EQ(text_of(rest, "data"), "e 1\nline ");
}

TEST_F(RunJsTest, AValueThatIsTooLongIsLeftOutAndSaidSo) {
  options.answer_bytes = 100;
  engine.outcome = value_of(json::Value(std::string(200, 'v')));

  auto const& outlet = run();

  EXPECT_FALSE(is_error(outlet));
  EXPECT_FALSE(facts(outlet).contains("value"));
  EXPECT_EQ(facts(outlet).at("value_bytes"), 202);
  EXPECT_THAT(texts(outlet), HasSubstr("202 bytes"));
}

TEST_F(RunJsTest, ConsoleOutputStreamsToAClientThatAsks) {
  engine.block();
  engine.lines = {{"log", "one"}, {"error", "two"}};

  auto const& listens =
      call("run_js", {{"code", "1"}}, "{}",
           {{"progressToken", "p"}, {"io.modelcontextprotocol/logLevel", "info"}});
  auto const& does_not = run();

  EXPECT_EQ(listens.finished, 0) << "it has not ended";
  EXPECT_THAT(listens.sent_methods(), ElementsAre("notifications/message", "notifications/progress",
                                                  "notifications/message"));
  EXPECT_EQ(listens.sent[0].at("params"),
            parsed(R"({"level":"info","data":"one","logger":"run_js"})"));
  EXPECT_EQ(listens.sent[1].at("params"),
            parsed(R"({"progressToken":"p","progress":1E0,"message":"one"})"));
  EXPECT_EQ(listens.sent[2].at("params").at("level"), "error");
  EXPECT_TRUE(does_not.sent.empty());
}

TEST_F(RunJsTest, AScriptThatWritesWithoutEndDoesNotBuryItsClient) {
  for (int i = 0; i < 5000; ++i) engine.log("again");

  auto const& outlet =
      call("run_js", {{"code", "1"}}, "{}", {{"io.modelcontextprotocol/logLevel", "info"}});

  EXPECT_EQ(outlet.sent.size(), 1001U);
  EXPECT_THAT(json::to_text(outlet.sent.back()), HasSubstr("More console output"));
}

TEST_F(RunJsTest, AClientWithTasksGetsOneInsteadOfWaiting) {
  engine.block();
  engine.outcome = value_of(7);

  auto const& started = call("run_js", {{"code", "7"}, {"background", true}}, kHasTasks);
  auto const id = text_of(started.result(), "taskId");
  auto const task = [&] {
    return bench().modern("tasks/get", fmt::format(R"({{"taskId":"{}"}})", id), kHasTasks).result();
  };
  EXPECT_EQ(text_of(started.result(), "resultType"), "task");
  EXPECT_EQ(text_of(task(), "status"), "working");
  EXPECT_EQ(facts(call("list_executions", {})).at("executions").get_array().size(), 1U);
  end_scripts();

  auto const done = task();
  EXPECT_EQ(text_of(done, "status"), "completed");
  auto const& result = done.at("result").at("structuredContent").get_object();
  EXPECT_EQ(result.at("value"), 7);
  EXPECT_EQ(text_of(result, "execution_id"), executions[0]);
}

TEST_F(RunJsTest, ALongRunBecomesATaskWhereTheClientHasTasks) {
  options.background_after = 1ms;
  engine.block();

  auto const& outlet = call("run_js", {{"code", "1"}}, kHasTasks);
  bench().wait(outlet);

  EXPECT_EQ(text_of(outlet.result(), "resultType"), "task");
}

TEST_F(RunJsTest, AShortRunIsNoTask) {
  engine.outcome = value_of(7);

  auto const& outlet = call("run_js", {{"code", "7"}}, kHasTasks);

  EXPECT_EQ(facts(outlet).at("value"), 7);
}

TEST_F(RunJsTest, CancellingTheTaskEndsTheScript) {
  engine.block();
  auto const& started = call("run_js", {{"code", "1"}, {"background", true}}, kHasTasks);
  auto const id = text_of(started.result(), "taskId");

  bench().modern("tasks/cancel", fmt::format(R"({{"taskId":"{}"}})", id), kHasTasks);
  bench().settle();

  EXPECT_EQ(engine.cancelled, 1U);
}

TEST_F(RunJsTest, TasksOf2025WorkAsWell) {
  engine.block();
  engine.outcome = value_of(7);
  auto const session = bench().open(mcp::Revision::V2025_11_25);

  auto const& started = bench().legacy(session, "tools/call",
                                       R"({"name":"run_js","arguments":{"code":"7"},"task":{}})");
  auto const task_id = text_of(started.result().at("task").get_object(), "taskId");
  auto const& waits =
      bench().legacy(session, "tasks/result", fmt::format(R"({{"taskId":"{}"}})", task_id));
  end_scripts();
  bench().settle();

  EXPECT_EQ(facts(waits).at("value"), 7);
}

}  // namespace
}  // namespace sallyport::tools
