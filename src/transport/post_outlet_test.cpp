#include "src/transport/post_outlet.hpp"

#include <gtest/gtest.h>

namespace sallyport::transport {
namespace {

class PostOutletTest : public testing::Test {
 protected:
  asio::io_context loop_;
  PostOutlet outlet_{loop_.get_executor(), 1000, true};
};

TEST_F(PostOutletTest, IsASingleAnswerWhenNothingCameBefore) {
  outlet_.finish({.body = "{}", .http_status = 404});

  EXPECT_TRUE(outlet_.is_finished());
  EXPECT_FALSE(outlet_.is_streaming());
  EXPECT_EQ(outlet_.take_answer().http_status, 404);
}

TEST_F(PostOutletTest, IsAStreamFromTheFirstMessageOn) {
  outlet_.send("one");
  outlet_.finish({.body = "answer"});

  EXPECT_TRUE(outlet_.is_streaming());
  EXPECT_EQ(outlet_.feed().take(), "event: message\ndata: one\n\nevent: message\ndata: answer\n\n");
  EXPECT_TRUE(outlet_.feed().is_closed());
}

TEST_F(PostOutletTest, EndsAStreamWithoutAnAnswerWhenThereIsNone) {
  outlet_.send("one");
  outlet_.feed().take();

  outlet_.finish({});

  EXPECT_TRUE(outlet_.feed().is_drained());
}

TEST_F(PostOutletTest, WakesWhoWaitsForTheAnswer) {
  EXPECT_TRUE(outlet_.feed().is_idle());

  outlet_.finish({.body = "answer"});

  EXPECT_FALSE(outlet_.feed().is_idle());
  EXPECT_FALSE(outlet_.is_streaming());
}

TEST_F(PostOutletTest, SaysWhetherTheClientTakesAStream) {
  PostOutlet const json_only{loop_.get_executor(), 1000, false};

  EXPECT_TRUE(outlet_.can_send());
  EXPECT_FALSE(json_only.can_send());
}

}  // namespace
}  // namespace sallyport::transport
