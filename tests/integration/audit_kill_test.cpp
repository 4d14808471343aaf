// What was confirmed is in the log, whatever happened to the process right after.
#include "src/audit/audit_log.hpp"
#include "src/audit/log_reader.hpp"
#include "src/audit/verify.hpp"
#include "src/base/random_id.hpp"

#include "tests/support/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <set>

namespace sallyport::audit {
namespace {

namespace fs = std::filesystem;

class AuditKill : public testing::TestWithParam<char const*> {
 protected:
  AuditKill() : folder_{fs::temp_directory_path() / ("audit-kill-" + random_id())} {
    fs::create_directory(folder_);
  }
  ~AuditKill() override { fs::remove_all(folder_); }

  // Lets a child write until it has confirmed `count` records, and kills it in full flight. Adds
  // what it confirmed up to its last moment.
  void kill_under_load(std::size_t count, int round) {
    sallyport::test::ChildProcess child{{AUDIT_KILL_CHILD, file().string(), GetParam()}};
    for (std::size_t seen = 0;; ++seen) {
      auto const line = child.line();
      if (line.empty()) break;
      confirmed_.insert(std::to_string(round) + "/" + line);
      if (seen == count) child.signal(SIGKILL);
    }
    EXPECT_EQ(child.wait(), -SIGKILL);
  }
  fs::path file() const { return folder_ / "audit.db"; }

  fs::path folder_;
  std::set<std::string> confirmed_;
};

TEST_P(AuditKill, LosesNothingThatWasConfirmed) {
  std::set<std::string> found;
  std::int64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    kill_under_load(2000, round);

    // Each round begins where the killed one ended: the log recovers and goes on.
    auto reader = LogReader::open(file());
    ASSERT_TRUE(reader);
    ASSERT_TRUE(reader->each({.after_seq = last}, [&](Entry const& entry) {
      found.insert(std::to_string(round) + "/" + entry.record.id);
      last = entry.seq;
      return true;
    }));
  }

  EXPECT_GE(confirmed_.size(), 6000U);
  EXPECT_TRUE(std::ranges::includes(found, confirmed_));
  auto reader = LogReader::open(file());
  auto const key = store::PublicKey::read(file().string() + ".pub");
  auto const secret = store::SigningKey::read(file().string() + ".key");
  ASSERT_TRUE(reader && key && secret);
  auto const proof = verify(*reader, *key, Sealer{*secret});
  ASSERT_TRUE(proof);
  EXPECT_TRUE(proof->findings.empty()) << to_string(proof->findings.front());
  Metrics metrics;
  EXPECT_TRUE(AuditLog::open({.file = file()}, metrics));
}

INSTANTIATE_TEST_SUITE_P(Durability, AuditKill, testing::Values("process", "power"));

}  // namespace
}  // namespace sallyport::audit
