// The engine of the gateway with the real sandbox.
#include "src/js/process_engine.hpp"

#include "tests/js/process_facts.hpp"
#include "tests/support/run.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Answers every fetch() with pieces of a body; knows no tools but "echo".
class TestWorld final : public World {
 public:
  Available can_fetch() const override { return fetches; }
  Available can_open_sockets() const override { return {"WebSockets are off."}; }
  Available can_call_tools() const override { return {}; }

  std::unique_ptr<Fetch> fetch(FetchCall call) override {
    asked.push_back(call.method + " " + call.url);
    return std::make_unique<TestFetch>(*this);
  }
  Task<json::Value> call_tool(std::string server, std::string tool,
                              json::Object arguments) override {
    if (tool != "echo") co_return fail(Errc::NotFound, "There is no tool " + tool + ".");
    co_return json::Value(json::Object{{"server", server}, {"arguments", std::move(arguments)}});
  }
  Task<json::Value> list_tools(std::optional<std::string>) override {
    co_return json::Value(json::Array{"echo"});
  }

  Available fetches;
  std::vector<std::string> asked;
  std::vector<std::string> pieces{"one", "two"};
  bool hangs{false};
  int under_way{0};

 private:
  struct TestAnswer final : FetchAnswer {
    explicit TestAnswer(TestWorld& all) : world{all}, left{all.pieces} {}
    int status() const override { return 200; }
    std::string const& reason() const override { return nothing; }
    http::Headers const& headers() const override { return fields; }
    std::string url() const override { return "https://example.com/"; }
    bool redirected() const override { return false; }
    Task<std::optional<std::string>> next() override {
      if (left.empty()) co_return std::optional<std::string>{};
      auto piece = left.front();
      left.erase(left.begin());
      co_return std::optional{std::move(piece)};
    }

    TestWorld& world;
    std::vector<std::string> left;
    std::string nothing;
    http::Headers fields{{"content-type", "text/plain"}};
  };
  struct TestFetch final : Fetch {
    explicit TestFetch(TestWorld& all) : world{all} { ++world.under_way; }
    ~TestFetch() override { --world.under_way; }
    Task<void> write(std::string) override { co_return Result<void>{}; }
    Result<void> finish() override { return {}; }
    void fail(Error) override {}
    Task<std::unique_ptr<FetchAnswer>> answer() override {
      if (world.hangs) {
        Timer never{co_await asio::this_coro::executor, Timer::time_point::max()};
        co_await never.async_wait(use_async);
      }
      co_return std::make_unique<TestAnswer>(world);
    }

    TestWorld& world;
  };
};

class Lines final : public ConsoleListener {
 public:
  void wrote(std::string_view level, std::string_view text) override {
    lines.push_back(std::string{level} + ": " + std::string{text});
  }
  std::vector<std::string> lines;
};

class EngineTest : public testing::Test {
 protected:
  Result<RunOutcome> run(Script script) {
    return test::run(engine_.run(std::move(script), world_, console_));
  }
  Result<RunOutcome> run(std::string code) { return run(Script{.code = std::move(code)}); }
  static Script in_session(std::string session, std::string code) {
    return Script{.code = std::move(code), .session = std::move(session), .owner = "alice"};
  }

  ProcessEngine engine_{{.program = SANDBOX_PROGRAM, .concurrent = 2, .queued = 1}};
  TestWorld world_;
  Lines console_;
};

TEST_F(EngineTest, GivesTheValueOfAScriptAndWhatItWrote) {
  auto const outcome = run("console.log('hello'); console.error('oh');\nreturn {a: 1}");

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::Completed);
  ASSERT_TRUE(outcome->value);
  EXPECT_EQ(*outcome->value, (json::Value{{"a", 1}}));
  EXPECT_THAT(console_.lines, ElementsAre("log: hello", "error: oh"));
}

TEST_F(EngineTest, TellsTheErrorOfAScript) {
  auto const outcome = run("throw new RangeError('too far')");

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, RunEnd::Threw);
  EXPECT_EQ(outcome->error->name, "RangeError");
  EXPECT_EQ(outcome->error->message, "too far");
}

TEST_F(EngineTest, EndsAScriptThatOnlyWaits) {
  auto const begun = Clock::now();
  Script script{.code = "await new Promise(r => setTimeout(r, 2 ** 31 - 1))"};
  script.limits.wall = 100ms;

  auto const outcome = run(std::move(script));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, RunEnd::TimedOut);
  EXPECT_THAT(outcome->error->message, HasSubstr("100 ms"));
  EXPECT_LT(Clock::now() - begun, 3s);
}

