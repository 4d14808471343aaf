// Scripts that want too much, through the built program: each ends by itself, and nobody else
// notices.
#include "tests/js/process_facts.hpp"
#include "tests/support/origin.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/script_road.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

constexpr auto const* kWaitForEver = "await new Promise((r) => setTimeout(r, 2 ** 31 - 1))";

class RoadScriptLimits : public ScriptRoadTest {
 protected:
  static void expect_next_answers(Gateway const& gateway, std::string const& after) {
    auto const begun = SteadyClock::now();
    EXPECT_EQ(value_of(run(gateway, "1 + 1")), "2") << after;
    EXPECT_LT(SteadyClock::now() - begun, 5s) << after;
  }
};

struct Greed {
  char const* code;
  char const* end;
};

TEST_F(RoadScriptLimits, EndOneScriptAndNothingElse) {
  Gateway const gateway;
  EXPECT_EQ(value_of(run(gateway, "globalThis.kept = 41", {{"session", "mine"}})), "41");

  for (auto const& [code, end] : {
           Greed{"for (;;);", "timed_out"},
           Greed{kWaitForEver, "timed_out"},
           Greed{"await new Promise(() => setInterval(() => {}, 10))", "timed_out"},
           Greed{"const f = () => queueMicrotask(f); f()", "timed_out"},
           Greed{"const a = []; for (;;) a.push(new Array(1000).fill(0.5))", "out_of_memory"},
           Greed{"const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", "out_of_memory"},
           Greed{"new Array(1e9).fill(0)", "out_of_memory"},
           Greed{"const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))", "threw"},
           Greed{"for (;;) console.log('x'.repeat(1e4))", "output_exceeded"},
           Greed{"(function f() { f() })()", "threw"},
       }) {
    auto const reply =
        run(gateway, code, {{"execution_timeout_secs", 1.5}, {"heap_memory_max_mb", 16}});

    EXPECT_TRUE(reply.is_error) << code;
    EXPECT_EQ(end_of(reply), end) << code << reply.whole;
    expect_next_answers(gateway, code);
  }
  EXPECT_EQ(value_of(run(gateway, "kept + 1", {{"session", "mine"}})), "42");
}

// A script that waits uses nothing that could run out: when its time is over, its place is free.
TEST_F(RoadScriptLimits, GiveBackThePlaceOfWhoOnlyWaits) {
  Gateway const gateway{{.more = "js:\n  concurrent: 2\n"}};
  std::vector<std::thread> callers;
  std::atomic<int> timed_out{0};

  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      auto const reply = run(gateway, kWaitForEver, {{"execution_timeout_secs", 0.4}});
      if (end_of(reply) == "timed_out") ++timed_out;
    });
  }
  for (auto& caller : callers) caller.join();

  EXPECT_EQ(timed_out, 6);
  expect_next_answers(gateway, "six that waited");
}

TEST_F(RoadScriptLimits, CancelWhoOnlyWaits) {
  Gateway const gateway;
  auto const started = run(gateway, kWaitForEver, {{"background", true}});
  auto const id =
      Reply::text_in(started.result.at("structuredContent").as_object(), "execution_id");
  auto const about = json::to_text(json::Object{{"execution_id", id}});
  auto const begun = SteadyClock::now();

  EXPECT_FALSE(gateway.call(modern_call("cancel_execution", about)).is_error);

  auto const asked = gateway.call(modern_call(
      "get_execution", json::to_text(json::Object{{"execution_id", id}, {"wait_secs", 20}})));
  EXPECT_EQ(Reply::text_in(asked.result.at("structuredContent").as_object(), "status"), "cancelled")
      << asked.whole;
  EXPECT_LT(SteadyClock::now() - begun, 10s);
}

TEST_F(RoadScriptLimits, AreNotRaisedByACall) {
  Gateway const gateway{{.more = "js:\n  max_timeout: 5s\n  max_heap_mb: 64\n  heap_mb: 32\n"
                                 "  timeout: 2s\n"}};

  EXPECT_THAT(run(gateway, "1", {{"execution_timeout_secs", 6}}).whole, HasSubstr("5"));
  EXPECT_TRUE(run(gateway, "1", {{"execution_timeout_secs", 6}}).is_error);
  EXPECT_TRUE(run(gateway, "1", {{"heap_memory_max_mb", 65}}).is_error);
  EXPECT_EQ(value_of(run(gateway, "1", {{"heap_memory_max_mb", 64}})), "1");
}

