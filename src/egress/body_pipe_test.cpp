#include "src/egress/body_pipe.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>

#include <array>

namespace sallyport::egress {
namespace {

using Flow = BodyPipe::Flow;

std::string take_all(BodyPipe& pipe) {
  std::string all;
  std::array<char, 1000> room{};
  for (;;) {
    auto const taken = pipe.take(room);
    if (taken.flow != Flow::Bytes) return all;
    all.append(room.data(), taken.bytes);
  }
}

Flow next(BodyPipe& pipe) {
  std::array<char, 16> room{};
  return pipe.take(room).flow;
}

TEST(BodyPipe, GivesWhatWasWrittenAndItsEnd) {
  auto [writer, pipe] = make_body_pipe();

  EXPECT_EQ(next(*pipe), Flow::Later);
  EXPECT_TRUE(test::run(writer.write("one")));
  EXPECT_TRUE(test::run(writer.write("two")));
  EXPECT_EQ(take_all(*pipe), "onetwo");
  EXPECT_EQ(next(*pipe), Flow::Later);
  EXPECT_TRUE(test::run(writer.write(std::string(5000, 'x'))));
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(take_all(*pipe).size(), 5000U);
  EXPECT_EQ(next(*pipe), Flow::End);
  EXPECT_EQ(pipe->taken(), 5006U);
}

TEST(BodyPipe, WakesTheConnectorOnlyWhenItWaits) {
  auto [writer, pipe] = make_body_pipe();
  int woken = 0;
  pipe->connect([&] { ++woken; });

  EXPECT_TRUE(test::run(writer.write("one")));
  EXPECT_EQ(woken, 0);
  take_all(*pipe);
  EXPECT_TRUE(test::run(writer.write("two")));
  EXPECT_TRUE(test::run(writer.write("three")));
  EXPECT_EQ(woken, 1);
  take_all(*pipe);
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(woken, 2);
}

TEST(BodyPipe, HoldsItsWriterBackUntilThereIsRoom) {
  auto [writer, pipe] = make_body_pipe();
  asio::io_context loop;
  int written = 0;
  auto const task = [&]() -> Task<void> {
    for (int i = 0; i < 100; ++i) {
      SP_CO_CHECK(co_await writer.write(std::string(BodyPipe::kEnoughUnsent / 4, 'x')));
      ++written;
    }
    co_return Result<void>{};
  };
  asio::co_spawn(loop, task(), [](std::exception_ptr, Result<void> const&) {});

  loop.poll();
  EXPECT_EQ(written, 4);
  loop.poll();
  EXPECT_EQ(written, 4);

  std::string room(BodyPipe::kEnoughUnsent / 4, '\0');
  pipe->take(room);
  loop.poll();
  EXPECT_EQ(written, 5);
  pipe->disconnect(fail(Errc::Cancelled, "over"));
  loop.run();
  EXPECT_EQ(written, 5);
}

TEST(BodyPipe, ACancelledWriteHasTakenNothing) {
  auto [writer, pipe] = make_body_pipe();
  ASSERT_TRUE(test::run(writer.write(std::string(BodyPipe::kEnoughUnsent, 'x'))));

  auto const cancelled = test::run(writer.write("more"), test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
  EXPECT_EQ(take_all(*pipe).size(), BodyPipe::kEnoughUnsent);
}

TEST(BodyPipe, FailsBeyondItsLimitOnBothSides) {
  auto [writer, pipe] = make_body_pipe();
  pipe->limit(10);
  int woken = 0;
  pipe->connect([&] { ++woken; });
  EXPECT_TRUE(test::run(writer.write("0123456789")));

  auto const more = test::run(writer.write("x"));

  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Errc::LimitExceeded);
  EXPECT_EQ(more.error().message, "The request body has more than the 10 bytes that are allowed.");
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(next(*pipe), Flow::Failed);
  EXPECT_EQ(pipe->failure()->code, Errc::LimitExceeded);
}

TEST(BodyPipe, CountsWhatWasWrittenBeforeTheLimitWasKnown) {
  auto [writer, pipe] = make_body_pipe();
  EXPECT_TRUE(test::run(writer.write("0123456789")));

  pipe->limit(9);

  EXPECT_EQ(next(*pipe), Flow::Failed);
}

TEST(BodyPipe, HoldsItsWriterToTheAnnouncedSize) {
  {
    auto [writer, pipe] = make_body_pipe(5);
    EXPECT_EQ(pipe->size(), 5U);
    EXPECT_TRUE(test::run(writer.write("1234")));
    EXPECT_EQ(test::run(writer.write("56")).error().message,
              "The body of the request is longer than the announced 5 bytes.");
    EXPECT_EQ(next(*pipe), Flow::Failed);
  }
  auto [writer, pipe] = make_body_pipe(5);
  EXPECT_TRUE(test::run(writer.write("1234")));
  EXPECT_EQ(writer.finish().error().message,
            "The body of the request ended after 4 of the announced 5 bytes.");
  EXPECT_EQ(next(*pipe), Flow::Failed);
}

TEST(BodyPipe, IsBrokenOffByAWriterThatGoes) {
  std::shared_ptr<BodyPipe> kept;
  int woken = 0;
  {
    auto [writer, pipe] = make_body_pipe();
    kept = pipe;
    kept->connect([&] { ++woken; });
    EXPECT_TRUE(test::run(writer.write("half")));
  }

  EXPECT_EQ(woken, 1);
  EXPECT_EQ(next(*kept), Flow::Failed);
  EXPECT_EQ(kept->failure()->message, "The body of the request was not completed.");
}

TEST(BodyPipe, TellsItsWriterWhyNobodyTakesAnyMore) {
  auto [writer, pipe] = make_body_pipe();

  pipe->disconnect(fail(Errc::UpstreamFailed, "The connection was reset."));
  pipe->disconnect(fail(Errc::Cancelled, "The request is over."));

  EXPECT_EQ(test::run(writer.write("x")).error().message, "The connection was reset.");
  EXPECT_EQ(writer.finish().error().message, "The connection was reset.");
  EXPECT_EQ(next(*pipe), Flow::Failed);
}

}  // namespace
}  // namespace sallyport::egress
