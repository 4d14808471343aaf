// Tasks in both forms: the extension of 2026-07-28, and the experimental one of 2025-11-25.
#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;
using test::McpBench;
using test::parsed;
using test::parsed_object;
using test::RecordingOutlet;

// Lets a test decide when the tools go on. A process has one test at a time.
struct Gate {
  std::optional<Timer> opened;
};
Gate& gate() {
  static Gate the_gate;
  return the_gate;
}

Task<void> pass_gate() {
  auto const executor = co_await asio::this_coro::executor;
  gate().opened.emplace(executor, Timer::time_point::max());
  co_await gate().opened->async_wait(use_tuple);
  co_return Result<void>{};
}

Task<ToolResult> works(CallContext&, json::Object const& arguments) {
  SP_CO_CHECK(co_await pass_gate());
  auto result = text_result("worked");
  result.structured = arguments;
  co_return result;
}

Task<ToolResult> reports_error(CallContext&, json::Object const&) {
  co_return error_result("did not work");
}

Task<ToolResult> breaks(CallContext&, json::Object const&) {
  co_return fail(Errc::Internal, "broke");
}

Task<ToolResult> asks_and_waits(CallContext& context, json::Object const&) {
  InputRequests questions{{"go", elicit_form("Go on?", parsed_object(R"({"type":"object",
      "properties":{"ok":{"type":"boolean"}},"required":["ok"]})"))}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return text_result(json::to_text(answers.at("go")));
}

Task<ToolResult> starts_late(CallContext& context, json::Object const& arguments) {
  if (!arguments.empty()) co_return text_result("was quick");
  SP_CO_CHECK(co_await context.start_task());
  SP_CO_CHECK(co_await pass_gate());
  co_return text_result("took long");
}

Registry::Builder task_tools() {
  Registry::Builder builder;
  auto const add = [&](std::string name, TaskSupport support, ToolHandler handler,
                       TaskStart start = TaskStart::AtOnce) {
    Tool tool;
    tool.name = std::move(name);
    tool.task_support = support;
    tool.task_start = start;
    tool.handler = std::move(handler);
    builder.add(std::move(tool));
  };
  add("works", TaskSupport::Optional, works);
  add("required", TaskSupport::Required, reports_error);
  add("breaks", TaskSupport::Optional, breaks);
  add("asks", TaskSupport::Optional, asks_and_waits);
  add("forbidden", TaskSupport::Forbidden, reports_error);
  add("late", TaskSupport::Optional, starts_late, TaskStart::ByHandler);
  return builder;
}

constexpr auto kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}})";
constexpr auto kYes = R"({"action":"accept","content":{"ok":true}})";

class TaskMethodsTest : public testing::Test {
 protected:
  explicit TaskMethodsTest(ServerOptions options = {}) : bench_{task_tools(), std::move(options)} {}
  ~TaskMethodsTest() override {
    bench_.stop();
    gate().opened.reset();
  }

  void open_gate() {
    gate().opened->cancel();
    bench_.settle();
  }

  RecordingOutlet& call(std::string_view name, std::string_view capabilities = kTasks) {
    return bench_.modern("tools/call", fmt::format(R"({{"name":"{}"}})", name), capabilities);
  }
  std::string begin(std::string_view name) { return id_of(call(name).result()); }
  static std::string id_of(json::Object const& task) {
    return std::string{json::view(task.at("taskId").get_string())};
  }
  RecordingOutlet& on_task(std::string_view method, std::string_view id, std::string_view more = "",
                           std::string_view capabilities = kTasks) {
    return bench_.modern(method, fmt::format(R"({{"taskId":"{}"{}}})", id, more), capabilities);
  }
  json::Object get(std::string_view id) { return on_task("tasks/get", id).result(); }

  // 2025-11-25
  std::shared_ptr<Session> session() {
    return bench_.open(Revision::V2025_11_25, R"({"elicitation":{}})");
  }
  RecordingOutlet& core_call(std::shared_ptr<Session> const& session, std::string_view name) {
    return bench_.legacy(session, "tools/call",
                         fmt::format(R"({{"name":"{}","task":{{"ttl":60000}}}})", name));
  }
  RecordingOutlet& on_core_task(std::shared_ptr<Session> const& session, std::string_view method,
                                std::string_view id) {
    return bench_.legacy(session, method, fmt::format(R"({{"taskId":"{}"}})", id));
  }

