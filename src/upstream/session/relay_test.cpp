// What passes between a client of ours and a server, in all combinations of eras.
#include "src/upstream/session/relay.hpp"

#include "tests/support/json_text.hpp"
#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using mcp::client::Answers;
using mcp::client::Inquiry;
using mcp::client::Outcome;
using test::parsed_object;
using testing::ElementsAre;

// A client that is asked; stateless or not.
class FakeCall final : public mcp::CallContext {
 public:
  RequestContext const& request() const noexcept override { return context; }
  void progress(double done, std::optional<double>, std::string_view message) override {
    heard.push_back("progress " + std::to_string(static_cast<int>(done)) + " " +
                    std::string{message});
  }
  void log(mcp::LogLevel level, json::Value, std::string_view) override {
    heard.push_back("log " + std::string{to_string(level)});
  }
  void notify(std::string_view method, std::string_view) override { heard.emplace_back(method); }
  bool can_ask(mcp::InputKind) const override { return able; }
  Task<mcp::InputResponses> ask(mcp::InputRequests requests) override {
    for (auto const& [key, each] : requests) heard.push_back("asked " + key);
    if (stateless) co_return fail(Errc::InputRequired, "Input is required.");
    mcp::InputResponses answers;
    for (auto const& [key, each] : requests) answers[key] = {{"action", "accept"}};
    co_return answers;
  }
  void keep(json::Object state) override { kept = std::move(state); }
  std::optional<mcp::Resumption> resume() override { return std::exchange(back, std::nullopt); }
  Task<void> start_task() override { co_return Result<void>{}; }
  void release_connection(std::chrono::milliseconds) override {}
  void publish(mcp::Event) override {}

  // The client comes back with what it was given, and an answer.
  void come_back(mcp::InputResponses answers) {
    back = mcp::Resumption{.kept = std::exchange(kept, {}), .answers = std::move(answers)};
  }

  RequestContext context;
  bool able{true};
  bool stateless{true};
  json::Object kept;
  std::optional<mcp::Resumption> back;
  std::vector<std::string> heard;
};

class NobodyHears final : public mcp::client::Observer {
 public:
  void heard(mcp::NotificationMessage const&) override {}
};

class RelayTest : public testing::Test {
 protected:
  // The server's part of a request.
  using Play = std::function<Task<Outcome>(std::shared_ptr<Errand> errand)>;

  Task<Outcome> relay(Play play) {
    auto const executor = co_await asio::this_coro::executor;
    if (!group) group.emplace(executor, [](std::string_view, Error const&) {});
    Relay const way{parked, [&](Errand::Job job, std::shared_ptr<Inbox> inbox) {
                      sent.push_back(job.ask.params);
                      auto errand = std::make_shared<Errand>(std::move(job), nobody, executor);
                      errand->attach(std::move(inbox));
                      errand->run_in(*group, play(errand));
                      return errand;
                    }};
    co_return co_await way.request(call, {.method = "tools/call", .params = {{"name", "t"}}});
  }

  // Runs to its end, and ends what is still under way.
  Result<Outcome> run(Task<Outcome> work) {
    auto whole = [this](Task<Outcome> inner) -> Task<Outcome> {
      auto outcome = co_await std::move(inner);
      if (group) {
        group->stop(asio::cancellation_type::terminal);
        co_await group->join();
      }
      // Before the loop is gone.
      group.reset();
      parked.sweep(Clock::time_point::max());
      co_return std::move(outcome);
    };
    return test::run(whole(std::move(work)));
  }

  static Task<Outcome> asks_and_waits(std::shared_ptr<Errand> errand) {
    Inquiry inquiry{.server_waits = true};
    inquiry.questions["q"] = {"elicitation/create", {{"message", "Who?"}}};
    SP_CO_TRY(auto const answers, co_await errand->answer(std::move(inquiry)));
    co_return Outcome{.result = answers.at("q")};
  }
  static Task<Outcome> asks_by_ending(std::shared_ptr<Errand> errand) {
    Inquiry inquiry{.request_state = "s-1"};
    inquiry.questions["q"] = {"elicitation/create", {{"message", "Who?"}}};
    SP_CO_TRY(auto const answers, co_await errand->answer(std::move(inquiry)));
    co_return Outcome{.result = answers.at("q")};
  }

  FakeCall call;
  NobodyHears nobody;
  ParkedErrands parked{{.count = 3, .of_principal = 1}};
  std::optional<TaskGroup> group;
  std::vector<json::Object> sent;
};