TEST_F(RoadScriptLimits, StopAnAnswerThatDoesNotEnd) {
  Origin origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    std::string const piece(64UL * 1024, 'x');
    while (peer.send(piece)) {
    }
  }};
  Gateway const gateway{fetching_from({place(origin)}, "js:\n  body_bytes: 4MiB\n")};

  auto const reply = run(gateway, "const r = await fetch('" + origin.url("/") +
                                      "');\nlet n = 0;\ntry { for await (const c of r.body) n += "
                                      "c.length } catch (e) { [n > 1e6, n <= 4 * 1024 * 1024, "
                                      "String(e)] }");

  EXPECT_THAT(value_of(reply), HasSubstr("[true,true,")) << reply.whole;
  expect_next_answers(gateway, "an endless answer");
}

TEST_F(RoadScriptLimits, AreCountedInTheMetrics) {
  Gateway const gateway;
  run(gateway, "1");
  run(gateway, "throw 1");
  run(gateway, "for (;;);", {{"execution_timeout_secs", 0.1}});
  run(gateway, "new Array(1e9).fill(0)", {{"heap_memory_max_mb", 8}});
  run(gateway, "let x = 1", {{"session", "mine"}});

  auto const metrics = gateway.metrics();

  EXPECT_THAT(metrics, HasSubstr(R"(sallyport_js_runs_total{end="completed"} 2)"));
  for (auto const* const end : {"threw", "timed_out", "out_of_memory"}) {
    EXPECT_THAT(metrics,
                HasSubstr(std::string{R"(sallyport_js_runs_total{end=")"} + end + R"("} 1)"));
  }
  EXPECT_THAT(metrics, HasSubstr(R"(sallyport_js_runs_total{end="crashed"} 0)"));
  EXPECT_THAT(metrics, HasSubstr("\nsallyport_js_running 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\nsallyport_js_queued 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\nsallyport_js_sessions 1\n"));
  EXPECT_THAT(metrics, HasSubstr("sallyport_js_run_seconds_count 5"));
}

// The starter, the process that forks, and with it how many descriptors and children there are.
struct Footprint {
  std::size_t descriptors{0};
  std::size_t children{0};
  long resident_kb{0};
};

pid_t only_child_of(pid_t process) {
  auto const children = children_of(process);
  return children.empty() ? 0 : children.front();
}

Footprint footprint_of(pid_t gateway) {
  auto const started = only_child_of(gateway);
  auto forking = only_child_of(started);
  // Without namespaces the one that was started forks by itself.
  if (children_of(forking).empty()) forking = started;
  auto const facts = facts_of(forking);
  return {.descriptors = facts_of(gateway).descriptors + facts.descriptors,
          .children = facts.children,
          .resident_kb = facts_of(gateway).resident_kb + facts.resident_kb};
}

// `./dev bench js --soak 200000` is the long form.
TEST_F(RoadScriptLimits, LeaveNothingBehindAfterManyRuns) {
  constexpr int kRuns = 2000;
  Gateway const gateway;
  std::mutex mutex;
  std::map<std::string, int> ends;
  auto const send = [&](int first, int last) {
    RawClient client{gateway.port()};
    for (int i = first; i < last; ++i) {
      Modern call = run_call("[1, 2].map((x) => x * 2)");
      if (i % 150 == 0) call = run_call(kWaitForEver, {{"execution_timeout_secs", 0.05}});
      if (i % 150 == 50) call = run_call("new Array(1e9).fill(0)", {{"heap_memory_max_mb", 8}});
      if (i % 150 == 100) call = run_call("for (;;);", {{"execution_timeout_secs", 0.05}});
      auto const end = end_of(Gateway::call(client, call));
      std::lock_guard const lock{mutex};
      ++ends[end];
    }
  };
  auto const send_all = [&](int first, int last) {
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back(send, first + (last - first) * i / 4,
                           first + (last - first) * (i + 1) / 4);
    }
    for (auto& caller : callers) caller.join();
    std::this_thread::sleep_for(500ms);
  };

  send_all(0, kRuns / 4);
  auto const before = footprint_of(gateway.pid());
  send_all(kRuns / 4, kRuns);
  auto const after = footprint_of(gateway.pid());

  EXPECT_EQ(ends["timed_out"] + ends["out_of_memory"] + ends["completed"], kRuns);
  EXPECT_EQ(ends["timed_out"], kRuns / 150 + 1 + kRuns / 150);
  EXPECT_EQ(ends["out_of_memory"], kRuns / 150);
  EXPECT_LE(after.descriptors, before.descriptors + 4);
  EXPECT_LE(after.children, before.children + 1);
  if (kMemoryIsTelling) EXPECT_LE(after.resident_kb, before.resident_kb + 8 * 1024);
}

}  // namespace
}  // namespace sallyport::test
