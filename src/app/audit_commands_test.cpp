#include "src/app/audit_commands.hpp"

#include "src/audit/test_log.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace sallyport::app {
namespace {

using audit::test::sample;
using audit::test::TestLog;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome audit_command(TestLog const& log, std::vector<std::string> words) {
  words.insert(words.begin(), "audit");
  std::ostringstream out;
  std::ostringstream err;
  int const code = run(words, {{{"SALLYPORT_AUDIT_FILE", log.options.file.string()}}, out, err});
  return {code, out.str(), err.str()};
}

std::ptrdiff_t lines(std::string const& text) {
  return std::ranges::count(text, '\n');
}

TEST(AuditCommands, ListTheNewestFirst) {
  TestLog log;
  log.fill(3);

  auto const table = audit_command(log, {"list", "--limit", "2"});
  auto const json = audit_command(log, {"list", "--format", "json"});

  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, AllOf(StartsWith("TIME"), HasSubstr("example.com"), Not(HasSubstr("r1"))));
  EXPECT_LT(table.out.find("r3"), table.out.find("r2"));
  auto const parsed = json::parse(json.out);
  ASSERT_TRUE(parsed) << json.out;
  ASSERT_EQ(parsed->as_array().size(), 3U);
  EXPECT_EQ(parsed->at(0).at("record").at("id").as_string(), "r3");
}

TEST(AuditCommands, ListWhatIsAskedFor) {
  TestLog log;
  log.fill(3);

  EXPECT_EQ(lines(audit_command(log, {"list", "--since", "1h"}).out), 4);
  EXPECT_EQ(lines(audit_command(log, {"list", "--until", "1h"}).out), 1);
  EXPECT_EQ(lines(audit_command(log, {"list", "--verdict", "denied"}).out), 1);
  EXPECT_EQ(lines(audit_command(log, {"list", "--status", "200", "--tool", "fetch"}).out), 4);
  EXPECT_EQ(lines(audit_command(log, {"list", "--host", "other.example"}).out), 1);
  EXPECT_EQ(lines(audit_command(log, {"list", "--principal", "' OR 1=1 --"}).out), 1);
}

TEST(AuditCommands, ShowEverythingAboutACall) {
  TestLog log;
  log.fill(1);

  auto const text = audit_command(log, {"show", "r1"});
  auto const json = audit_command(log, {"show", "r1", "--format", "json"});

  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("principal   alice"), HasSubstr("rule \"docs\" allows"),
                              HasSubstr("93.184.216.34:443"), HasSubstr("total 42.000 ms")));
  EXPECT_TRUE(json::parse(json.out));
}

TEST(AuditCommands, NameThePoliciesThatJudged) {
  TestLog log;
  {
    auto const open = log.open();
    auto record = sample("id");
    record.hops.push_back(record.hops.front());
    record.hops.push_back(record.hops.front());
    record.hops[0].policy = record.hops[1].policy = "a1b2c3 d4e5f6";
    record.hops[2].policy = "0f0f0f";
    ASSERT_TRUE(log.write(*open, record));
  }

  EXPECT_THAT(audit_command(log, {"show", "id"}).out, HasSubstr("\n  policy    a1b2c3 d4e5f6\n"));
  EXPECT_THAT(audit_command(log, {"list", "--format", "json"}).out,
              HasSubstr(R"("policy":"a1b2c3 d4e5f6")"));
  EXPECT_THAT(audit_command(log, {"export"}).out, HasSubstr(R"("policy":"0f0f0f")"));
  EXPECT_THAT(audit_command(log, {"export", "--format", "csv"}).out,
              testing::EndsWith(",\"a1b2c3 d4e5f6, 0f0f0f\",\r\n"));
}

TEST(AuditCommands, TellTheTwoRecordsOfAStreamApart) {
  TestLog log;
  {
    auto const open = log.open();
    auto record = sample("stream");
    record.stream = audit::StreamState::Opened;
    ASSERT_TRUE(log.write(*open, record));
    record.stream = audit::StreamState::Closed;
    record.bytes_received = 5'000'000;
    record.total = std::chrono::milliseconds{1500};
    record.error_code = "cancelled";
    ASSERT_TRUE(log.write(*open, record));
    ASSERT_TRUE(log.write(*open, sample("plain")));
  }

  auto const list = audit_command(log, {"list"}).out;
  auto const show = audit_command(log, {"show", "stream"}).out;

  EXPECT_THAT(list,
              AllOf(HasSubstr("stream  opened\n"), HasSubstr("plain\n"),
                    HasSubstr("stream  closed after 1500.000 ms, 5000000 bytes, cancelled\n")));
  EXPECT_LT(show.find("stream      opened"), show.find("received    1256 bytes"));
  EXPECT_LT(show.find("stream      closed"), show.find("received    5000000 bytes"));
  EXPECT_THAT(audit_command(log, {"show", "plain"}).out, Not(HasSubstr("stream")));
  EXPECT_THAT(audit_command(log, {"export", "--format", "csv"}).out,
              AllOf(HasSubstr(",stream\r\n"), HasSubstr(",opened\r\n"), HasSubstr(",closed\r\n")));
}

