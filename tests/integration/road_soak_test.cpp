// Many calls with faults among them: what the program holds afterwards is what it held before.
//
// TEST_SOAK_CALLS says how many; 100000 take minutes.
#include "tests/support/gateway.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using Connection = Origin::Connection;

constexpr std::size_t kCallers = 16;
constexpr std::size_t kWarmUp = 2000;
// SQLite fills its cache as the log grows; the rest is what an allocator does.
constexpr std::size_t kMayGrowKib = 8UL * 1024;
// A sanitizer keeps what was freed.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kMemoryTells = false;
#else
constexpr bool kMemoryTells = true;
#endif

std::size_t wanted_calls() {
  auto const* const text = std::getenv("TEST_SOAK_CALLS");
  return text == nullptr ? 4000 : std::stoul(text);
}

// What a process holds.
struct Holdings {
  std::size_t descriptors{0};
  std::size_t resident_kib{0};
  std::size_t threads{0};

  static Holdings of(pid_t pid) {
    auto const folder = "/proc/" + std::to_string(pid);
    Holdings found;
    for ([[maybe_unused]] auto const& each : std::filesystem::directory_iterator{folder + "/fd"}) {
      ++found.descriptors;
    }
    std::ifstream status{folder + "/status"};
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) found.resident_kib = std::stoul(line.substr(6));
      if (line.starts_with("Threads:")) found.threads = std::stoul(line.substr(8));
    }
    return found;
  }
};

class RoadSoak : public testing::Test {
 protected:
  // 95 of 100 are good; the others each fail in their own way.
  Modern call(std::size_t number) const {
    switch (number % 100) {
      case 7: return Gateway::fetch_call(resetting_.url());
      case 27: return Gateway::fetch_call(silent_.url(), R"(,"timeout_ms":40)");
      case 47: return Gateway::fetch_call(nginx_.url("/broken"));
      case 67: return Gateway::fetch_call("http://127.0.0.3/denied");
      case 87: return Gateway::fetch_call(nginx_.url("/closing"));
      default: return Gateway::fetch_call(nginx_.url("/page"));
    }
  }

  // Gives how often each outcome came: an error's code, "ok", or the status of a failed answer.
  std::map<std::string, std::size_t> run(Gateway const& gateway, std::size_t calls) const {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::map<std::string, std::size_t> outcomes;
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        RawClient client{gateway.port()};
        std::map<std::string, std::size_t> own;
        for (auto number = next++; number < calls; number = next++) {
          auto const reply = Gateway::call(client, call(number));
          ++own[reply.http_status != 200 ? "no answer"
                : !reply.code.empty()    ? reply.code
                : reply.is_error         ? "status"
                                         : "ok"];
        }
        std::lock_guard const lock{mutex};
        for (auto const& [outcome, count] : own) outcomes[outcome] += count;
      });
    }
    for (auto& caller : callers) caller.join();
    return outcomes;
  }

  Nginx nginx_{{.locations = "location /page { return 200 'page'; }\n"
                             "location /broken { return 500 'broken'; }\n"
                             "location /closing { return 444; }\n"}};
  Origin resetting_{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    peer.reset();
  }};
  Origin silent_{Origin::silent()};
};

TEST_F(RoadSoak, LeavesNothingBehind) {
  if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  auto const calls = wanted_calls();
  Gateway gateway{
      {.egress = open({place(nginx_.port()), place(resetting_.port()), place(silent_.port())}),
       .more = "limits:\n  idle_timeout: 60s\n",
       .loops = 2}};
  run(gateway, kWarmUp);  // pools and caches fill
  auto const before = Holdings::of(gateway.pid());
  auto const begin = std::chrono::steady_clock::now();

  auto const outcomes = run(gateway, calls);

  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  std::this_thread::sleep_for(200ms);  // what the callers closed is closed on the other side, too
  auto const after = Holdings::of(gateway.pid());
  RecordProperty("calls_per_second", static_cast<int>(static_cast<double>(calls) / took.count()));
  std::printf(
      "%zu calls in %.1f s (%.0f/s); descriptors %zu, then %zu; resident KiB %zu, then "
      "%zu; threads %zu, then %zu\n",
      calls, took.count(), static_cast<double>(calls) / took.count(), before.descriptors,
      after.descriptors, before.resident_kib, after.resident_kib, before.threads, after.threads);
  auto const each = calls / 100;
  EXPECT_EQ(outcomes.at("ok"), calls - 5 * each);
  EXPECT_EQ(outcomes.at("status"), each);
  EXPECT_EQ(outcomes.at("egress_blocked"), each);
  EXPECT_EQ(outcomes.at("deadline_exceeded"), each);
  EXPECT_EQ(outcomes.at("upstream_failed"), 2 * each);
  // Kept connections vary with how calls happen to meet; a leak would be one for each fault.
  EXPECT_LE(after.descriptors, before.descriptors + kCallers);
  EXPECT_LE(after.threads, before.threads + 1);
  if (kMemoryTells) EXPECT_LE(after.resident_kib, before.resident_kib + kMayGrowKib);
  EXPECT_EQ(gateway.record_count(), kWarmUp + calls);
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

}  // namespace
}  // namespace sallyport::test
