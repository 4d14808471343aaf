// A log in a folder of its own, and records to put in it.
#pragma once

#include "src/audit/audit_log.hpp"
#include "src/audit/log_file.hpp"
#include "src/audit/log_reader.hpp"
#include "src/audit/verify.hpp"
#include "src/base/random_id.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sallyport::audit::test {

inline Record sample(std::string id) {
  Record record;
  record.id = std::move(id);
  record.time = std::chrono::system_clock::now();
  record.request_id = "7";
  record.principal = "alice";
  record.tool = "fetch";
  record.purpose = "fetch";
  record.verdict = Verdict::Allowed;
  record.reasons = {"rule \"docs\" allows example.com"};
  record.hops = {{.url = "https://example.com/a?key=***",
                  .method = "GET",
                  .header_names = {"accept", "authorization"},
                  .injected = {"authorization"},
                  .resolved = {"93.184.216.34"},
                  .connected = "93.184.216.34:443",
                  .status = 200}};
  record.status = 200;
  record.bytes_received = 1256;
  record.total = std::chrono::milliseconds{42};
  return record;
}

class TestLog {
 public:
  TestLog() : folder_{std::filesystem::temp_directory_path() / ("audit-test-" + random_id())} {
    std::filesystem::create_directory(folder_);
    options.file = folder_ / "audit.db";
  }
  ~TestLog() { std::filesystem::remove_all(folder_); }
  TestLog(TestLog const&) = delete;
  TestLog& operator=(TestLog const&) = delete;

  std::filesystem::path const& folder() const { return folder_; }

  std::unique_ptr<AuditLog> open() {
    auto log = AuditLog::open(options, metrics);
    EXPECT_TRUE(log) << log.error().message << " " << log.error().detail;
    return log ? *std::move(log) : nullptr;
  }
  // Runs on a loop that outlives the log, as AuditLog asks for. From any thread.
  Result<void> write(AuditLog& log, Record record,
                     sallyport::test::Interrupt interrupt = sallyport::test::Interrupt::Never) {
    auto& loop = new_loop();
    asio::cancellation_signal stop;
    Result<void> result = fail(Errc::Internal, "The task did not end.");
    asio::co_spawn(loop, capture(log.write(std::move(record))),
                   asio::bind_cancellation_slot(
                       stop.slot(), [&](std::exception_ptr const&, Result<void> outcome) {
                         result = std::move(outcome);
                       }));
    if (interrupt == sallyport::test::Interrupt::AfterFirstSuspension) {
      loop.poll();
      stop.emit(asio::cancellation_type::terminal);
    }
    loop.run();
    return result;
  }
  // Writes records "r1" to "r<count>" and closes the log.
  void fill(int count) {
    auto const log = open();
    for (int i = 1; i <= count; ++i) {
      EXPECT_TRUE(write(*log, sample("r" + std::to_string(i))));
    }
  }
  // Appends records "c1" to "c<count>" and leaves the file as a program that is killed does.
  void crash_after(int count) const {
    auto file = LogFile::open(options);
    ASSERT_TRUE(file);
    for (int i = 1; i <= count; ++i) {
      auto const record = to_stored(sample("c" + std::to_string(i)));
      StoredRecord const* const batch[] = {&record};
      ASSERT_TRUE(file->append(batch, std::chrono::system_clock::now()));
    }
  }
  void tamper(char const* sql) const {
    auto database = store::Database::open(options.file, store::Database::Mode::Create);
    ASSERT_TRUE(database);
    auto const done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().detail;
  }
  Verification verified() const {
    auto key = store::PublicKey::read(options.file.string() + ".pub");
    auto reader = LogReader::open(options.file);
    EXPECT_TRUE(key && reader);
    auto const secret = store::SigningKey::read(options.file.string() + ".key");
    EXPECT_TRUE(secret);
    auto result = verify(*reader, *key, Sealer{*secret});
    EXPECT_TRUE(result);
    return *std::move(result);
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> texts;
    for (auto const& finding : verified().findings) texts.push_back(to_string(finding));
    return texts;
  }
  std::vector<std::string> ids(Filter const& filter = {}) const {
    std::vector<std::string> all;
    auto reader = LogReader::open(options.file);
    EXPECT_TRUE(reader);
    EXPECT_TRUE(reader->each(filter, [&](Entry const& entry) {
      all.push_back(entry.record.id);
      return true;
    }));
    return all;
  }

  AuditOptions options;
  Metrics metrics;

 private:
  asio::io_context& new_loop() {
    std::lock_guard const lock{mutex_};
    return loops_.emplace_back();
  }

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::deque<asio::io_context> loops_;
};

}  // namespace sallyport::audit::test
