#include "src/pipeline/road_client.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

// Remembers what it was asked for.
class NotingRoad final : public Road {
 public:
  OutboundRequest last;

  Task<OutboundAnswer> send(Passage const&, OutboundRequest request) override {
    last = std::move(request);
    co_return fail(Errc::UpstreamFailed, "It goes nowhere.");
  }
  Task<void> record_unsent(Passage const&, UnsentCall) override { co_return Result<void>{}; }
};

std::size_t openings(PrivateHosts hosts) {
  NotingRoad road;
  RoadClient client{road, "oauth", false, hosts};
  EXPECT_FALSE(test::run(client.send({.url = "https://10.1.2.3/metadata"})));
  EXPECT_EQ(road.last.url, "https://10.1.2.3/metadata");
  return road.last.open.size();
}

TEST(RoadClient, OpensTheHostsThatTheSettingsName) {
  EXPECT_EQ(openings(PrivateHosts::Open), 1U);
}

TEST(RoadClient, OpensNothingForHostsThatAServerNames) {
  EXPECT_EQ(openings(PrivateHosts::Guarded), 0U);
}

}  // namespace
}  // namespace sallyport::pipeline