  McpBench bench_;
};

TEST_F(TaskMethodsTest, ACallBecomesATaskAndItsResultIsAskedFor) {
  auto const created = call("works").result();
  ASSERT_EQ(created.at("resultType"), "task");
  EXPECT_EQ(created.at("status"), "working");
  EXPECT_EQ(created.at("ttlMs"), 3'600'000);
  auto const id = id_of(created);

  EXPECT_EQ(get(id).at("status"), "working");
  open_gate();
  auto const done = get(id);

  EXPECT_EQ(done.at("resultType"), "complete");
  EXPECT_EQ(done.at("status"), "completed");
  EXPECT_EQ(done.at("result").at("content").at(0).at("text"), "worked");
  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

TEST_F(TaskMethodsTest, WhetherACallBecomesATaskIsSettledByToolAndClient) {
  EXPECT_EQ(call("forbidden").result().at("resultType"), "complete");
  EXPECT_EQ(call("required").result().at("resultType"), "task");
  EXPECT_EQ(call("asks", R"({"elicitation":{}})").result().at("resultType"), "input_required");
  auto const& refused = call("required", "{}");

  EXPECT_EQ(refused.error_code(), code::kMissingCapability);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.answer.at("error").at("data").at("requiredCapabilities"),
            parsed(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"));
}

TEST_F(TaskMethodsTest, AHandlerMayDecideThatItTakesLong) {
  auto const& quick =
      bench_.modern("tools/call", R"({"name":"late","arguments":{"quick":1}})", kTasks);
  auto const& late = call("late");
  auto const& patient = call("late", "{}");

  EXPECT_EQ(quick.text(), "was quick");
  EXPECT_EQ(late.result().at("resultType"), "task");
  EXPECT_EQ(patient.finished, 0);
}

// A revision without tasks must not be answered with one, whatever its client sends.
TEST_F(TaskMethodsTest, ARevisionWithoutTasksNeverGetsOne) {
  for (auto const revision :
       {Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18}) {
    auto const old = bench_.open(revision);
    auto const& late = core_call(old, "late");
    auto const& required = core_call(old, "required");
    EXPECT_EQ(late.finished, 0) << to_string(revision);
    open_gate();
    EXPECT_EQ(late.text(), "took long") << to_string(revision);
    EXPECT_EQ(required.text(), "did not work") << to_string(revision);
    EXPECT_EQ(bench_.legacy(old, "tasks/list").error_code(), code::kMethodNotFound);
  }
}

TEST_F(TaskMethodsTest, AToolsErrorCompletesATaskAndAnErrorOfTheProtocolFailsIt) {
  auto const reported = get(begin("required"));
  auto const broken = get(begin("breaks"));

  EXPECT_EQ(reported.at("status"), "completed");
  EXPECT_EQ(reported.at("result").at("isError"), true);
  EXPECT_EQ(broken.at("status"), "failed");
  EXPECT_EQ(broken.at("error"), parsed(R"({"code":-32603,"message":"broke"})"));
}

TEST_F(TaskMethodsTest, ATaskThatAsksIsAnsweredByUpdates) {
  auto const id = begin("asks");
  auto const asking = get(id);
  ASSERT_EQ(asking.at("status"), "input_required");
  EXPECT_EQ(asking.at("inputRequests").at("go").at("method"), "elicitation/create");

  auto const& wrong =
      on_task("tasks/update", id, R"(,"inputResponses":{"go":{"action":"accept"}})");
  auto const& unknown = on_task("tasks/update", id, R"(,"inputResponses":{"other":{}})");
  EXPECT_EQ(get(id).at("status"), "input_required");
  auto const& right =
      on_task("tasks/update", id, fmt::format(R"(,"inputResponses":{{"go":{}}})", kYes));

  EXPECT_EQ(wrong.error_code(), code::kInvalidParams);
  EXPECT_EQ(unknown.result().at("resultType"), "complete");
  EXPECT_EQ(right.result().at("resultType"), "complete");
  EXPECT_EQ(get(id).at("status"), "completed");
}

TEST_F(TaskMethodsTest, AnUpdateOfTheWrongShapeIsRefused) {
  auto const id = begin("asks");

  for (auto const* const more : {"", R"(,"inputResponses":[])", R"(,"inputResponses":{"go":1})"}) {
    EXPECT_EQ(on_task("tasks/update", id, more).error_code(), code::kInvalidParams) << more;
  }
}

TEST_F(TaskMethodsTest, ACancelledTaskStaysCancelledWhateverItsHandlerDoes) {
  auto const id = begin("works");

  auto const& first = on_task("tasks/cancel", id);
  bench_.settle();
  auto const& again = on_task("tasks/cancel", id);
  auto const after = get(id);

  EXPECT_EQ(first.result().at("resultType"), "complete");
  EXPECT_EQ(again.result().at("resultType"), "complete");
  EXPECT_EQ(after.at("status"), "cancelled");
  EXPECT_FALSE(after.contains("result"));
  EXPECT_FALSE(after.contains("error"));
  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

TEST_F(TaskMethodsTest, ATaskThatWaitsForAnAnswerCanBeCancelled) {
  auto const id = begin("asks");

  on_task("tasks/cancel", id);
  bench_.settle();

  EXPECT_EQ(get(id).at("status"), "cancelled");
  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

TEST_F(TaskMethodsTest, NobodyReachesAnothersTask) {
  bench_.principal.id = "alice";
  auto const id = begin("works");
  bench_.principal.id = "mallory";

  for (auto const* const method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
    auto const& outlet = on_task(method, id, R"(,"inputResponses":{})");
    EXPECT_EQ(outlet.error_code(), code::kInvalidParams) << method;
    EXPECT_EQ(outlet.error_message(), "'params.taskId' names no task.") << method;
  }
  bench_.principal.id = "alice";
  EXPECT_EQ(get(id).at("status"), "working");
}

TEST_F(TaskMethodsTest, AnIdThatNamesNoTaskIsInvalid) {
  for (auto const* const id : {"", "x", "t0-1", "t9-1", "t99999999999999999999-1"}) {
    EXPECT_EQ(on_task("tasks/get", id).error_code(), code::kInvalidParams) << id;
  }
  EXPECT_EQ(bench_.modern("tasks/get", "{}", kTasks).error_code(), code::kInvalidParams);
}

TEST_F(TaskMethodsTest, TheExtensionMustBeDeclaredOnEachRequest) {
  auto const id = begin("works");

  for (auto const* const method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
    auto const& outlet = on_task(method, id, "", "{}");
    EXPECT_EQ(outlet.error_code(), code::kMissingCapability) << method;
    EXPECT_EQ(outlet.status, 400) << method;
  }
}

TEST_F(TaskMethodsTest, CancellingTheRequestLeavesTheTask) {
  bench_.cancel_scope = "peer";
  auto const& outlet = bench_.modern("tools/call", R"({"name":"works"})", kTasks, 5);

  bench_.server().cancel("peer", 5);
  bench_.settle();

  EXPECT_EQ(get(id_of(outlet.result())).at("status"), "working");
}

TEST_F(TaskMethodsTest, StoppingEndsTasks) {
  begin("works");
  begin("asks");

  bench_.stop();

  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

class ShortLivedTaskTest : public TaskMethodsTest {
 protected:
  ShortLivedTaskTest() : TaskMethodsTest{limits()} {}
  static ServerOptions limits() {
    ServerOptions options;
    options.tasks.ttl = -1ms;  // expired as soon as it is made
    options.tasks.tasks = 2;
    return options;
  }
};

TEST_F(ShortLivedTaskTest, AnExpiredTaskIsStoppedAndForgotten) {
  auto const id = begin("works");

  bench_.server().sweep();
  bench_.settle();
  EXPECT_EQ(bench_.calls_in_flight(), 0);
  bench_.server().sweep();
  bench_.settle();

  EXPECT_EQ(on_task("tasks/get", id).error_code(), code::kInvalidParams);
}

TEST_F(ShortLivedTaskTest, TooManyTasksAreRefused) {
  begin("asks");
  begin("asks");

  EXPECT_EQ(call("asks").error_code(), code::kInternalError);
}

TEST_F(TaskMethodsTest, In2025_11_25TheClientAsksForATask) {
  auto const mine = session();
  auto const created = core_call(mine, "works").result().at("task").get_object();
  auto const id = id_of(created);
  EXPECT_EQ(created.at("ttl"), 60'000);
  EXPECT_EQ(on_core_task(mine, "tasks/get", id).result().at("status"), "working");

  auto const& waiting = on_core_task(mine, "tasks/result", id);
  EXPECT_EQ(waiting.finished, 0);
  open_gate();

  EXPECT_EQ(waiting.text(), "worked");
  EXPECT_EQ(waiting.result().at("_meta").at("io.modelcontextprotocol/related-task").at("taskId"),
            json::Value(id));
  EXPECT_EQ(on_core_task(mine, "tasks/get", id).result().at("status"), "completed");
  EXPECT_EQ(bench_.legacy(mine, "tasks/list").result().at("tasks").get_array().size(), 1U);
}

TEST_F(TaskMethodsTest, In2025_11_25ToolsSayWhetherTheyRunAsTasks) {
  auto const mine = session();

  EXPECT_EQ(core_call(mine, "forbidden").error_code(), code::kMethodNotFound);
  EXPECT_EQ(bench_.legacy(mine, "tools/call", R"({"name":"required"})").error_code(),
            code::kMethodNotFound);
  auto const id = id_of(core_call(mine, "required").result().at("task").get_object());
  EXPECT_EQ(on_core_task(mine, "tasks/get", id).result().at("status"), "failed");
  EXPECT_EQ(on_core_task(mine, "tasks/result", id).result().at("isError"), true);
}

TEST_F(TaskMethodsTest, In2025_11_25ResultCarriesTheQuestionsOfTheTask) {
  auto const mine = session();
  auto const id = id_of(core_call(mine, "asks").result().at("task").get_object());

  auto const& waiting = on_core_task(mine, "tasks/result", id);
  ASSERT_EQ(waiting.sent.size(), 1U);
  EXPECT_EQ(waiting.sent[0].at("method"), "elicitation/create");
  EXPECT_EQ(waiting.sent[0]
                .at("params")
                .at("_meta")
                .at("io.modelcontextprotocol/related-task")
                .at("taskId"),
            json::Value(id));
  bench_.reply(mine, waiting, 0, kYes);

  EXPECT_EQ(parsed(waiting.text()), parsed(kYes));
}

// It once waited for an answer to a question that the client could not hear.
TEST_F(TaskMethodsTest, In2025_11_25AClientWithoutAStreamIsToldThatItCannotBeAsked) {
  auto const mine = session();
  auto const id = id_of(core_call(mine, "asks").result().at("task").get_object());

  bench_.prepare().reachable = false;
  auto const& outlet = on_core_task(mine, "tasks/result", id);

  EXPECT_EQ(outlet.error_code(), code::kInternalError);
  EXPECT_EQ(outlet.error_message(), "The client cannot be asked: it takes no event stream.");
}

TEST_F(TaskMethodsTest, In2025_11_25ATaskThatHasEndedCannotBeCancelled) {
  auto const mine = session();
  auto const id = id_of(core_call(mine, "works").result().at("task").get_object());
  auto const& waiting = on_core_task(mine, "tasks/result", id);

  auto const& first = on_core_task(mine, "tasks/cancel", id);
  bench_.settle();
  auto const& again = on_core_task(mine, "tasks/cancel", id);

  EXPECT_EQ(first.result().at("status"), "cancelled");
  EXPECT_EQ(again.error_code(), code::kInvalidParams);
  EXPECT_EQ(waiting.error_code(), code::kInternalError);
}

TEST_F(TaskMethodsTest, In2025_11_25AFailedTaskHasItsErrorForAResult) {
  auto const mine = session();
  auto const id = id_of(core_call(mine, "breaks").result().at("task").get_object());

  auto const& outlet = on_core_task(mine, "tasks/result", id);

  EXPECT_EQ(outlet.error_code(), code::kInternalError);
  EXPECT_EQ(outlet.error_message(), "broke");
}

TEST_F(TaskMethodsTest, In2025_11_25ASessionSeesItsOwnTasksOnly) {
  auto const mine = session();
  auto const other = session();
  auto const id = id_of(core_call(mine, "works").result().at("task").get_object());

  EXPECT_EQ(on_core_task(other, "tasks/get", id).error_code(), code::kInvalidParams);
  EXPECT_TRUE(bench_.legacy(other, "tasks/list").result().at("tasks").get_array().empty());
}

}  // namespace
}  // namespace sallyport::mcp