TEST_F(EngineTest, EndsAScriptThatWorksTooLong) {
  Script script{.code = "for (;;);"};
  script.limits.cpu = 100ms;

  auto const outcome = run(std::move(script));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, RunEnd::CpuExhausted);
}

TEST_F(EngineTest, EndsAScriptThatTakesTooMuchMemory) {
  for (auto const* const code : {"const a = []; for (;;) a.push(new Array(1000).fill(a))",
                                 "new Array(1e9).fill(0)", "'x'.repeat(5e8).split('')"}) {
    Script script{.code = code};
    script.limits.heap_mb = 32;

    auto const outcome = run(std::move(script));

    ASSERT_TRUE(outcome) << code;
    EXPECT_EQ(outcome->end, RunEnd::OutOfMemory) << code;
  }
  EXPECT_EQ(run("return 1")->value, json::Value(1));
}

TEST_F(EngineTest, EndsAScriptThatWritesTooMuch) {
  Script script{.code = "for (;;) console.log('x'.repeat(1000))"};
  script.limits.output_bytes = 10'000;

  auto const outcome = run(std::move(script));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, RunEnd::OutputExceeded);
  EXPECT_LE(console_.lines.size(), 10U);
}

TEST_F(EngineTest, DoesNotTakeAValueThatIsTooLarge) {
  Script script{.code = "return 'x'.repeat(100000)"};
  script.limits.output_bytes = 10'000;

  EXPECT_EQ(run(std::move(script))->end, RunEnd::OutputExceeded);
}

TEST_F(EngineTest, ServesCallsOfAScript) {
  auto const outcome = run(
      "const tools = await call('mcp.listTools');\n"
      "const said = await call('mcp.callTool', {server: 's', tool: 'echo', arguments: {a: 1}});\n"
      "return [tools, said]");

  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->value) << outcome->error->message;
  EXPECT_EQ(*outcome->value,
            (json::Value{json::Array{"echo"}, {{"server", "s"}, {"arguments", {{"a", 1}}}}}));
  EXPECT_EQ(outcome->calls, 2U);
}

TEST_F(EngineTest, TellsAScriptWhyACallFailed) {
  auto const outcome = run("await call('mcp.callTool', {tool: 'absent'})");

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->error->message, "There is no tool absent.");
}

TEST_F(EngineTest, DoesNotServeWhatIsOff) {
  world_.fetches = {"Turn it on."};

  auto const outcome = run("await call('fetch', {method: 'GET', url: 'https://example.com/'})");

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->error->message, "Turn it on.");
  EXPECT_TRUE(world_.asked.empty());
}

TEST_F(EngineTest, TellsAScriptWhatItCanReach) {
  auto const outcome = run("return apis");

  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->value);
  EXPECT_EQ(*outcome->value,
            (json::Value(json::Object{
                {"fetch", true}, {"websocket", "WebSockets are off."}, {"mcp", true}})));
}

TEST_F(EngineTest, CountsCalls) {
  Script script{.code = "for (let i = 0; i < 3; ++i) await call('mcp.listTools')"};
  script.limits.calls = 2;

  auto const outcome = run(std::move(script));

  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->error->message, HasSubstr("2 calls"));
}

TEST_F(EngineTest, LeavesNoCallBehindWhenAScriptEnds) {
  world_.hangs = true;

  auto const outcome =
      run("call('fetch', {method: 'GET', url: 'https://example.com/'});\n"
          "await call('mcp.listTools');\nthrow new Error('enough')");

  ASSERT_TRUE(outcome);
  EXPECT_THAT(world_.asked, ElementsAre("GET https://example.com/"));
  EXPECT_EQ(world_.under_way, 0);
}

TEST_F(EngineTest, EndsAScriptThatNobodyWaitsFor) {
  auto const outcome = test::run(engine_.run(Script{.code = "for (;;);"}, world_, console_),
                                 test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::Cancelled);
  EXPECT_EQ(run("return 1")->value, json::Value(1));
}

