// Writes records to the log named by the first argument from many coroutines, and prints the id of
// each once it is confirmed, until it is killed. The second argument is how durable: process,
// power.
#include "src/audit/audit_log.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"

#include <boost/asio/co_spawn.hpp>

#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using namespace sallyport;

Async<void> write_forever(audit::AuditLog& log, int writer) {
  for (int i = 0;; ++i) {
    audit::Record record;
    record.id = std::to_string(writer) + "." + std::to_string(i);
    record.time = std::chrono::system_clock::now();
    record.hops = {{.url = "https://example.com/", .method = "GET"}};
    auto const line = record.id + "\n";
    auto const done = co_await log.write(std::move(record));
    // One write: a line is there as a whole or not at all.
    if (!done || ::write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(1);
  }
}

}  // namespace

int main(int count, char** words) {
  constexpr int kWriters = 64;
  if (count != 3) return 2;
  log::configure({.level = log::Level::Error});
  Metrics metrics;
  audit::AuditOptions options{.file = words[1], .checkpoint_every = 100};
  if (std::string_view{words[2]} == "power") options.durability = audit::Durability::Power;
  auto const log = audit::AuditLog::open(options, metrics);
  if (!log) return 1;
  EventLoops loops{2};
  for (int writer = 0; writer < kWriters; ++writer) {
    asio::co_spawn(loops.executor(static_cast<std::size_t>(writer % 2)),
                   write_forever(**log, writer), [](std::exception_ptr const&) {});
  }
  loops.run();
}
