// `sallyport policy replay`, as the command line runs it.
#include "src/app/policy_replay_command.hpp"

#include "src/audit/test_log.hpp"
#include "src/json/parse.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace sallyport::app {
namespace {

using audit::test::sample;
using audit::test::TestLog;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kNoChange = 0;
constexpr int kChanged = 1;

struct ReplayOutcome {
  int code;
  std::string out;
  std::string err;
};

class PolicyReplayCommands : public testing::Test {
 protected:
  ReplayOutcome replay(std::string const& policy, std::vector<std::string> more = {}) {
    auto const file = folder_.write("new.rego", policy);
    std::vector<std::string> words{"policy", "replay", "--policy", file};
    if (std::ranges::find(more, "--since") == more.end())
      words.insert(words.end(), {"--since", "1h"});
    words.insert(words.end(), more.begin(), more.end());
    std::ostringstream out;
    std::ostringstream err;
    int const code = run(words, {{{"SALLYPORT_AUDIT_FILE", log_.options.file.string()}}, out, err});
    return {code, out.str(), err.str()};
  }

  TestLog log_;
  test::TempFolder folder_;
};

constexpr auto* kYes = "package mcp.fetch\nallow := true";
constexpr auto* kNo = "package mcp.fetch\nallow if input.url == \"x\"\nreason := \"closed\"";

TEST_F(PolicyReplayCommands, SayThatNothingChanges) {
  log_.fill(3);

  auto const outcome = replay(kYes);

  EXPECT_EQ(outcome.code, kNoChange) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("new.rego (revision "));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("3 requests judged in 3 records, 0 change: 0 now allowed, 0 now denied.\n"));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(PolicyReplayCommands, PrintWhatChangesAndWhy) {
  log_.fill(1);

  auto const outcome = replay(kNo);

  EXPECT_EQ(outcome.code, kChanged) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      StartsWith("now denied   GET https://example.com/a?key=***\n    call     r1, hop 1, "));
  EXPECT_THAT(
      outcome.out,
      AllOf(
          HasSubstr("    by       alice, fetch\n"),
          HasSubstr("    was      rule \"docs\" allows example.com\n"),
          HasSubstr("    now      closed\n"),
          HasSubstr("    caution  may be wrong, for it is not recorded: masked parts of the URL\n"),
          HasSubstr("1 request judged in 1 record, 1 changes: 0 now allowed, 1 now denied.\n"),
          HasSubstr(
              "       1 masked parts of the URL\nOf the changes:\n       1 may be wrong by that\n"),
          Not(HasSubstr("values of headers"))));
}

TEST_F(PolicyReplayCommands, PrintJson) {
  log_.fill(3);

  auto const outcome = replay(kNo, {"--format", "json", "--limit", "2"});

  EXPECT_EQ(outcome.code, kChanged) << outcome.err;
  auto const parsed = json::parse(outcome.out);
  ASSERT_TRUE(parsed) << outcome.out;
  ASSERT_EQ(parsed->at("changes").as_array().size(), 2U);
  auto const& change = parsed->at("changes").at(0);
  EXPECT_EQ(change.at("id").as_string(), "r1");
  EXPECT_EQ(change.at("hop").to_number<int>(), 1);
  EXPECT_EQ(change.at("was").as_string(), "allowed");
  EXPECT_EQ(change.at("now").as_string(), "denied");
  EXPECT_EQ(change.at("reasons").at(0).as_string(), "closed");
  EXPECT_EQ(change.at("uncertain").at(0).as_string(), "masked_url");
  auto const& summary = parsed->at("summary");
  EXPECT_EQ(summary.at("now_denied").to_number<int>(), 3);
  EXPECT_EQ(summary.at("not_shown").to_number<int>(), 1);
  EXPECT_EQ(summary.at("uncertain").at("masked_url").to_number<int>(), 3);
  EXPECT_TRUE(json::parse(replay(kYes, {"--format", "json"}).out));
}

TEST_F(PolicyReplayCommands, PrintSoManyAndSayHowManyMore) {
  log_.fill(3);

  auto const some = replay(kNo, {"--limit", "1"});
  auto const all = replay(kNo, {"--limit", "0"});

  EXPECT_THAT(some.out, AllOf(HasSubstr("call     r1"), Not(HasSubstr("call     r2")),
                              HasSubstr("… and 2 more changes; --limit 0 prints all.\n"),
                              HasSubstr("3 now denied.")));
  EXPECT_THAT(all.out, AllOf(HasSubstr("call     r3"), Not(HasSubstr("more change"))));
}

TEST_F(PolicyReplayCommands, TakeATimeAndARule) {
  log_.fill(2);

  EXPECT_THAT(replay(kNo, {"--until", "1h"}).out, HasSubstr("0 requests judged in 0 records"));
  EXPECT_THAT(replay(kNo, {"--since", "2100-01-01"}).out, HasSubstr("in 0 records"));
  EXPECT_EQ(replay("package a.b\nok := true", {"--rule", "data.a.b.ok"}).code, kNoChange);
}

TEST_F(PolicyReplayCommands, RefuseWhatTheyCannotUse) {
  auto const no_log = replay(kYes);
  EXPECT_EQ(no_log.code, kUsageError);
  EXPECT_THAT(no_log.err, HasSubstr("There is no audit log there."));
  log_.fill(1);

  auto const broken = replay("package mcp.fetch\nallow if");
  EXPECT_EQ(broken.code, kUsageError);
  EXPECT_THAT(broken.err, HasSubstr("new.rego:2:"));
  EXPECT_EQ(broken.out, "");
  EXPECT_EQ(replay("package other\nallow := true").code, kUsageError);
  EXPECT_EQ(replay(kYes, {"--since", "yesterday"}).code, kUsageError);
  EXPECT_EQ(replay(kYes, {"--until", "tomorrow"}).code, kUsageError);
  EXPECT_EQ(replay(kYes, {"--format", "xml"}).code, kUsageError);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run({"policy", "replay", "--since", "1h"}, {{}, out, err}), kUsageError);
  EXPECT_EQ(run({"policy", "replay", "--since", "1h", "--policy", folder_.file("absent.rego"),
                 "--file", log_.options.file.string()},
                {{}, out, err}),
            kUsageError);
  EXPECT_THAT(err.str(), HasSubstr("absent.rego: No such file or directory"));
}

TEST_F(PolicyReplayCommands, DoNotLetARecordWriteToTheTerminal) {
  {
    auto const open = log_.open();
    auto record = sample("id");
    record.principal = "\x1b[2Jmallory\n";
    ASSERT_TRUE(log_.write(*open, record));
  }

  EXPECT_THAT(replay(kNo).out, AllOf(HasSubstr("?[2Jmallory"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace sallyport::app
