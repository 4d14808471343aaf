// The audit log of the built program when the worst happens: killed under load, locked by another.
#include "tests/support/gateway.hpp"
#include "tests/support/locked_log.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Calls until the program is gone; the ids of those calls that were answered.
std::set<std::string> call_until_the_end(Gateway const& gateway, std::string const& url) {
  std::set<std::string> answered;
  RawClient client{gateway.port()};
  auto const call = Gateway::fetch_call(url);
  while (true) {
    auto const reply = Gateway::call(client, call);
    if (reply.call_id.empty()) return answered;
    answered.insert(reply.call_id);
  }
}

std::set<std::string> ids_in(Gateway const& gateway) {
  std::set<std::string> ids;
  for (auto const& record : gateway.records()) {
    EXPECT_TRUE(ids.insert(record.text("id")).second) << "twice: " << record.all();
  }
  return ids;
}

TEST(RoadAudit, EveryAnsweredCallIsInTheLogOfAKilledProgram) {
  RequestLog log;
  Origin const origin{Origin::answering(Origin::ok("page"))};
  Gateway gateway{{.egress = open({place(origin)}), .loops = 2}};
  std::mutex mutex;
  std::set<std::string> answered;
  std::vector<std::thread> callers;
  for (int i = 0; i < 32; ++i) {
    callers.emplace_back([&] {
      auto ids = call_until_the_end(gateway, origin.url());
      std::lock_guard const lock{mutex};
      answered.merge(ids);
    });
  }
  std::this_thread::sleep_for(800ms);

  gateway.signal(SIGKILL);

  EXPECT_EQ(gateway.wait(), -SIGKILL);
  for (auto& caller : callers) caller.join();
  EXPECT_GT(answered.size(), 100);
  auto const recorded = ids_in(gateway);
  for (auto const& id : answered) EXPECT_TRUE(recorded.contains(id)) << id;
  EXPECT_TRUE(gateway.audit_log_is_sound());

  gateway.start();
  auto const next = gateway.fetch(origin.url());
  EXPECT_EQ(next.text, "page");
  EXPECT_TRUE(ids_in(gateway).contains(next.call_id));
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

TEST(RoadAudit, WhileTheLogIsLockedNothingIsSentAndThenItGoesOn) {
  RequestLog log;
  Origin const origin{log.answering(Origin::ok("page"))};
  Gateway gateway{{.egress = open({place(origin)})}};
  EXPECT_EQ(gateway.fetch(origin.url("/before")).text, "page");
  std::optional<LockedLog> lock{std::in_place, gateway.audit_file()};

  // Under way when the lock is noticed: its caller waits for the record.
  RawClient first{gateway.port()};
  first.send(Gateway::fetch_call(origin.url("/first")).http());
  while (log.count("/first") == 0) std::this_thread::sleep_for(2ms);
  std::this_thread::sleep_for(600ms);
  for (int i = 0; i < 5; ++i) {
    auto const refused = gateway.fetch(origin.url("/refused"));
    EXPECT_EQ(refused.code, "limit_exceeded");
    EXPECT_EQ(refused.text,
              "Error: The audit log is locked by another program: no call is made "
              "until its record can be written.");
  }
  EXPECT_EQ(log.count("/refused"), 0);

  lock.reset();
  auto const answer = Reply::read(first.receive());
  EXPECT_EQ(answer.text, "page");
  Reply after;
  for (int left = 100; left > 0 && after.text != "page"; --left) {
    after = gateway.fetch(origin.url("/after"));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(after.text, "page");
  auto const ids = ids_in(gateway);
  EXPECT_EQ(ids.size(), 3);
  EXPECT_TRUE(ids.contains(answer.call_id));
  EXPECT_TRUE(ids.contains(after.call_id));
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

TEST(RoadAudit, WithContinueCallsGoOnAndTheLossIsSigned) {
  Origin const origin{Origin::answering(Origin::ok("page"))};
  Gateway gateway{{.egress = open({place(origin)}), .audit = "  when_full: continue"}};
  {
    LockedLog const lock{gateway.audit_file()};
    EXPECT_EQ(gateway.fetch(origin.url()).text, "page");
    EXPECT_EQ(gateway.fetch(origin.url()).text, "page");
  }
  EXPECT_EQ(gateway.stop(), 0);
  EXPECT_THAT(gateway.log(), HasSubstr("CALLS NOT RECORDED"));
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

}  // namespace
}  // namespace sallyport::test
