#include "src/upstream/wire/http_wire.hpp"

#include "src/base/signal.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace sallyport::upstream {
namespace {

using namespace std::chrono_literals;

// What a server answers to one request.
struct Answer {
  int status{200};
  std::string type{"text/event-stream"};
  std::vector<std::string> pieces{};
  bool goes_on{false};  // says nothing more, and does not end
};

class ScriptedStream final : public pipeline::OutboundStream {
 public:
  ScriptedStream(Answer answer, url::Url url, Executor executor)
      : answer_{std::move(answer)}, url_{std::move(url)}, silence_{executor} {
    head_.status = answer_.status;
    head_.headers.add("Content-Type", answer_.type);
  }

  url::Url const& url() const noexcept override { return url_; }
  bool redirected() const noexcept override { return false; }
  egress::ResponseHead& head() noexcept override { return head_; }
  egress::ExchangeStats stats() const override { return {}; }
  Task<std::optional<std::string>> next() override {
    if (at_ < answer_.pieces.size()) co_return std::optional{answer_.pieces[at_++]};
    while (answer_.goes_on) SP_CO_CHECK(co_await silence_.wait());
    co_return std::optional<std::string>{};
  }
  Task<void> close() override { co_return Result<void>{}; }

 private:
  Answer answer_;
  url::Url url_;
  egress::ResponseHead head_;
  Signal silence_;
  std::size_t at_{0};
};

class ScriptedRoad final : public pipeline::Road {
 public:
  struct Seen {
    std::string method;
    Clock::time_point stream_ends;      // by the passage, as the road takes it
    std::chrono::milliseconds timeout;  // of the head
  };

  Task<pipeline::OutboundAnswer> send(pipeline::Passage const&,
                                      pipeline::OutboundRequest) override {
    co_return fail(Errc::Internal, "nobody sends without a stream here");
  }
  Task<void> record_unsent(pipeline::Passage const&, pipeline::UnsentCall) override {
    co_return Result<void>{};
  }
  Task<std::unique_ptr<pipeline::OutboundStream>> open(pipeline::Passage passage,
                                                       pipeline::OutboundRequest request) override {
    seen.push_back({request.method, passage.request->deadline.at, request.timeout});
    if (answers.empty()) co_return fail(Errc::UpstreamFailed, "Nobody is there.");
    auto answer = std::move(answers.front());
    answers.pop_front();
    co_return std::make_unique<ScriptedStream>(std::move(answer), *url::Url::parse(request.url),
                                               co_await asio::this_coro::executor);
  }

  std::deque<Answer> answers;
  std::vector<Seen> seen;
};

class HttpWireTest : public testing::Test {
 protected:
  static HttpServer server() {
    return {.name = "files", .url = *url::Url::parse("http://server.test/mcp")};
  }
  static mcp::client::Post request(Deadline deadline) {
    return {.message = R"({"jsonrpc":"2.0","id":1,"method":"x"})",
            .id = 1,
            .headers = {},
            .deadline = deadline};
  }
  // What `work` makes of a wire, which is closed after it.
  template <class Work>
  auto with_wire(Work work) {
    return test::run([](Work what, ScriptedRoad& by) -> decltype(work(std::declval<HttpWire&>())) {
      HttpWire wire{server(), by, nullptr};
      auto result = co_await capture(what(wire));
      co_await wire.close();
      co_return result;
    }(std::move(work), road));
  }