TEST_F(RelayTest, PassesOnWhatIsSaidMeanwhile) {
  auto const outcome = run([&]() -> Task<Outcome> {
    co_return co_await relay([](std::shared_ptr<Errand> errand) -> Task<Outcome> {
      errand->progress(parsed_object(R"({"progress":1,"message":"first"})"));
      errand->log(parsed_object(R"({"level":"warning","data":1})"));
      errand->heard({.method = "notifications/own", .params = {}});
      co_return Outcome{.result = {{"done", true}}};
    });
  }());

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, parsed_object(R"({"done":true})"));
  EXPECT_THAT(call.heard, ElementsAre("progress 1 first", "log warning", "notifications/own"));
}

TEST_F(RelayTest, AsksAClientWithASessionWhileTheServerWaits) {
  call.stateless = false;

  auto const outcome = run(relay(asks_and_waits));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, parsed_object(R"({"action":"accept"})"));
}

TEST_F(RelayTest, ParksTheRequestOfAServerThatWaitsForAStatelessClient) {
  auto const outcome = run([&]() -> Task<Outcome> {
    auto const first = co_await relay(asks_and_waits);
    EXPECT_FALSE(first);
    EXPECT_EQ(first.error().code, Errc::InputRequired);
    call.come_back({{"q", parsed_object(R"({"action":"decline"})")}});
    co_return co_await relay(asks_and_waits);
  }());

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, parsed_object(R"({"action":"decline"})"));
  EXPECT_EQ(sent.size(), 1U) << "it was taken up, not made again";
}

TEST_F(RelayTest, AsksAgainWhereAClientComesBackWithoutAnAnswer) {
  auto const outcome = run([&]() -> Task<Outcome> {
    (void)co_await relay(asks_and_waits);
    call.come_back({});
    auto const again = co_await relay(asks_and_waits);
    EXPECT_EQ(again.error().code, Errc::InputRequired);
    call.come_back({{"q", parsed_object(R"({"action":"accept"})")}});
    co_return co_await relay(asks_and_waits);
  }());

  ASSERT_TRUE(outcome);
  EXPECT_EQ(sent.size(), 1U);
}

TEST_F(RelayTest, TellsAClientThatComesTooLate) {
  auto const outcome = run([&]() -> Task<Outcome> {
    (void)co_await relay(asks_and_waits);
    parked.sweep(Clock::now() + std::chrono::hours{1});
    call.come_back({{"q", parsed_object(R"({"action":"accept"})")}});
    co_return co_await relay(asks_and_waits);
  }());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::InvalidInput);
}

TEST_F(RelayTest, ParksAsManyAsItMay) {
  auto const outcome = run([&]() -> Task<Outcome> {
    for (auto const* const caller : {"alice", "bob", "carol"}) {
      call.context.principal.id = caller;
      auto const waiting = co_await relay(asks_and_waits);
      EXPECT_EQ(waiting.error().code, Errc::InputRequired) << caller;
    }
    call.context.principal.id = "dave";
    co_return co_await relay(asks_and_waits);
  }());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::LimitExceeded);
}

TEST_F(RelayTest, ParksAsManyForAPrincipalAsLeavesRoomForOthers) {
  call.context.principal.id = "alice";

  auto const outcome = run([&]() -> Task<Outcome> {
    (void)co_await relay(asks_and_waits);
    auto const second = co_await relay(asks_and_waits);
    EXPECT_EQ(second.error().code, Errc::LimitExceeded);
    call.context.principal.id = "bob";
    auto const others = co_await relay(asks_and_waits);
    EXPECT_EQ(others.error().code, Errc::InputRequired);
    call.context.principal.id = "alice";
    co_return co_await relay(asks_and_waits);
  }());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::LimitExceeded);
}

TEST_F(RelayTest, GivesTheStateOfANewServerToAStatelessClientAndBack) {
  auto const outcome = run([&]() -> Task<Outcome> {
    auto const first = co_await relay(asks_by_ending);
    EXPECT_EQ(first.error().code, Errc::InputRequired);
    call.come_back({{"q", parsed_object(R"({"action":"accept"})")}});
    co_return co_await relay([](std::shared_ptr<Errand>) -> Task<Outcome> {
      co_return Outcome{.result = {{"done", true}}};
    });
  }());

  ASSERT_TRUE(outcome);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1],
            parsed_object(
                R"({"name":"t","requestState":"s-1","inputResponses":{"q":{"action":"accept"}}})"));
}

TEST_F(RelayTest, TellsTheServerWhatTheClientCannotAnswer) {
  call.able = false;

  auto const outcome = run(relay(asks_and_waits));

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::ClientCapabilityMissing);
  EXPECT_TRUE(call.heard.empty());
}

}  // namespace
}  // namespace sallyport::upstream