TEST_F(EngineTest, KeepsTheGlobalsOfASession) {
  auto const first = run(in_session("a", "globalThis.count = 41;\nreturn 0"));
  auto const second = run(in_session("a", "return ++count"));
  auto const other = run(in_session("b", "return typeof count"));

  ASSERT_TRUE(first && second && other);
  EXPECT_TRUE(first->new_session);
  EXPECT_FALSE(second->new_session);
  EXPECT_EQ(second->value, json::Value(42));
  EXPECT_EQ(other->value, json::Value("undefined"));
}

TEST_F(EngineTest, ForgetsASessionThatWasEnded) {
  ASSERT_TRUE(run(in_session("a", "globalThis.x = 1;\nreturn 0")));

  engine_.end_session("a");
  auto const outcome = run(in_session("a", "return typeof x"));

  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->new_session);
  EXPECT_EQ(outcome->value, json::Value("undefined"));
}

TEST_F(EngineTest, SaysWhenItIsBusy) {
  asio::io_context loop;
  std::vector<Errc> refused;
  for (int i = 0; i < 4; ++i) {
    Script script{.code = "await new Promise(r => setTimeout(r, 300))"};
    asio::co_spawn(loop, engine_.run(std::move(script), world_, console_),
                   [&](std::exception_ptr const&, Result<RunOutcome> outcome) {
                     if (!outcome) refused.push_back(outcome.error().code);
                   });
  }

  loop.run();

  EXPECT_THAT(refused, ElementsAre(Errc::LimitExceeded)) << "two run, one waits";
}

TEST_F(EngineTest, GoesOnWhenTheSandboxWasLost) {
  ASSERT_TRUE(run("return 1"));
  for (auto const& entry : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream children{entry.path() / "children"};
    for (pid_t pid = 0; children >> pid;) ::kill(pid, SIGKILL);
  }

  Result<RunOutcome> outcome = run("return 2");
  for (int i = 0; i < 100 && !outcome; ++i) {
    std::this_thread::sleep_for(50ms);
    outcome = run("return 2");
  }

  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->value, json::Value(2));
}

TEST_F(EngineTest, CountsItsRunsAndSessions) {
  Metrics metrics;
  engine_.measure(metrics);

  EXPECT_TRUE(run("return 1"));
  EXPECT_TRUE(run("throw 1"));
  EXPECT_TRUE(run(in_session("mine", "return 1")));

  auto const text = metrics.render();
  EXPECT_THAT(text, HasSubstr(R"(sallyport_js_runs_total{end="completed"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(sallyport_js_runs_total{end="threw"} 1)"));
  EXPECT_THAT(text, HasSubstr("sallyport_js_sessions 1"));
  EXPECT_THAT(text, HasSubstr("sallyport_js_running 0"));
  engine_.end_session("mine");
  EXPECT_THAT(metrics.render(), HasSubstr("sallyport_js_sessions 0"));
}

TEST_F(EngineTest, CountsWhoIsRefused) {
  Metrics metrics;
  ProcessEngine engine{{.program = "/nowhere/sallyport-js"}};
  engine.measure(metrics);

  EXPECT_FALSE(test::run(engine.run(Script{.code = "return 1"}, world_, console_)));

  EXPECT_THAT(metrics.render(), HasSubstr(R"(sallyport_js_runs_total{end="refused"} 1)"));
}

// The kernel's own limit is the last resort, and no hour away where one script is all there is.
TEST_F(EngineTest, GivesAChildOfOneScriptLittleMoreProcessorTimeThanTheScript) {
  auto const limit_of = [&](Script script) {
    std::string found;
    std::thread look{[&] {
      for (int i = 0; i < 500 && found.empty(); ++i) {
        std::this_thread::sleep_for(10ms);
        for (auto const started : test::children_of(::getpid())) {
          for (auto const child :
               test::confined_children_of(test::forking_process(started, true))) {
            found = test::proc_text(child, "limits");
          }
        }
      }
    }};
    script.limits.cpu = 3s;
    script.limits.wall = 2s;
    EXPECT_TRUE(run(std::move(script)));
    look.join();
    auto const begin = found.find("Max cpu time");
    return begin == std::string::npos ? 0 : std::stoi(found.substr(begin + 12));
  };

  EXPECT_EQ(limit_of(Script{.code = "await new Promise((r) => setTimeout(r, 60000))"}), 5);
  EXPECT_EQ(limit_of(in_session("mine", "await new Promise((r) => setTimeout(r, 60000))")), 3600);
}

}  // namespace
}  // namespace sallyport::js
