// For the tests of streams: a loop, a clock, and origins that say what a test says.
#pragma once

#include "src/stream/pumps.hpp"
#include "src/stream/views.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::stream::test_streams {

using namespace std::chrono_literals;

// What a fake origin does, for the test to see and to change while it is read.
struct Script {
  std::deque<Result<std::optional<std::string>>> pieces;  // empty: it is silent
  std::size_t reads{0};
  bool gone{false};  // its reader let go of it
  std::shared_ptr<OneShotEvent> more{OneShotEvent::make()};

  void say(std::string piece) { put(std::optional{std::move(piece)}); }
  void end() { put(std::optional<std::string>{}); }
  void put(Result<std::optional<std::string>> next) {
    pieces.push_back(std::move(next));
    std::exchange(more, OneShotEvent::make())->set();
  }
};

class FakeOrigin final : public pipeline::OutboundStream {
 public:
  explicit FakeOrigin(std::shared_ptr<Script> script) : script_{std::move(script)} {}
  ~FakeOrigin() override { script_->gone = true; }

  url::Url const& url() const noexcept override { return url_; }
  bool redirected() const noexcept override { return false; }
  egress::ResponseHead& head() noexcept override { return head_; }
  egress::ExchangeStats stats() const override { return {}; }
  Task<void> close() override { co_return Result<void>{}; }
  Task<std::optional<std::string>> next() override {
    while (script_->pieces.empty()) {
      auto const more = script_->more;
      if (co_await more->wait() == Wakeup::Cancelled) {
        co_return sallyport::fail(Errc::Cancelled, "The request was cancelled.");
      }
    }
    ++script_->reads;
    auto piece = std::move(script_->pieces.front());
    script_->pieces.pop_front();
    co_return piece;
  }

 private:
  std::shared_ptr<Script> script_;
  url::Url url_{*url::Url::parse("http://origin.example/")};
  egress::ResponseHead head_{.status = 200};
};

struct FakeSocket final : pipeline::OutboundSocket {
  std::deque<pipeline::SocketMessage> incoming;
  std::vector<pipeline::SocketMessage> sent;
  bool slow{false};  // takes nothing
  std::shared_ptr<OneShotEvent> more{OneShotEvent::make()};
  pipeline::SocketClosing how;
  bool closed{false};
  url::Url place{*url::Url::parse("ws://origin.example/")};
  std::string none;

  void say(bool text, std::string data) {
    incoming.push_back({text, std::move(data)});
    wake();
  }
  void wake() { std::exchange(more, OneShotEvent::make())->set(); }

  url::Url const& url() const noexcept override { return place; }
  std::string const& protocol() const noexcept override { return none; }
  std::string const& extensions() const noexcept override { return none; }
  pipeline::SocketClosing const& closing() const noexcept override { return how; }
  Task<std::optional<pipeline::SocketMessage>> next() override {
    for (;;) {
      if (!incoming.empty()) {
        auto message = std::move(incoming.front());
        incoming.pop_front();
        co_return std::optional{std::move(message)};
      }
      if (closed) co_return std::optional<pipeline::SocketMessage>{};
      auto const event = more;
      if (co_await event->wait() == Wakeup::Cancelled) {
        co_return sallyport::fail(Errc::Cancelled, "The request was cancelled.");
      }
    }
  }
  Task<void> send(pipeline::SocketMessage message) override {
    while (slow) {
      auto const event = more;
      if (co_await event->wait() == Wakeup::Cancelled) {
        co_return sallyport::fail(Errc::Cancelled, "The request was cancelled.");
      }
    }
    sent.push_back(std::move(message));
    co_return Result<void>{};
  }
  Task<void> close(std::optional<std::uint16_t> code, std::string reason) override {
    how = {code.value_or(1005), std::move(reason)};
    closed = true;
    wake();
    co_return Result<void>{};
  }
};

class StreamTest : public testing::Test {
 protected:
  ~StreamTest() override {
    if (views_) EXPECT_TRUE(run(views_->stop()));
    context_.poll();
  }

  Views& views() {
    if (!views_) views_.emplace(limits_, [this] { return now_; });
    return *views_;
  }

  // Does what can be done without waiting.
  void settle() {
    context_.restart();
    context_.poll();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> result;
    asio::co_spawn(context_, capture(std::move(task)),
                   [&](std::exception_ptr, Result<T> value) { result = std::move(value); });
    context_.restart();
    while (!result && context_.run_one_for(5s) > 0) {
    }
    EXPECT_TRUE(result) << "the task did not end";
    return result ? std::move(*result) : Result<T>{sallyport::fail(Errc::Internal, "stuck")};
  }

  std::string open_body(std::shared_ptr<Script> const& script, ViewKey const& key = kKey) {
    auto opening = views().open(key, context_.get_executor());
    EXPECT_TRUE(opening);
    auto const stream = **opening;
    EXPECT_TRUE(
        views().start(stream, "body", pump_body(stream, std::make_unique<FakeOrigin>(script))));
    EXPECT_TRUE(opening->publish());
    settle();
    return stream->id();
  }

  std::string open_socket(std::shared_ptr<FakeSocket> const& socket) {
    auto opening = views().open(kKey, context_.get_executor());
    auto const stream = **opening;
    stream->open_uplink(Uplink::Takes::Messages);
    EXPECT_TRUE(views().start(stream, "messages", pump_messages(stream, socket)));
    EXPECT_TRUE(views().start(stream, "sender", send_messages(stream, socket)));
    EXPECT_TRUE(opening->publish());
    settle();
    return stream->id();
  }

  struct Pulled {
    std::vector<NumberedFrame> frames;
    std::vector<std::string> closed;
    View::State state;

    std::string bytes() const {
      std::string all;
      for (auto const& each : frames) all += each.frame->payload;
      return all;
    }
    std::uint64_t next() const { return frames.empty() ? 0 : frames.back().seq + 1; }
    Frame const& last() const { return *frames.back().frame; }
  };

  Result<Pulled> pull(PullRequest request, std::size_t most = 4 * kMiB) {
    auto turn = views().pull(kKey, std::move(request));
    if (!turn) return turn.error();
    settle();
    auto frames = turn->take(most);
    return Pulled{std::move(frames), turn->closed(), turn->state()};
  }

  // Everything that comes, each frame acknowledged with the next pull.
  std::string read_all(std::string const& id) {
    std::string all;
    std::uint64_t next = 0;
    for (int turns = 0; turns < 1000; ++turns) {
      auto const pulled = pull({.acks = {{id, next}}});
      if (!pulled || pulled->frames.empty()) return all;
      all += pulled->bytes();
      next = pulled->next();
      if (pulled->last().is_last()) {
        EXPECT_EQ(pull({.acks = {{id, next}}})->state.open, 0);
        return all;
      }
    }
    return all;
  }

  Result<Stream::Pushed> push(std::string const& id, std::uint64_t seq, std::vector<Piece> pieces,
                              std::chrono::milliseconds patience = 0ms) {
    auto const stream = views().find(kKey, id);
    if (!stream) return stream.error();
    return run((*stream)->push(seq, std::move(pieces), Deadline::in(patience)));
  }

  static inline ViewKey const kKey{"alice", "view-of-alice-0001"};

  asio::io_context context_;
  Limits limits_;
  Clock::time_point now_{Clock::time_point{} + 1000h};
  std::optional<Views> views_;
};

}  // namespace sallyport::stream::test_streams
