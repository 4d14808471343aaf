// What a record costs: rate, CPU time of the whole process per record, and the share of it that is
// spent on the caller's loop.
//
//   audit_bench FOLDER [RECORDS] [process|power]
#include "src/audit/audit_log.hpp"
#include "src/audit/call_id.hpp"
#include "src/audit/record_json.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"
#include "src/base/random_id.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

using namespace sallyport;

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

audit::Record sample() {
  audit::Record record;
  record.time = std::chrono::system_clock::now();
  record.id = audit::new_call_id(record.time);
  record.request_id = "42";
  record.principal = "alice@example.com";
  record.issuer = "https://login.example.com";
  record.client = "some-agent/1.2.3";
  record.session = random_id();
  record.tool = "fetch";
  record.purpose = "fetch";
  record.verdict = audit::Verdict::Allowed;
  record.reasons = {"rule \"documentation\" allows docs.example.com"};
  record.hops = {{.url = "https://docs.example.com/guide/index.html?page=***&lang=***",
                  .method = "GET",
                  .header_names = {"accept", "user-agent", "authorization", "accept-encoding"},
                  .injected = {"authorization"},
                  .resolved = {"93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"},
                  .connected = "93.184.216.34:443",
                  .status = 200}};
  record.status = 200;
  record.bytes_sent = 412;
  record.bytes_received = 53'211;
  record.connect = std::chrono::microseconds{18'211};
  record.first_byte = std::chrono::microseconds{45'120};
  record.total = std::chrono::microseconds{51'992};
  return record;
}

Async<void> write_some(audit::AuditLog& log, int count) {
  for (int i = 0; i < count; ++i) {
    auto const done = co_await log.write(sample());
    if (!done) fmt::print(stderr, "{}\n", done.error().message);
  }
}

double cost_of_samples(int count) {
  auto const begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  std::size_t total = 0;
  for (int i = 0; i < count; ++i) total += sample().id.size();
  auto const ended = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  return total == 0 ? 0 : (ended - begun) / count;
}

double cost_of_json(int count) {
  auto const record = sample();
  auto const begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  std::size_t total = 0;
  for (int i = 0; i < count; ++i) total += audit::to_stored(record).body.size();
  auto const ended = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  return total == 0 ? 0 : (ended - begun) / count;
}

void measure(audit::AuditLog& log, int writers, int records) {
  EventLoops loops{1};
  for (int i = 0; i < writers; ++i) {
    asio::co_spawn(loops.executor(0), write_some(log, records / writers),
                   [](std::exception_ptr const&) {});
  }
  auto const wall = seconds_of(CLOCK_MONOTONIC);
  auto const cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  loops.finish();
  loops.run();
  auto const count = records / writers * writers;
  auto const wall_each = (seconds_of(CLOCK_MONOTONIC) - wall) / count;
  auto const cpu_each =
      (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / count - cost_of_samples(10'000);
  fmt::print("{:>4} writers  {:>8.0f} records/s  {:>6.1f} us CPU per record\n", writers,
             1 / wall_each, cpu_each * 1e6);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  int const records = count > 2 ? std::stoi(words[2]) : 100'000;
  log::configure({.level = log::Level::Error});
  Metrics metrics;
  audit::AuditOptions options{.file = std::filesystem::path{words[1]} / "audit.db"};
  if (count > 3 && std::string_view{words[3]} == "power") {
    options.durability = audit::Durability::Power;
  }
  auto const log = audit::AuditLog::open(options, metrics);
  if (!log) {
    fmt::print(stderr, "{} ({})\n", log.error().message, log.error().detail);
    return 1;
  }
  fmt::print("making the JSON of one record: {:.2f} us, {} bytes\n", cost_of_json(100'000) * 1e6,
             audit::to_stored(sample()).body.size());
  measure(**log, 1, records / 10);
  measure(**log, 32, records);
  measure(**log, 256, records);
}
