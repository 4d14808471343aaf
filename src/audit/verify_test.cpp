#include "src/audit/log_file.hpp"
#include "src/audit/test_log.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace sallyport::audit {
namespace {

using test::sample;
using test::TestLog;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST(Verify, FindsNothingWrongWithALogThatNobodyTouched) {
  TestLog log;
  log.options.checkpoint_every = 2;
  log.fill(7);

  auto const result = log.verified();

  EXPECT_THAT(log.findings(), IsEmpty());
  EXPECT_EQ(result.records, 7);
  EXPECT_EQ(result.head.at.seq, 7);
}

TEST(Verify, NamesTheRecordThatWasChanged) {
  TestLog log;
  log.fill(5);
  log.tamper("UPDATE record SET body = replace(body, '1256', '9') WHERE seq = 3");

  EXPECT_THAT(log.findings(),
              ElementsAre(AllOf(StartsWith("seq 3, id r3, 20"), HasSubstr("it was changed"))));
}

TEST(Verify, NamesTheColumnThatSaysSomethingElseThanTheRecord) {
  TestLog log;
  for (auto const* column :
       {"id", "time", "principal", "tool", "purpose", "hosts", "verdict", "status"}) {
    TestLog each;
    each.fill(3);
    each.tamper(("UPDATE record SET " + std::string{column} + " = 5 WHERE seq = 2").c_str());

    EXPECT_THAT(each.findings(), ElementsAre(HasSubstr("the column " + std::string{column})));
  }
}

TEST(Verify, MissesRecordsInTheMiddleAtTheStartAndAtTheEnd) {
  struct Case {
    char const* condition;
    char const* expected;
  };
  for (auto const& [condition, expected] :
       {Case{"seq = 3", "seq 3: the record is missing; the records around are there"},
        Case{"seq IN (2, 3)", "seq 2: the records up to seq 3 (2) are missing"},
        Case{"seq = 1", "seq 1: the record is missing"},
        Case{"seq >= 4", "seq 4: the records up to seq 5 (2) are missing; the"},
        Case{"1", "seq 1: the records up to seq 5 (5) are missing"}}) {
    TestLog log;
    log.fill(5);
    log.tamper(("DELETE FROM record WHERE " + std::string{condition}).c_str());

    EXPECT_THAT(log.findings(), ElementsAre(StartsWith(expected))) << condition;
  }
}

TEST(Verify, MissesTheEndAlsoWhenTheHeadWentWithIt) {
  TestLog log;
  log.fill(5);
  log.tamper("DELETE FROM record WHERE seq > 3; DELETE FROM checkpoint WHERE number = 0");

  EXPECT_THAT(log.findings(),
              ElementsAre(HasSubstr("no valid head"), HasSubstr("the close signed on")));
}

TEST(Verify, SaysWhereAMovedRecordBelongs) {
  TestLog log;
  log.fill(9);
  log.tamper(
      "UPDATE record SET seq = 100 WHERE seq = 3; UPDATE record SET seq = 3 WHERE seq = 7;"
      "UPDATE record SET seq = 7 WHERE seq = 100");

  auto const findings = log.findings();

  EXPECT_THAT(findings, Contains(StartsWith("seq 3, id r7")));
  EXPECT_THAT(findings,
              Contains(AllOf(StartsWith("seq 7, id r3"), HasSubstr("it belongs at seq 3"))));
}

TEST(Verify, FindsAnInsertedRecord) {
  TestLog log;
  log.fill(3);
  log.tamper(
      "INSERT INTO record SELECT 4, id, time, principal, tool, purpose, hosts, verdict, "
      "status, hash, body, seal FROM record WHERE seq = 3");

  EXPECT_THAT(log.findings(), Contains(HasSubstr("behind the signed end")));
}

// As after kill -9: what was written since the last signature is there, and sealed.
TEST(Verify, ProvesRecordsThatAreOnlySealed) {
  TestLog log;
  log.fill(2);
  log.crash_after(3);

  auto const result = log.verified();

  EXPECT_THAT(log.findings(), IsEmpty());
  EXPECT_EQ(result.head.at.seq, 2);
  EXPECT_EQ(result.records, 5);
  EXPECT_EQ(result.only_sealed, 3);
}

TEST(Verify, FindsSealedRecordsThatWereChangedOrGivenAnEndOfTheirOwn) {
  TestLog changed;
  changed.fill(2);
  changed.crash_after(3);
  changed.tamper("UPDATE record SET body = replace(body, '1256', '9') WHERE seq = 4");
  EXPECT_THAT(changed.findings(), ElementsAre(StartsWith("seq 4, id c2")));

  TestLog moved;
  moved.fill(2);
  moved.crash_after(3);
  moved.tamper("UPDATE record SET seal = (SELECT seal FROM record WHERE seq = 4) WHERE seq = 5");
  EXPECT_THAT(moved.findings(), ElementsAre(HasSubstr("without a seal: it was added")));
}

TEST(AuditLog, GoesOnAfterACrashAndSignsWhatWasOnlySealed) {
  TestLog log;
  log.fill(2);
  log.crash_after(3);

  log.fill(1);

  auto const result = log.verified();
  EXPECT_THAT(log.findings(), IsEmpty());
  EXPECT_EQ(result.head.at.seq, 6);
  EXPECT_EQ(result.only_sealed, 0);
}

TEST(AuditLog, RefusesToGoOnBehindARecordThatNobodySealed) {
  TestLog log;
  log.fill(2);
  log.crash_after(3);
  log.tamper("UPDATE record SET seal = NULL WHERE seq = 5");

  auto const opened = AuditLog::open(log.options, log.metrics);

  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("record 5 is the last, and it is not sealed"));
}

