// Callers who give up: the origin is let go, and the audit log has its one record all the same.
#include "tests/support/dns_server.hpp"
#include "tests/support/gateway.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using Connection = Origin::Connection;

template <class Condition>
bool becomes_true(Condition condition) {
  for (int left = 400; left > 0; --left) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return condition();
}

// Never answers, and knows when the client has gone.
class Patient {
 public:
  Origin origin{[this](Connection& peer) {
    peer.receive_request();
    ++asked;
    peer.wait_for_end();
    ++left;
  }};
  std::atomic<int> asked{0};
  std::atomic<int> left{0};
};

void expect_cancelled(Gateway const& gateway, std::size_t count = 1) {
  auto const records = gateway.records_after(count);
  ASSERT_EQ(records.size(), count);
  for (auto const& record : records) {
    EXPECT_EQ(record.text("error_code"), "cancelled") << record.all();
    EXPECT_EQ(record.text("verdict"), "allowed") << record.all();
  }
}

TEST(RoadCancel, HangingUpEndsTheCallAndLeavesOneRecord) {
  Patient patient;
  Gateway gateway{{.egress = open({place(patient.origin)})}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call(patient.origin.url()).http());
  ASSERT_TRUE(becomes_true([&] { return patient.asked == 1; }));

  client.close();

  EXPECT_TRUE(becomes_true([&] { return patient.left == 1; }));
  expect_cancelled(gateway);
}

TEST(RoadCancel, HangingUpInTheMiddleOfABodyLeavesOneRecord) {
  std::atomic<bool> halfway{false};
  Origin const origin{[&](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    halfway = true;
    peer.wait_for_end();
  }};
  Gateway gateway{{.egress = open({place(origin)})}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call(origin.url()).http());
  ASSERT_TRUE(becomes_true([&] { return halfway.load(); }));

  client.reset();

  expect_cancelled(gateway);
}

TEST(RoadCancel, HangingUpWhileDnsIsAskedLeavesOneRecord) {
  DnsServer dns;
  dns.answer("silent.example", {.reply = DnsReply::Silence});
  Gateway gateway{{.egress = "  dns_servers: [\"" + dns.address() + "\"]\n"}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call("http://silent.example/").http());
  ASSERT_TRUE(becomes_true([&] { return dns.questions("silent.example") > 0; }));

  client.close();

  expect_cancelled(gateway);
}

TEST(RoadCancel, HangingUpWhileRobotsTxtIsAskedLeavesARecordOfEach) {
  Patient patient;
  Gateway gateway{{.egress = open({place(patient.origin)}), .fetch = "  robots: true"}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call(patient.origin.url("/page")).http());
  ASSERT_TRUE(becomes_true([&] { return patient.asked == 1; }));

  client.close();

  expect_cancelled(gateway, 2);
  EXPECT_EQ(gateway.records("robots").size(), 1);
  EXPECT_EQ(gateway.records("fetch").size(), 1);
}

TEST(RoadCancel, WhoSharesRobotsTxtWithOneWhoHangsUpGetsItsAnswer) {
  std::atomic<int> asked{0};
  Origin const origin{[&](Connection& peer) {
    for (std::string request; !(request = peer.receive_request()).empty();) {
      bool const robots = request.starts_with("GET /robots.txt");
      if (robots && asked++ == 0) return peer.wait_for_end();
      if (!peer.send(Origin::ok(robots ? "" : "page"))) return;
    }
  }};
  Gateway gateway{{.egress = open({place(origin)}), .fetch = "  robots: true"}};
  RawClient first{gateway.port()};
  first.send(Gateway::fetch_call(origin.url("/a")).http());
  ASSERT_TRUE(becomes_true([&] { return asked == 1; }));
  RawClient second{gateway.port()};
  second.send(Gateway::fetch_call(origin.url("/b")).http());
  std::this_thread::sleep_for(50ms);  // it waits for the first one's robots.txt

  first.close();

  EXPECT_EQ(Reply::read(second.receive()).text, "page");
}

TEST(RoadCancel, ALegacyClientCancelsWithANotification) {
  Patient patient;
  Gateway gateway{{.egress = open({place(patient.origin)})}};
  RawClient client{gateway.port()};
  client.send(post(initialize("2025-11-25")));
  Fields const session{{"Mcp-Session-Id", header(client.receive(), "Mcp-Session-Id")},
                       {"MCP-Protocol-Version", "2025-11-25"}};
  client.send(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session));
  EXPECT_EQ(client.receive().status, 202);
  RawClient calling{gateway.port()};
  calling.send(
      post(legacy_call("7", "fetch", R"({"url":")" + patient.origin.url() + R"("})"), session));
  ASSERT_TRUE(becomes_true([&] { return patient.asked == 1; }));

  client.send(post(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})", session));
  EXPECT_EQ(client.receive().status, 202);

  EXPECT_TRUE(becomes_true([&] { return patient.left == 1; }));
  expect_cancelled(gateway);
}

TEST(RoadCancel, ManyWhoHangUpAtDifferentMomentsLeaveOneRecordEach) {
  Origin const slow{[](Connection& peer) {
    while (!peer.receive_request().empty() && peer.pause(10ms)) {
      if (!peer.send(Origin::ok("late"))) return;
    }
  }};
  Gateway gateway{{.egress = open({place(slow)}), .loops = 2}};
  constexpr std::size_t kCalls = 120;
  for (std::size_t i = 0; i < kCalls; ++i) {
    RawClient client{gateway.port()};
    client.send(Gateway::fetch_call(slow.url()).http());
    // Before, while and after the answer comes; the server has at least seen the request.
    std::this_thread::sleep_for(std::chrono::milliseconds{4 + i % 12});
    client.close();
  }

  auto const records = gateway.records_after(kCalls);
  EXPECT_EQ(records.size(), kCalls);
  for (auto const& record : records) {
    auto const code = record.text("error_code");
    EXPECT_TRUE(code.empty() || code == "cancelled") << record.all();
  }
}

}  // namespace
}  // namespace sallyport::test
