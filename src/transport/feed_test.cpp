#include "src/transport/feed.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace sallyport::transport {
namespace {

using namespace std::chrono_literals;

// Takes down what is written; fails a write on demand.
class Recorder final : public net::Exchange {
 public:
  http::ServerRequest& request() noexcept override { return request_; }
  Task<void> respond(http::Response) override { co_return Result<void>{}; }
  Task<void> begin(http::Response) override { co_return Result<void>{}; }
  Task<void> write(std::string_view piece) override {
    pieces.emplace_back(piece);
    if (fails) co_return fail(Errc::Cancelled, "The peer is gone.");
    co_return Result<void>{};
  }
  Task<void> end() override {
    ended = true;
    co_return Result<void>{};
  }
  void watch_disconnect(std::function<void()> on_gone) override { gone = std::move(on_gone); }
  bool stopping() const noexcept override { return false; }
  void watch_stop(std::function<void()>) override {}

  std::vector<std::string> pieces;
  bool ended{false};
  bool fails{false};
  std::function<void()> gone;

 private:
  http::ServerRequest request_;
};

class FeedTest : public testing::Test {
 protected:
  std::optional<bool> wait(std::chrono::milliseconds patience) {
    std::optional<bool> came;
    asio::co_spawn(loop_, feed_.wait(patience),
                   [&](std::exception_ptr, bool value) { came = value; });
    loop_.restart();
    loop_.run();
    return came;
  }

  void start_pump(std::chrono::milliseconds keep_alive = 1h) {
    asio::co_spawn(loop_, pump(exchange_, feed_, keep_alive),
                   [this](std::exception_ptr) { pumped_ = true; });
    poll();
  }
  void poll() {
    loop_.restart();
    loop_.poll();
  }

  asio::io_context loop_;
  Feed feed_{loop_.get_executor(), 10};
  Recorder exchange_;
  bool pumped_{false};
};

TEST_F(FeedTest, GivesWhatWasPushedInOnePiece) {
  feed_.push("one ");
  feed_.push("two");

  EXPECT_EQ(wait(1h), true);
  EXPECT_EQ(feed_.take(), "one two");
  EXPECT_TRUE(feed_.is_idle());
}

TEST_F(FeedTest, SaysThatNothingCame) {
  EXPECT_EQ(wait(1ms), false);
}

TEST_F(FeedTest, WakesWhoWaits) {
  asio::post(loop_, [this] { feed_.push("x"); });

  EXPECT_EQ(wait(1h), true);
}

TEST_F(FeedTest, TakesAFrameOfAnySizeButNothingBehindIt) {
  feed_.push(std::string(1000, 'x'));
  EXPECT_FALSE(feed_.is_aborted());

  feed_.push("y");

  EXPECT_TRUE(feed_.overflowed());
  EXPECT_TRUE(feed_.is_aborted());
}

TEST_F(FeedTest, IsNotCutWhileItsReaderKeepsUp) {
  for (int i = 0; i < 100; ++i) {
    feed_.push(std::string(10, 'x'));
    EXPECT_EQ(feed_.take().size(), 10);
  }

  EXPECT_FALSE(feed_.overflowed());
}

TEST_F(FeedTest, DrainsAfterItWasClosed) {
  feed_.push("last");
  feed_.close();
  feed_.push("too late");

  EXPECT_FALSE(feed_.is_drained());
  EXPECT_EQ(feed_.take(), "last");
  EXPECT_TRUE(feed_.is_drained());
}

TEST_F(FeedTest, IsPumpedToItsEnd) {
  start_pump();
  feed_.push("a");
  poll();
  feed_.push("b");
  feed_.close();
  poll();

  EXPECT_TRUE(pumped_);
  EXPECT_TRUE(exchange_.ended);
  EXPECT_EQ(exchange_.pieces, (std::vector<std::string>{"a", "b"}));
}

TEST_F(FeedTest, SendsACommentWhenItIsQuiet) {
  start_pump(1ms);
  while (exchange_.pieces.size() < 2) {
    loop_.restart();
    loop_.run_one();
  }
  feed_.abort();
  poll();

  EXPECT_EQ(exchange_.pieces[0], ": keep-alive\n\n");
  EXPECT_FALSE(exchange_.ended);
}

TEST_F(FeedTest, IsAbortedWhenThePeerGoes) {
  start_pump();
  exchange_.gone();
  poll();

  EXPECT_TRUE(pumped_);
  EXPECT_TRUE(feed_.is_aborted());
  EXPECT_FALSE(exchange_.ended);
}

TEST_F(FeedTest, IsAbortedWhenAWriteFails) {
  exchange_.fails = true;
  start_pump();
  feed_.push("a");
  poll();

  EXPECT_TRUE(pumped_);
  EXPECT_TRUE(feed_.is_aborted());
}

}  // namespace
}  // namespace sallyport::transport