TEST(AuditLog, SignsTheHeadSoonAfterTheLastRecord) {
  TestLog log;
  auto const open = log.open();
  ASSERT_TRUE(log.write(*open, sample("r1")));

  auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (log.verified().only_sealed > 0 && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }

  EXPECT_EQ(log.verified().head.at.seq, 1);
}

TEST(Verify, FindsAChainThatWasWrittenAnewWithoutTheKey) {
  TestLog log;
  TestLog other;
  log.fill(3);
  other.fill(3);
  auto const sql = "ATTACH '" + other.options.file.string() +
                   "' AS o; DELETE FROM record; INSERT INTO record SELECT * FROM o.record";
  log.tamper(sql.c_str());

  EXPECT_THAT(log.findings(), Contains(HasSubstr("the log was written anew up to here")));
}

TEST(Verify, FindsAChangedCheckpointAndAnotherKey) {
  TestLog log;
  TestLog other;
  log.fill(3);
  other.fill(3);
  log.tamper("UPDATE checkpoint SET time = time + 1 WHERE kind = 'close'");
  EXPECT_THAT(log.findings(), ElementsAre(AllOf(StartsWith("the signature of the checkpoint"),
                                                HasSubstr("\"close\" at seq 3"))));

  auto reader = LogReader::open(log.options.file);
  auto const key = store::PublicKey::read(other.options.file.string() + ".pub");
  auto const result = verify(*reader, *key, {});
  EXPECT_THAT(to_string(result->findings.front()), HasSubstr("was signed with another key"));
}

TEST(Verify, StillProvesWhatRetentionLeft) {
  TestLog log;
  log.fill(50);
  {
    auto file = LogFile::open(log.options);
    ASSERT_TRUE(file);
    auto const later = std::chrono::system_clock::now() + log.options.keep_for;
    EXPECT_TRUE(*file->cut(later, 20));
    EXPECT_TRUE(*file->cut(later, 100));
    EXPECT_FALSE(*file->cut(later, 100));
  }
  log.fill(5);

  auto const result = log.verified();
  EXPECT_THAT(log.findings(), IsEmpty());
  EXPECT_EQ(result.removed_before, 50);
  EXPECT_EQ(result.records, 5);

  log.tamper("DELETE FROM record WHERE seq = 51");
  EXPECT_THAT(log.findings(), ElementsAre(StartsWith("seq 51: the record is missing")));
}

TEST(Verify, BoundsItsFindings) {
  TestLog log;
  log.fill(150);
  log.tamper("UPDATE record SET status = 1");

  auto const result = log.verified();

  EXPECT_THAT(result.findings, SizeIs(Verification::kMostFindings));
  EXPECT_EQ(result.more_findings, 50U);
}

TEST(AuditLog, RefusesToGoOnWithALogThatWasCutOffOrSignedByAnother) {
  TestLog log;
  log.fill(3);
  log.tamper("DELETE FROM record WHERE seq = 3");
  auto const cut = AuditLog::open(log.options, log.metrics);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::InvalidInput);
  EXPECT_THAT(cut.error().message, HasSubstr("record 3 should be the last, and 2 is"));

  log.tamper("DELETE FROM record");
  EXPECT_FALSE(AuditLog::open(log.options, log.metrics));

  TestLog rekeyed;
  rekeyed.fill(1);
  std::filesystem::remove(rekeyed.options.file.string() + ".key");
  EXPECT_FALSE(AuditLog::open(rekeyed.options, rekeyed.metrics));
  std::filesystem::copy_file(log.options.file.string() + ".key",
                             rekeyed.options.file.string() + ".key");
  auto const other = AuditLog::open(rekeyed.options, rekeyed.metrics);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("signed with another key"));
}

}  // namespace
}  // namespace sallyport::audit