  ScriptedRoad road;
};

constexpr auto const* kEndpoint = "event: endpoint\ndata: /messages\n\n";

TEST_F(HttpWireTest, KeepsTheStandingStreamBeyondTheTimeInWhichItWasToOpen) {
  road.answers = {{.pieces = {kEndpoint}, .goes_on = true}};

  auto const older = with_wire([](HttpWire& wire) { return wire.fall_back(); });

  ASSERT_TRUE(older && *older);
  ASSERT_EQ(road.seen.size(), 1U);
  EXPECT_LE(road.seen[0].timeout, 10s) << "its head comes in time";
  EXPECT_EQ(road.seen[0].stream_ends, Deadline{}.at);
}

TEST_F(HttpWireTest, KeepsAnAnswerInEventsBeyondTheTimeInWhichItWasToBegin) {
  road.answers = {{.goes_on = true}};

  auto const taken = with_wire([](HttpWire& wire) -> Task<void> {
    SP_CO_CHECK(co_await wire.post(request(Deadline::in(60s))));
    co_return Result<void>{};
  });

  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_LE(road.seen[0].timeout, 60s);
  EXPECT_EQ(road.seen[0].stream_ends, Deadline{}.at);
}

TEST_F(HttpWireTest, IsDeadOnceTheStandingStreamHasEnded) {
  road.answers = {{.pieces = {kEndpoint}}};

  auto const alive = with_wire([](HttpWire& wire) -> Task<bool> {
    EXPECT_TRUE(wire.is_alive());
    SP_CO_CHECK(co_await wire.fall_back());
    SP_CO_TRY(auto const strays, co_await wire.listen({}));
    auto const heard = co_await strays->next();
    EXPECT_EQ(heard.error().code, Errc::UpstreamFailed);
    co_return wire.is_alive();
  });

  ASSERT_TRUE(alive) << alive.error().message;
  EXPECT_FALSE(*alive);
}

TEST_F(HttpWireTest, IsDeadOnceTheServerHasForgottenTheSessionOfTheStandingStream) {
  road.answers = {{.pieces = {kEndpoint}, .goes_on = true}, {.status = 404}};

  auto const alive = with_wire([](HttpWire& wire) -> Task<bool> {
    SP_CO_CHECK(co_await wire.fall_back());
    EXPECT_TRUE(wire.is_alive());
    EXPECT_FALSE(co_await wire.post(request(Deadline::in(60s))));
    co_return wire.is_alive();
  });

  ASSERT_TRUE(alive) << alive.error().message;
  EXPECT_FALSE(*alive);
}

TEST_F(HttpWireTest, TellsAServerInTroubleFromOneThatSaysNothingByItself) {
  for (auto const& [status, expected] : {std::pair{405, Errc::NotFound},
                                         {404, Errc::NotFound},
                                         {501, Errc::NotFound},
                                         {503, Errc::UpstreamFailed},
                                         {429, Errc::UpstreamFailed}}) {
    road.answers = {{.status = status}};
    auto const heard = with_wire([](HttpWire& wire) { return wire.listen({}); });
    ASSERT_FALSE(heard);
    EXPECT_EQ(heard.error().code, expected) << status;
  }
}

TEST_F(HttpWireTest, PutsAWholeAnswerTogetherFromItsPieces) {
  road.answers = {{.type = "application/json",
                   .pieces = {R"({"jsonrpc":"2.0",)", R"("id":1,)", R"("result":{"ok":true}})"}}};

  auto const ok = with_wire([](HttpWire& wire) -> Task<bool> {
    SP_CO_TRY(auto const answer, co_await wire.post(request(Deadline::in(60s))));
    SP_CO_TRY(auto const message, co_await answer->next());
    co_return std::get<mcp::ResponseMessage>(*message).result.at("ok").as_bool();
  });

  ASSERT_TRUE(ok) << ok.error().message;
  EXPECT_TRUE(*ok);
}

TEST_F(HttpWireTest, AnErrorThatNamesNoRequestIsAboutThisOne) {
  road.answers = {{.status = 400,
                   .type = "application/json",
                   .pieces = {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000}})"}}};

  auto const id = with_wire([](HttpWire& wire) -> Task<std::int64_t> {
    SP_CO_TRY(auto const answer, co_await wire.post(request(Deadline::in(60s))));
    SP_CO_TRY(auto const message, co_await answer->next());
    co_return std::get<mcp::ResponseMessage>(*message).id.as_int64();
  });

  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(*id, 1);
}

TEST_F(HttpWireTest, DoesNotWaitForTheRestOfAWholeAnswerForEver) {
  road.answers = {{.type = "application/json", .pieces = {"{"}, .goes_on = true}};

  auto const taken = with_wire([](HttpWire& wire) -> Task<void> {
    SP_CO_CHECK(co_await wire.post(request(Deadline::in(20ms))));
    co_return Result<void>{};
  });

  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::DeadlineExceeded);
}

}  // namespace
}  // namespace sallyport::upstream
