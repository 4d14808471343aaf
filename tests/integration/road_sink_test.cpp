// The road in this process, over a log of the test's own: what happens when records cannot be kept.
#include "src/app/road_out.hpp"

#include "tests/support/request_log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

class RecordingSink final : public audit::Sink {
 public:
  Result<void> ready() const override { return readiness; }
  Task<void> write(audit::Record record) override {
    records.push_back(std::move(record));
    co_return outcome;
  }
  audit::Receipt begin(audit::Record record, Executor loop) override {
    records.push_back(std::move(record));
    audit::Receipt receipt{loop};
    receipt.settle(outcome);
    return receipt;
  }
  void post(audit::Record record) override { records.push_back(std::move(record)); }

  Result<void> readiness;
  Result<void> outcome;
  std::vector<audit::Record> records;
};

class RoadSink : public testing::Test {
 protected:
  Result<pipeline::OutboundAnswer> fetch(pipeline::OutboundRequest request) {
    config::Settings settings;
    settings.egress.open = {"127.0.0.1:" + std::to_string(origin_.port())};
    EventLoops loops{1};
    Metrics metrics;
    auto out = app::RoadOut::create(settings, loops, sink_, metrics);
    if (!out) return out.error();
    Result<pipeline::OutboundAnswer> answer = fail(Errc::Internal, "The call did not end.");
    auto const call = [&]() -> Async<void> {
      RequestContext const about;
      pipeline::Passage const passage{
          .request = &about, .operation = "fetch", .purpose = "fetch", .tool = "fetch"};
      answer = co_await capture((*out)->road().send(passage, request));
      loops.finish();
    };
    asio::co_spawn(loops.executor(0), call, asio::detached);
    loops.run();
    return answer;
  }

  RecordingSink sink_;
  RequestLog log_;
  Origin origin_{log_.answering([](std::string const& request) {
    return RequestLog::path_of(request) == "/from" ? redirect(302, "/to") : Origin::ok("page");
  })};
};

TEST_F(RoadSink, AnAnswerComesWithItsRecord) {
  auto const answer = fetch({.url = origin_.url("/page?token=secret")});

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "page");
  ASSERT_EQ(sink_.records.size(), 1);
  EXPECT_EQ(sink_.records[0].verdict, audit::Verdict::Allowed);
  EXPECT_THAT(sink_.records[0].hops[0].url, testing::HasSubstr("/page?token=***"));
}

TEST_F(RoadSink, WithoutReadinessNothingIsSent) {
  sink_.readiness = fail(Errc::LimitExceeded, "The audit log is full.");

  auto const answer = fetch({.url = origin_.url()});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The audit log is full.");
  EXPECT_EQ(origin_.connections(), 0);
  EXPECT_TRUE(sink_.records.empty());
}

TEST_F(RoadSink, NorIsRobotsTxtAskedFor) {
  sink_.readiness = fail(Errc::LimitExceeded, "The audit log is full.");

  EXPECT_FALSE(fetch({.url = origin_.url(), .robots = true}));
  EXPECT_EQ(origin_.connections(), 0);
}

TEST_F(RoadSink, AnAnswerWhoseRecordIsLostIsWithheld) {
  sink_.outcome = fail(Errc::Internal, "The disk is gone.");

  auto const answer = fetch({.url = origin_.url()});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The disk is gone.");
  EXPECT_EQ(sink_.records.size(), 1);
}

TEST_F(RoadSink, APageWhoseRobotsTxtCouldNotBeRecordedIsNotAskedFor) {
  sink_.outcome = fail(Errc::Internal, "The disk is gone.");

  EXPECT_FALSE(fetch({.url = origin_.url("/page"), .robots = true}));
  EXPECT_EQ(log_.count("/page"), 0);
}

TEST_F(RoadSink, ARedirectHasOneRecordWithTwoHops) {
  auto const answer = fetch({.url = origin_.url("/from")});

  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(sink_.records.size(), 1);
  ASSERT_EQ(sink_.records[0].hops.size(), 2);
  EXPECT_EQ(sink_.records[0].hops[0].status, 302);
  EXPECT_EQ(sink_.records[0].hops[1].status, 200);
  EXPECT_EQ(sink_.records[0].status, 200);
}

}  // namespace
}  // namespace sallyport::test
