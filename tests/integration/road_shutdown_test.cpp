// The end of the built program while calls are on the road.
#include "tests/support/dns_server.hpp"
#include "tests/support/gateway.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

constexpr auto const* kShortGrace = "limits:\n  shutdown_grace: 300ms\n";

template <class Condition>
void wait_until(Condition condition) {
  for (int left = 1000; left > 0 && !condition(); --left) std::this_thread::sleep_for(3ms);
}

TEST(RoadShutdown, CallsThatEndWithinTheGraceAreAnswered) {
  Origin const slow{[](Origin::Connection& peer) {
    while (!peer.receive_request().empty() && peer.pause(300ms)) peer.send(Origin::ok("late"));
  }};
  Gateway gateway{{.egress = open({place(slow)}), .loops = 2}};
  std::vector<RawClient> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back(gateway.port());
    callers.back().send(Gateway::fetch_call(slow.url()).http());
  }
  wait_until([&] { return slow.requests() == 8; });
  auto const begin = Clock::now();

  gateway.signal(SIGTERM);

  for (auto& caller : callers) EXPECT_EQ(Reply::read(caller.receive()).text, "late");
  EXPECT_EQ(gateway.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 3s);
  EXPECT_EQ(gateway.records().size(), 8);
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

TEST(RoadShutdown, StalledOriginsAndSilentDnsEndWithTheGrace) {
  DnsServer dns;
  dns.answer("silent.example", {.reply = DnsReply::Silence});
  Origin const silent{Origin::silent()};
  Origin const stalling{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  Gateway gateway{{.egress = open({place(silent), place(stalling)}) + "  dns_servers: [\"" +
                             dns.address() + "\"]\n  dns_timeout: 30s\n",
                   .more = kShortGrace,
                   .loops = 2}};
  std::vector<RawClient> callers;
  for (auto const& url : {silent.url(), stalling.url(), std::string{"http://silent.example/"}}) {
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back(gateway.port());
      callers.back().send(Gateway::fetch_call(url).http());
    }
  }
  wait_until([&] {
    return silent.connections() == 3 && stalling.requests() == 3 &&
           dns.questions("silent.example") > 0 &&
           gateway.metrics().find("sallyport_mcp_calls_in_flight 9\n") != std::string::npos;
  });
  auto const begin = Clock::now();

  gateway.signal(SIGTERM);

  EXPECT_EQ(gateway.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_EQ(gateway.records().size(), 9);
  EXPECT_TRUE(gateway.audit_log_is_sound());
  EXPECT_THAT(gateway.log(), HasSubstr("audit log closed"));
}

TEST(RoadShutdown, ALookUpThatNobodyWaitsForDoesNotKeepTheProgram) {
  DnsServer dns;
  dns.answer("silent.example", {.reply = DnsReply::Silence});
  Gateway gateway{{.egress = "  dns_servers: [\"" + dns.address() + "\"]\n  dns_timeout: 30s\n"}};
  {
    RawClient client{gateway.port()};
    client.send(Gateway::fetch_call("http://silent.example/").http());
    wait_until([&] { return dns.questions("silent.example") > 0; });
  }
  gateway.records_after(1);
  auto const begin = Clock::now();

  EXPECT_EQ(gateway.stop(), 0);

  EXPECT_LT(Clock::now() - begin, 1s);
}

TEST(RoadShutdown, IdleConnectionsToOriginsDoNotKeepTheProgram) {
  Origin const origin{Origin::answering(Origin::ok("page"))};
  Gateway gateway{{.egress = open({place(origin)})}};
  RawClient client{gateway.port()};
  EXPECT_EQ(Gateway::call(client, Gateway::fetch_call(origin.url())).text, "page");
  auto const begin = Clock::now();

  EXPECT_EQ(gateway.stop(), 0);

  EXPECT_LT(Clock::now() - begin, 1s);
}

TEST(RoadShutdown, OnStdioCallsOnTheRoadEndWithTheProgram) {
  TempFolder const folder;
  Origin const silent{Origin::silent()};
  auto const settings = folder.write("settings.yaml", "log:\n  level: error\naudit:\n  file: \"" +
                                                          folder.file("audit.db") +
                                                          "\"\nfetch:\n  robots: false\negress:\n" +
                                                          open({place(silent)}) + kShortGrace);
  ChildProcess program{{SALLYPORT_PROGRAM, "stdio", "--config", settings}};
  program.write(Gateway::fetch_call(silent.url()).body() + "\n");
  wait_until([&] { return silent.connections() == 1; });
  auto const begin = Clock::now();

  program.signal(SIGTERM);

  EXPECT_EQ(program.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 2s);
}

}  // namespace
}  // namespace sallyport::test
