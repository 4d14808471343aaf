#include "src/tools/run_js/executions.hpp"

#include "src/base/event_loops.hpp"
#include "src/tools/run_js/test_engine.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace sallyport::tools {
namespace {

using std::chrono::minutes;
using test_js::FakeEngine;
using test_js::NoWorld;
using test_js::value_of;

// A store on one loop that runs when the test says so, and a clock that moves when told.
class ExecutionsTest : public testing::Test {
 protected:
  ~ExecutionsTest() override {
    bool done = false;
    asio::co_spawn(loop_, store().stop(), [&](auto const&, auto const&) { done = true; });
    loop_.restart();
    while (!done) loop_.run_one();
  }

  ExecutionStore& store() {
    if (!store_) store_.emplace(limits, engine, [this] { return now; });
    return *store_;
  }
  Result<std::shared_ptr<Execution>> try_start(std::string owner, std::string id = {}) {
    ExecutionStore::Start what{.id = id.empty() ? std::to_string(++last_id_) : id,
                               .value_bytes = 1000};
    what.script.owner = std::move(owner);
    what.world = std::make_unique<NoWorld>();
    Result<std::shared_ptr<Execution>> started = fail(Errc::Internal, "not run");
    asio::post(loop_, [&] { started = store().start(loop_.get_executor(), std::move(what)); });
    settle();
    return started;
  }
  std::shared_ptr<Execution> start(std::string owner, std::string id = {}) {
    return try_start(std::move(owner), std::move(id)).value();
  }
  // Runs to its end, and is kept.
  std::shared_ptr<Execution> kept(std::string owner) {
    auto execution = start(std::move(owner));
    store().keep(execution);
    return execution;
  }
  Executor execution_loop() { return loop_.get_executor(); }
  void settle() {
    loop_.restart();
    loop_.poll();
  }

  FakeEngine engine;
  ExecutionLimits limits;
  WallTime now{std::chrono::seconds{1'000'000}};

 private:
  asio::io_context loop_{1};
  std::optional<ExecutionStore> store_;
  int last_id_{0};
};

TEST_F(ExecutionsTest, TellsHowARunGoes) {
  engine.block();
  engine.log("hello");
  engine.outcome = value_of(42);

  auto const execution = start("alice");
  store().keep(execution);
  EXPECT_EQ(execution->status(), ExecutionStatus::Running);
  EXPECT_EQ(execution->output_bytes(0, 100).data, "hello\n");
  now += minutes{1};
  engine.gate->set();
  settle();

  auto const facts = execution->facts();
  EXPECT_EQ(facts.status, ExecutionStatus::Completed);
  EXPECT_EQ(facts.outcome->value, json::Value(42));
  EXPECT_EQ(*facts.ended - facts.created, minutes{1});
}

TEST_F(ExecutionsTest, IsQueuedUntilTheEngineStartsIt) {
  engine.block();
  engine.queues = true;

  auto const execution = start("alice");

  EXPECT_EQ(execution->status(), ExecutionStatus::Queued);
  EXPECT_FALSE(execution->facts().started);
}

TEST_F(ExecutionsTest, EveryEndHasItsStatus) {
  std::vector<std::pair<js::RunEnd, ExecutionStatus>> const ends{
      {js::RunEnd::Completed, ExecutionStatus::Completed},
      {js::RunEnd::Threw, ExecutionStatus::Failed},
      {js::RunEnd::TimedOut, ExecutionStatus::TimedOut},
      {js::RunEnd::CpuExhausted, ExecutionStatus::Failed},
      {js::RunEnd::OutOfMemory, ExecutionStatus::Failed},
      {js::RunEnd::OutputExceeded, ExecutionStatus::Failed},
      {js::RunEnd::Crashed, ExecutionStatus::Failed}};

  for (auto const& [end, status] : ends) {
    engine.outcome.end = end;
    EXPECT_EQ(start("alice")->status(), status) << to_string(end);
  }
}

TEST_F(ExecutionsTest, ARunThatTheEngineRefusesHasFailed) {
  engine.failure = fail(Errc::LimitExceeded, "busy");

  auto const execution = start("alice");

  EXPECT_EQ(execution->status(), ExecutionStatus::Failed);
  EXPECT_EQ(execution->facts().failure->message, "busy");
}

TEST_F(ExecutionsTest, CancellingEndsTheScript) {
  engine.block();
  auto const execution = start("alice");

  execution->cancel();
  settle();

  EXPECT_EQ(execution->status(), ExecutionStatus::Cancelled);
  EXPECT_EQ(engine.cancelled, 1U);
}

TEST_F(ExecutionsTest, CancellingWhatHasEndedChangesNothing) {
  auto const execution = start("alice");

  execution->cancel();
  settle();

  EXPECT_EQ(execution->status(), ExecutionStatus::Completed);
}

TEST_F(ExecutionsTest, NobodyFindsTheRunOfAnother) {
  engine.block();
  auto const execution = kept("alice");

  EXPECT_EQ(store().find(execution->id(), "alice"), execution);
  for (auto const* other : {"bob", "", "alic", "alice\n", "ALICE"}) {
    EXPECT_EQ(store().find(execution->id(), other), nullptr) << other;
    EXPECT_TRUE(store().list(other).empty()) << other;
  }
}

TEST_F(ExecutionsTest, ARunThatNobodyMayAskForIsNotKept) {
  auto const execution = start("alice");

  EXPECT_EQ(store().find(execution->id(), "alice"), nullptr);
  EXPECT_TRUE(store().list("alice").empty());
}

TEST_F(ExecutionsTest, KeepsSoManyOfEachOwnerAndForgetsTheOldest) {
  limits.kept = 3;
  auto const of_bob = kept("bob");
  std::vector<std::shared_ptr<Execution>> runs;
  for (int i = 0; i < 5; ++i, now += minutes{1}) runs.push_back(kept("alice"));

  auto const listed = store().list("alice");

  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed.front().id, runs[4]->id()) << "the newest comes first";
  EXPECT_EQ(store().find(runs[0]->id(), "alice"), nullptr);
  EXPECT_EQ(store().find(runs[1]->id(), "alice"), nullptr);
  EXPECT_NE(store().find(of_bob->id(), "bob"), nullptr) << "others are not pushed out";
}

