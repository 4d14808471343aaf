// Limits of the road out, as callers of the built program meet them.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"
#include "tests/support/two_callers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;

class RoadLimits : public testing::Test {
 protected:
  std::string here() const { return open({place(origin_)}); }

  RequestLog log_;
  Origin origin_{log_.answering(Origin::ok("page"))};
};

TEST_F(RoadLimits, TheRateOfAPrincipalIsItsOwn) {
  Gateway gateway{{.egress = here() + "  rate_per_principal: 2/min\n", .more = kTwoCallers}};
  auto const call = Gateway::fetch_call(origin_.url());

  EXPECT_EQ(gateway.call(as("alice", call)).text, "page");
  EXPECT_EQ(gateway.call(as("alice", call)).text, "page");
  auto const third = gateway.call(as("alice", call));
  EXPECT_EQ(gateway.call(as("bob", call)).text, "page");

  EXPECT_EQ(third.code, "limit_exceeded");
  EXPECT_THAT(third.text,
              MatchesRegex("Error: Too many calls by this caller: at most 2 per minute. "
                           "Try again in [0-9]+ s."));
  EXPECT_EQ(log_.all().size(), 3);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 4);
  EXPECT_EQ(records[2].text("principal"), "alice");
  EXPECT_EQ(records[2].text("verdict"), "denied");
  EXPECT_EQ(records[2].text("error_code"), "limit_exceeded");
  EXPECT_EQ(records[3].text("principal"), "bob");
}

TEST_F(RoadLimits, TheRateOfAHostIsForAllCallers) {
  Gateway gateway{{.egress = here() + "  rate_per_host: 1/min\n", .more = kTwoCallers}};
  auto const call = Gateway::fetch_call(origin_.url());

  EXPECT_EQ(gateway.call(as("alice", call)).text, "page");
  auto const second = gateway.call(as("bob", call));

  EXPECT_EQ(second.code, "limit_exceeded");
  EXPECT_THAT(second.text, HasSubstr("to 127.0.0.1: at most 1 per minute. Try again in "));
  EXPECT_EQ(log_.all().size(), 1);
}

TEST_F(RoadLimits, TheRateOfAPathHoldsForWhatIsBelowIt) {
  Gateway gateway{{.egress = here() + "  rates:\n  - path_prefix: /api\n    rate: 1/min\n"}};

  EXPECT_EQ(gateway.fetch(origin_.url("/api/a")).text, "page");
  EXPECT_THAT(gateway.fetch(origin_.url("/api/b")).text,
              HasSubstr("Too many calls to /api: at most 1 per minute. Try again in "));
  EXPECT_EQ(gateway.fetch(origin_.url("/apis")).text, "page");
  EXPECT_EQ(log_.all().size(), 2);
}

TEST_F(RoadLimits, WhoWaitsAsLongAsTheMessageSaysGetsIn) {
  Gateway gateway{{.egress = here() + "  rate_per_host: 2/s\n"}};
  gateway.fetch(origin_.url());
  gateway.fetch(origin_.url());
  auto const refused = gateway.fetch(origin_.url()).text;
  auto const at = refused.find("Try again in ");
  ASSERT_NE(at, std::string::npos) << refused;
  auto const seconds = std::stod(refused.substr(at + 13));
  EXPECT_LE(seconds, 0.5);

  std::this_thread::sleep_for(std::chrono::duration<double>{seconds});

  EXPECT_EQ(gateway.fetch(origin_.url()).text, "page");
}

TEST_F(RoadLimits, ACallTooManyAtTheSameTimeIsRefused) {
  Origin const silent{Origin::silent()};
  Gateway gateway{{.egress = open({place(silent), place(origin_)}) + "  concurrent: 2\n"}};
  std::vector<RawClient> waiting;
  for (std::size_t i = 0; i < 2; ++i) {
    waiting.emplace_back(gateway.port());
    waiting.back().send(Gateway::fetch_call(silent.url()).http());
  }
  while (silent.connections() < 2) std::this_thread::sleep_for(2ms);

  auto const refused = gateway.fetch(origin_.url());
  EXPECT_EQ(refused.code, "limit_exceeded");
  EXPECT_THAT(refused.text, HasSubstr("Too many calls at once: at most 2."));
  EXPECT_EQ(log_.all().size(), 0);

  waiting.clear();  // hanging up frees their places
  gateway.records_after(3);
  EXPECT_EQ(gateway.fetch(origin_.url()).text, "page");
}

TEST_F(RoadLimits, AnAnswerThatIsTooLargeIsRefused) {
  Origin const large{Origin::answering(Origin::ok(std::string(3000, 'x')))};
  Gateway gateway{{.egress = open({place(large)}), .fetch = "  robots: false\n  max_bytes: 2KiB"}};

  auto const reply = gateway.fetch(large.url());

  EXPECT_EQ(reply.text, "Error: The answer is larger than the limit of 2 KiB.");
  EXPECT_ONE_RECORD(gateway, reply, "limit_exceeded");
}

TEST_F(RoadLimits, ARequestThatIsTooLargeIsNotSent) {
  auto const backend = "backends:\n- name: shop\n  base_url: \"" + origin_.url() +
                       "\"\n  request_bytes: 10B\n  private_network: true\n";
  Gateway gateway{{.more = backend}};
  auto const send = [&](std::string const& body) {
    auto message =
        modern_call("http_request", R"({"method":"POST","url":"/x","body":")" + body + R"("})");
    message.meta = R"("sallyport/caller":"app")";
    return gateway.call(message);
  };

  auto const refused = send("12345678901");
  EXPECT_EQ(refused.code, "limit_exceeded") << refused.whole;
  EXPECT_THAT(refused.text, HasSubstr("11"));
  EXPECT_EQ(log_.all().size(), 0);
  EXPECT_FALSE(send("1234567890").is_error);
  EXPECT_EQ(log_.all().size(), 1);
}

}  // namespace
}  // namespace sallyport::test
