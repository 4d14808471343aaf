#include "src/audit/audit_log.hpp"

#include "src/audit/call_id.hpp"
#include "src/audit/test_log.hpp"
#include "src/base/event_loops.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

namespace sallyport::audit {
namespace {

namespace fs = std::filesystem;
using test::sample;
using test::TestLog;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A write that goes on while the test does something else.
class Background {
 public:
  Background(TestLog& test, AuditLog& log, std::string id)
      : thread_{[this, &test, &log, name = std::move(id)] {
          auto const outcome = test.write(log, sample(name));
          succeeded = outcome.has_value();
          ended = true;
        }} {}
  ~Background() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> ended{false};
  std::atomic<bool> succeeded{false};

 private:
  std::thread thread_;
};

void wait_until(std::function<bool()> const& condition) {
  auto const end = Clock::now() + std::chrono::seconds{20};
  while (!condition() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  EXPECT_TRUE(condition());
}

bool has_metric(TestLog const& test, std::string const& line) {
  return test.metrics.render().find(line + '\n') != std::string::npos;
}

// The log's file while another program has it locked.
class LockedFile {
 public:
  explicit LockedFile(TestLog const& test) {
    auto opened = store::Database::open(test.options.file, store::Database::Mode::Create);
    if (!opened) throw std::runtime_error{opened.error().message};
    locker_.emplace(*std::move(opened));
    // The log does its chores when it opens: that has to end first.
    execute("PRAGMA busy_timeout = 20000");
    execute("BEGIN EXCLUSIVE");
  }
  void release() { execute("COMMIT"); }

 private:
  void execute(char const* sql) {
    auto const done = locker_->execute(sql);
    EXPECT_TRUE(done) << done.error().message;
  }

  std::optional<store::Database> locker_;
};

// No file of this process may grow: the disk is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t largest_file) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const tight{largest_file, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullDisk() { end(); }
  void end() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(AuditLog, KeepsRecordsInTheOrderInWhichTheyWereConfirmed) {
  TestLog log;
  log.fill(3);
  log.fill(2);

  EXPECT_THAT(log.ids(), ElementsAre("r1", "r2", "r3", "r1", "r2"));
  EXPECT_THAT(log.findings(), IsEmpty());
}

TEST(AuditLog, GivesReceiptsForRecordsThatAreWaitedForLater) {
  TestLog log;
  asio::io_context loop;
  std::vector<std::string> seen;
  {
    auto const opened = log.open();
    auto const receipt = opened->begin(sample("kept"), loop.get_executor());
    static_cast<void>(opened->begin(sample("dropped"), loop.get_executor()));
    auto const wait = [&]() -> Async<void> {
      auto const written = co_await receipt.written();
      EXPECT_TRUE(written);
      seen = log.ids();
    };
    asio::co_spawn(loop, wait, asio::detached);
    loop.run();
  }

  EXPECT_THAT(seen, testing::Contains("kept"));
  EXPECT_THAT(log.ids(), ElementsAre("kept", "dropped"));
}

TEST(AuditLog, SaysByTheReceiptThatThereIsNoRoom) {
  TestLog log;
  log.options.queue = 0;
  asio::io_context loop;
  auto const opened = log.open();
  auto const receipt = opened->begin(sample("late"), loop.get_executor());
  Result<void> written;
  auto const wait = [&]() -> Async<void> { written = co_await receipt.written(); };
  asio::co_spawn(loop, wait, asio::detached);
  loop.run();

  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("too many records wait"));
}

TEST(AuditLog, IsForItsOwnerAlone) {
  TestLog log;
  log.options.file = log.folder() / "new/folder/audit.db";
  log.fill(1);

  auto const owner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(fs::status(log.options.file).permissions(), owner);
  EXPECT_EQ(fs::status(log.options.file.string() + ".key").permissions(), owner);
  EXPECT_EQ(fs::status(log.options.file.parent_path()).permissions(), fs::perms::owner_all);
}

TEST(AuditLog, IsWrittenByAllWhoHaveItOpen) {
  TestLog log;
  auto const first = log.open();
  auto const second = log.open();

  EXPECT_TRUE(log.write(*first, sample("a")));
  EXPECT_TRUE(log.write(*second, sample("b")));
  EXPECT_TRUE(log.write(*first, sample("c")));

  EXPECT_THAT(log.ids(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(log.findings(), IsEmpty());
}

TEST(AuditLog, RefusesFilesThatAreNotItsOwn) {
  TestLog garbage;
  std::ofstream{garbage.options.file} << std::string(10'000, 'x');
  auto const refused = AuditLog::open(garbage.options, garbage.metrics);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("not an SQLite database"));

  TestLog foreign;
  foreign.tamper("CREATE TABLE t(a)");
  EXPECT_FALSE(AuditLog::open(foreign.options, foreign.metrics));

  TestLog nowhere;
  nowhere.options.file = "/proc/nowhere/audit.db";
  auto const impossible = AuditLog::open(nowhere.options, nowhere.metrics);
  ASSERT_FALSE(impossible);
  EXPECT_EQ(impossible.error().code, Errc::InvalidInput);
}

TEST(AuditLog, WritesWhatManyLoopsSendAtOnce) {
  constexpr int kLoops = 3;
  constexpr int kWriters = 40;
  constexpr int kEach = 5;
  TestLog test;
  std::atomic<int> failed{0};
  {
    EventLoops loops{kLoops};
    auto const log = test.open();
    auto const write_some = [](AuditLog& target, std::atomic<int>& failures,
                               std::string name) -> Async<void> {
      for (int i = 0; i < kEach; ++i) {
        auto const done = co_await target.write(sample(name + "." + std::to_string(i)));
        if (!done) ++failures;
      }
    };
    for (int writer = 0; writer < kWriters; ++writer) {
      asio::co_spawn(loops.executor(static_cast<std::size_t>(writer % kLoops)),
                     write_some(*log, failed, "w" + std::to_string(writer)),
                     [](std::exception_ptr const&) {});
    }
    loops.finish();
    loops.run();
  }

  EXPECT_EQ(failed, 0);
  EXPECT_EQ(test.ids().size(), std::size_t{kWriters * kEach});
  EXPECT_THAT(test.findings(), IsEmpty());
}

TEST(AuditLog, RecordsACancelledCall) {
  TestLog test;
  {
    auto const log = test.open();
    EXPECT_TRUE(
        test.write(*log, sample("cancelled"), sallyport::test::Interrupt::AfterFirstSuspension));
  }
  EXPECT_THAT(test.ids(), ElementsAre("cancelled"));
}

TEST(AuditLog, WritesWhatIsHandedOverWhileNoLoopRuns) {
  TestLog test;
  test.options.queue = 1;
  {
    auto const log = test.open();
    for (int i = 1; i <= 5; ++i) log->post(sample("p" + std::to_string(i)));
  }

  EXPECT_THAT(test.ids(), ElementsAre("p1", "p2", "p3", "p4", "p5"));
  EXPECT_THAT(test.findings(), IsEmpty());
}

TEST(AuditLog, WhileAnotherProgramLocksTheFileRefusesCallsAndKeepsTheirRecords) {
  TestLog test;
  auto log = test.open();
  LockedFile locked{test};
  Background waiting{test, *log, "waits"};

  wait_until([&] { return !log->ready(); });
  EXPECT_EQ(log->ready().error().code, Errc::LimitExceeded);
  EXPECT_THAT(log->ready().error().message, HasSubstr("locked"));
  EXPECT_FALSE(waiting.ended);

  locked.release();
  wait_until([&] { return log->ready().has_value(); });
  waiting.join();
  EXPECT_TRUE(waiting.succeeded);
  log.reset();
  EXPECT_THAT(test.ids(), ElementsAre("waits"));
  EXPECT_THAT(test.findings(), IsEmpty());
}

TEST(AuditLog, WhileTheDiskIsFullRefusesCallsAndGoesOnByItself) {
  TestLog test;
  auto log = test.open();
  ASSERT_TRUE(test.write(*log, sample("before")));
  {
    FullDisk full{fs::file_size(test.options.file.string() + "-wal")};
    Background waiting{test, *log, "waits"};
    wait_until([&] { return !log->ready(); });
    EXPECT_THAT(log->ready().error().message, HasSubstr("no call is made"));
    EXPECT_FALSE(waiting.ended);

    full.end();
    wait_until([&] { return log->ready().has_value(); });
    waiting.join();
    EXPECT_TRUE(waiting.succeeded);
  }
  EXPECT_TRUE(test.write(*log, sample("after")));
  log.reset();
  EXPECT_THAT(test.ids(), ElementsAre("before", "waits", "after"));
  EXPECT_THAT(test.findings(), IsEmpty());
}

TEST(AuditLog, ThatMayContinueSaysHowManyCallsItDidNotRecord) {
  TestLog test;
  test.options.when_full = WhenFull::Continue;
  auto log = test.open();
  LockedFile locked{test};

  EXPECT_TRUE(test.write(*log, sample("lost")));
  EXPECT_TRUE(test.write(*log, sample("lost too")));
  EXPECT_TRUE(log->ready());
  EXPECT_THAT(test.metrics.render(), HasSubstr("sallyport_audit_unrecorded_total 2"));

  locked.release();
  wait_until([&] { return has_metric(test, "sallyport_audit_trouble 0"); });
  EXPECT_TRUE(test.write(*log, sample("recorded")));
  log.reset();
  EXPECT_THAT(test.ids(), ElementsAre("recorded"));
  EXPECT_THAT(test.findings(), IsEmpty());
  EXPECT_EQ(test.verified().unrecorded, 2);
}

TEST(AuditLog, RefusesMoreRecordsThanItsQueueHolds) {
  TestLog test;
  test.options.queue = 1;
  auto log = test.open();
  LockedFile locked{test};
  Background first{test, *log, "first"};
  wait_until([&] { return has_metric(test, "sallyport_audit_pending 1"); });

  auto const second = test.write(*log, sample("second"));

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::LimitExceeded);
  EXPECT_THAT(test.metrics.render(), HasSubstr("sallyport_audit_unrecorded_total 1"));
  locked.release();
}

TEST(AuditLog, TellsWhoWaitsWhenItEndsWithoutTheirRecords) {
  TestLog test;
  auto log = test.open();
  LockedFile locked{test};
  Background waiting{test, *log, "lost"};
  wait_until([&] { return has_metric(test, "sallyport_audit_pending 1") && !log->ready(); });

  log.reset();

  waiting.join();
  EXPECT_FALSE(waiting.succeeded);
}

TEST(AuditLog, CutsOffTheOldestWhenItIsTooLarge) {
  TestLog test;
  test.options.keep_bytes = 256UL * 1024;
  test.options.checkpoint_every = 100;
  auto log = test.open();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(test.write(*log, sample("r" + std::to_string(i))));
  auto const used = [&] {
    auto database = store::Database::open(test.options.file, store::Database::Mode::ReadOnly);
    return 4096 *
           (*database->number("PRAGMA page_count") - *database->number("PRAGMA freelist_count"));
  };
  wait_until([&] { return used() <= 256 * 1024; });
  log.reset();

  auto const ids = test.ids();
  EXPECT_GT(ids.size(), 100U);
  EXPECT_LT(ids.size(), 900U);
  EXPECT_EQ(ids.back(), "r999");
  EXPECT_THAT(test.findings(), IsEmpty());
}

TEST(LogReader, ReadsOneMomentWhileTheLogIsWritten) {
  TestLog test;
  auto const log = test.open();
  ASSERT_TRUE(test.write(*log, sample("r1")));
  auto reader = LogReader::open(test.options.file);
  ASSERT_TRUE(reader);
  auto const version = *reader->version();
  ASSERT_TRUE(reader->begin());
  EXPECT_EQ(*reader->count(), 1);

  ASSERT_TRUE(test.write(*log, sample("r2")));

  EXPECT_EQ(*reader->count(), 1);
  ASSERT_TRUE(reader->end());
  EXPECT_NE(*reader->version(), version);
  EXPECT_EQ(*reader->count(), 2);
  EXPECT_THAT(test.findings(), IsEmpty());  // also while it is open
}

TEST(LogReader, FindsTheEndOfAStreamHoursAfterItsBeginning) {
  TestLog test;
  auto const began = std::chrono::system_clock::now() - std::chrono::hours{5};
  auto record = sample(new_call_id(began));
  {
    auto const log = test.open();
    record.time = began;
    record.stream = StreamState::Opened;
    ASSERT_TRUE(test.write(*log, record));
    ASSERT_TRUE(test.write(*log, sample("another")));
    record.time = began + std::chrono::hours{4};
    record.stream = StreamState::Closed;
    ASSERT_TRUE(test.write(*log, record));
  }

  auto reader = LogReader::open(test.options.file);

  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->find(record.id)->size(), 2U);
}

TEST(LogReader, FindsByEveryColumn) {
  TestLog test;
  {
    auto const log = test.open();
    auto record = sample("one");
    ASSERT_TRUE(test.write(*log, record));
    record.id = "two";
    record.principal = "bob";
    record.tool = "search";
    record.verdict = Verdict::Denied;
    record.status = 0;
    record.hops.push_back({.url = "http://[::1]:80/x"});
    record.time += std::chrono::hours{1};
    ASSERT_TRUE(test.write(*log, record));
  }
  auto const now = std::chrono::system_clock::now();

  EXPECT_THAT(test.ids({.principal = "bob"}), ElementsAre("two"));
  EXPECT_THAT(test.ids({.tool = "fetch"}), ElementsAre("one"));
  EXPECT_THAT(test.ids({.host = "[::1]"}), ElementsAre("two"));
  EXPECT_THAT(test.ids({.host = "example.com"}), ElementsAre("one", "two"));
  EXPECT_THAT(test.ids({.host = "example"}), IsEmpty());
  EXPECT_THAT(test.ids({.verdict = Verdict::Denied}), ElementsAre("two"));
  EXPECT_THAT(test.ids({.status = 200}), ElementsAre("one"));
  EXPECT_THAT(test.ids({.since = now + std::chrono::minutes{5}}), ElementsAre("two"));
  EXPECT_THAT(test.ids({.until = now + std::chrono::minutes{5}}), ElementsAre("one"));
  EXPECT_THAT(test.ids({.limit = 1, .order = Order::NewestFirst}), ElementsAre("two"));
  auto reader = LogReader::open(test.options.file);
  EXPECT_EQ(reader->find("two")->size(), 1U);
  EXPECT_EQ(reader->find("three").error().code, Errc::NotFound);
}

}  // namespace
}  // namespace sallyport::audit