TEST(AuditCommands, SayWhenThereIsNoSuchCall) {
  TestLog log;
  log.fill(1);

  auto const outcome = audit_command(log, {"show", "nothing"});

  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("There is no record of a call nothing in the audit log."));
}

TEST(AuditCommands, ShowTheLastRecords) {
  TestLog log;
  log.fill(5);

  auto const outcome = audit_command(log, {"tail", "-n", "2"});

  EXPECT_EQ(lines(outcome.out), 3);
  EXPECT_LT(outcome.out.find("r4"), outcome.out.find("r5"));
}

TEST(AuditCommands, ExportAsLinesOfJsonAndAsCsv) {
  TestLog log;
  log.fill(2);

  auto const jsonl = audit_command(log, {"export"});
  auto const csv = audit_command(log, {"export", "--format", "csv"});

  EXPECT_EQ(lines(jsonl.out), 2);
  EXPECT_TRUE(json::parse(jsonl.out.substr(0, jsonl.out.find('\n'))));
  EXPECT_THAT(csv.out, StartsWith("seq,time,id,"));
  EXPECT_EQ(lines(csv.out), 3);
}

TEST(AuditCommands, ProveTheLogOrSayWhereItWasChanged) {
  TestLog log;
  log.fill(3);
  auto const good = audit_command(log, {"verify"});
  log.tamper("UPDATE record SET body = replace(body, 'alice', 'mallory') WHERE seq = 2");
  auto const bad = audit_command(log, {"verify"});

  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out, StartsWith("The audit log is as it was written: 3 records, seq 1 to 3."));
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, AllOf(StartsWith("seq 2, id r2, "), HasSubstr("NOT as it was written")));
}

TEST(AuditCommands, TakeAPublicKeyFromElsewhere) {
  TestLog log;
  TestLog other;
  log.fill(1);
  other.fill(1);

  auto const key = [](TestLog const& of) { return of.options.file.string() + ".pub"; };

  EXPECT_EQ(audit_command(log, {"verify", "--public-key", key(log)}).code, 0);
  auto const changed = audit_command(log, {"verify", "--public-key", key(other)});
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, HasSubstr("was signed with another key"));
  EXPECT_EQ(audit_command(log, {"verify", "--public-key", "/nonexistent"}).code, 1);
}

TEST(AuditCommands, DoNotLetARecordWriteToTheTerminal) {
  TestLog log;
  {
    auto const open = log.open();
    auto record = sample("id");
    record.principal = "\x1b[2Jmallory\n\xC2\x9B";
    ASSERT_TRUE(log.write(*open, record));
  }

  for (std::string const command : {"list", "tail", "show"}) {
    auto const outcome = audit_command(
        log, command == "show" ? std::vector<std::string>{command, "id"} : std::vector{command});
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("?[2Jmallory"), Not(HasSubstr("\x1b"))));
  }
}

TEST(AuditCommands, ExplainWhatTheyCannotRead) {
  TestLog log;
  auto const absent = audit_command(log, {"list"});
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, HasSubstr("There is no audit log there."));

  std::ofstream{log.options.file} << std::string(9000, 'x');
  auto const garbage = audit_command(log, {"list"});
  EXPECT_EQ(garbage.code, 1);
  EXPECT_THAT(garbage.err, HasSubstr("not an SQLite database"));

  TestLog damaged;
  damaged.fill(300);
  {
    std::fstream file{damaged.options.file, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(4096);
    for (int i = 0; i < 20'000; ++i) file << '\xAA';
  }
  for (std::string const command : {"list", "verify", "export"}) {
    auto const outcome = audit_command(damaged, {command});
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("damaged")) << command;
  }
}

TEST(AuditCommands, RefuseTimesThatTheyDoNotUnderstand) {
  TestLog log;
  log.fill(1);

  auto const outcome = audit_command(log, {"list", "--since", "yesterday"});

  EXPECT_EQ(outcome.code, kUsageError);
  EXPECT_THAT(outcome.err, HasSubstr("--since: must be a duration such as 15m"));
}

}  // namespace
}  // namespace sallyport::app