TEST_F(ExecutionsTest, KeepsSoManyBytesOfEachOwner) {
  limits.kept_bytes = 10'000;
  engine.log(std::string(4'000, 'x'));
  auto const first = kept("alice");
  now += minutes{1};

  auto const second = kept("alice");
  now += minutes{1};
  auto const third = kept("alice");

  EXPECT_EQ(store().find(first->id(), "alice"), nullptr);
  EXPECT_EQ(store().find(third->id(), "alice"), third);
}

TEST_F(ExecutionsTest, TheNewestStaysHoweverLargeItIs) {
  limits.kept_bytes = 10;
  engine.log(std::string(4'000, 'x'));

  auto const execution = kept("alice");

  EXPECT_EQ(store().find(execution->id(), "alice"), execution);
}

TEST_F(ExecutionsTest, KeepsSoManyBytesOfAll) {
  limits.total_bytes = 10'000;
  engine.log(std::string(4'000, 'x'));
  auto const of_alice = kept("alice");
  now += minutes{1};

  auto const of_bob = kept("bob");
  auto const of_carol = kept("carol");

  EXPECT_EQ(store().find(of_alice->id(), "alice"), nullptr);
  EXPECT_EQ(store().find(of_carol->id(), "carol"), of_carol);
}

TEST_F(ExecutionsTest, ForgetsWhatEndedTooLongAgo) {
  limits.kept_for = minutes{60};
  auto const execution = kept("alice");

  now += minutes{60};
  EXPECT_NE(store().find(execution->id(), "alice"), nullptr);
  now += minutes{1};
  store().remove_expired();
  EXPECT_EQ(store().find(execution->id(), "alice"), nullptr);
  EXPECT_TRUE(store().list("alice").empty());
}

TEST_F(ExecutionsTest, NeverForgetsWhatStillRuns) {
  limits.kept = 1;
  engine.block();
  auto const running = kept("alice");
  engine.gate.reset();

  for (int i = 0; i < 3; ++i) kept("alice");
  now += minutes{600};

  EXPECT_EQ(store().find(running->id(), "alice"), running);
  ASSERT_EQ(store().list("alice").size(), 1U);
}

TEST_F(ExecutionsTest, KeepingNoneIsPossible) {
  limits.kept = 0;
  engine.block();
  auto const execution = kept("alice");
  EXPECT_EQ(store().find(execution->id(), "alice"), execution) << "while it runs";

  engine.gate->set();
  settle();

  EXPECT_EQ(store().find(execution->id(), "alice"), nullptr);
}

TEST_F(ExecutionsTest, AnOwnerMayHaveSoManyUnderWay) {
  limits.under_way = 2;
  engine.block();
  auto const first = start("alice");
  auto const second = start("alice");

  auto const refused = try_start("alice");
  EXPECT_TRUE(try_start("bob"));
  first->cancel();
  settle();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::LimitExceeded);
  EXPECT_TRUE(try_start("alice"));
}

TEST_F(ExecutionsTest, StoppingEndsEveryRunAndStartsNoOther) {
  engine.block();
  auto const execution = start("alice");
  bool done = false;

  asio::co_spawn(execution_loop(), store().stop(), [&](auto const&, auto const&) { done = true; });
  settle();

  EXPECT_TRUE(done);
  EXPECT_EQ(execution->status(), ExecutionStatus::Cancelled);
  EXPECT_EQ(try_start("alice").error().code, Errc::LimitExceeded);
}

TEST_F(ExecutionsTest, AValueThatIsTooLargeIsNotKeptButCounted) {
  engine.outcome = value_of(json::Value(std::string(2'000, 'v')));

  auto const facts = start("alice")->facts();

  EXPECT_FALSE(facts.outcome->value);
  EXPECT_EQ(facts.value_bytes, 2'002U);
}

Task<void> start_here(ExecutionStore& store) {
  ExecutionStore::Start what{.id = "id", .world = std::make_unique<NoWorld>()};
  auto const home = co_await asio::this_coro::executor;
  SP_CO_TRY(auto const execution, store.start(home, std::move(what)));
  store.keep(execution);
  co_return Result<void>{};
}

Task<void> cancel_there(ExecutionStore& store) {
  auto const execution = store.find("id", "");
  EXPECT_EQ(execution->output_lines(0, 10, 1000).total_lines, 1000U);
  execution->cancel();
  auto const wakeup = co_await execution->wait();
  EXPECT_EQ(wakeup, Wakeup::Happened);
  EXPECT_EQ(execution->status(), ExecutionStatus::Cancelled);
  co_return Result<void>{};
}

// Reads page after page until the script has ended and all is read.
Task<void> follow_there(ExecutionStore& store, std::size_t& lines) {
  auto const execution = store.find("id", "");
  bool ended = false;
  while (!ended || lines < execution->facts().output_lines) {
    ended = has_ended(execution->status());
    auto const page = execution->output_lines(lines, 7, 1000);
    EXPECT_EQ(page.start_line, lines);
    lines = page.end_line;
    EXPECT_EQ(store.list("").size(), 1U);
  }
  co_return Result<void>{};
}

// Run under the thread sanitizer: a script writes on one loop while another asks and cancels.
TEST(ExecutionsAcrossLoops, AreReadAndCancelledFromOtherLoops) {
  EventLoops loops{2};
  FakeEngine engine;
  engine.block();
  for (int i = 0; i < 1000; ++i) engine.log("line");
  ExecutionStore store{{}, engine};
  std::thread thread{[&] { loops.run(); }};
  auto const on = [&](std::size_t loop, Task<void> task) {
    return asio::co_spawn(loops.executor(loop), std::move(task), asio::use_future).get();
  };

  EXPECT_TRUE(on(0, start_here(store)));
  EXPECT_TRUE(on(1, cancel_there(store)));
  EXPECT_TRUE(on(1, store.stop()));

  loops.finish();
  thread.join();
}

TEST(ExecutionsAcrossLoops, AreFollowedWhileTheyWrite) {
  EventLoops loops{2};
  FakeEngine engine;
  engine.block();
  engine.last_lines.assign(2'000, {"log", "line"});
  ExecutionStore store{{}, engine};
  std::thread thread{[&] { loops.run(); }};
  auto const on = [&](std::size_t loop, Task<void> task) {
    return asio::co_spawn(loops.executor(loop), std::move(task), asio::use_future);
  };
  std::size_t lines = 0;

  EXPECT_TRUE(on(0, start_here(store)).get());
  auto followed = on(1, follow_there(store, lines));
  engine.gate->set();
  EXPECT_TRUE(followed.get());

  EXPECT_EQ(lines, 2'000U);
  EXPECT_TRUE(on(1, store.stop()).get());
  loops.finish();
  thread.join();
}

}  // namespace
}  // namespace sallyport::tools
