#include "src/app/policy_replay.hpp"

#include "src/audit/test_log.hpp"
#include "src/json/parse.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace sallyport::app {
namespace {

using audit::Verdict;
using audit::test::sample;
using testing::ElementsAre;
using testing::HasSubstr;

audit::Record denied(std::string url, std::string error = "Policy does not allow GET it: no.") {
  auto record = sample("denied");
  record.verdict = Verdict::Denied;
  record.error_code = "policy_denied";
  record.error = std::move(error);
  record.status = 0;
  record.hops = {{.url = std::move(url), .method = "GET", .header_names = {"accept"}}};
  return record;
}

audit::Record allowed(std::string url) {
  auto record = sample("allowed");
  record.hops.front().url = std::move(url);
  return record;
}

// "METHOD URL: now allowed (reasons)" for each change.
struct Replayed {
  std::vector<std::string> changes;
  ReplaySummary summary;
};

Replayed replay(std::string const& policy, std::vector<audit::Record> const& records,
                std::string const& package = "mcp.fetch") {
  test::TempFolder const folder;
  auto made = PolicyReplay::create(folder.write("new.rego", "package " + package + "\n" + policy),
                                   "data." + package + ".allow");
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  Replayed all;
  for (auto const& record : records) {
    made->judge(record, [&](ReplayChange const& change) {
      auto text = change.what().method + " " + change.what().url +
                  (change.now_allowed ? ": now allowed" : ": now denied");
      for (auto const& reason : change.reasons) text += ", " + reason;
      all.changes.push_back(std::move(text));
    });
  }
  all.summary = made->summary();
  return all;
}

TEST(PolicyReplay, TellsWhatIsNowAllowedAndWhatIsNowDenied) {
  auto const told =
      replay("allow if input.url_parsed.host == \"a.example\"\nreason := \"not a\" if not allow",
             {allowed("https://a.example/"), allowed("https://b.example/"),
              denied("https://a.example/x"), denied("https://b.example/x")});

  EXPECT_THAT(told.changes, ElementsAre("GET https://b.example/: now denied, not a",
                                        "GET https://a.example/x: now allowed"));
  EXPECT_EQ(told.summary.records, 4U);
  EXPECT_EQ(told.summary.hops, 4U);
  EXPECT_EQ(told.summary.now_allowed, 1U);
  EXPECT_EQ(told.summary.now_denied, 1U);
  EXPECT_EQ(told.summary.changed_records, 2U);
}

TEST(PolicyReplay, JudgesWebSocketsByTheirOwnPolicyOnly) {
  std::vector const records{allowed("https://a.example/"), allowed("wss://a.example/chat")};

  auto const of_fetch = replay("default allow := false", records);
  auto const of_sockets =
      replay("allow if input.operation != \"websocket\"", records, "mcp.websocket");

  EXPECT_THAT(of_fetch.changes, ElementsAre("GET https://a.example/: now denied"));
  EXPECT_EQ(of_fetch.summary.unasked, 1U);
  EXPECT_THAT(of_sockets.changes, ElementsAre("GET wss://a.example/chat: now denied"));
}

// What it would need for that is not on record.
TEST(PolicyReplay, LeavesOutWhatWasAskedOfAnMcpServer) {
  auto asked = allowed("mcp://files/file:///notes/1");
  auto refused = denied("mcp://files/summary", "Policy does not allow the prompt summary: no.");
  asked.hops.front().method = "resources/read";
  refused.hops.front().method = "prompts/get";

  auto const replayed = replay("default allow := false", {asked, refused});

  EXPECT_THAT(replayed.changes, ElementsAre());
  EXPECT_EQ(replayed.summary.unasked, 2U);
}

TEST(PolicyReplay, JudgesAStreamOnce) {
  auto opened = allowed("https://a.example/");
  opened.stream = audit::StreamState::Opened;
  auto closed = opened;
  closed.stream = audit::StreamState::Closed;

  auto const replayed = replay("default allow := false\n", {opened, closed});

  EXPECT_THAT(replayed.changes, testing::SizeIs(1));
  EXPECT_EQ(replayed.summary.records, 1U);
}

TEST(PolicyReplay, BuildsTheInputFromWhatIsRecorded) {
  auto record = allowed("https://a.example:8443/p?q=***");
  record.time = audit::time_of(1'785'240'000'000'000);  // 2026-07-28T12:00:00Z
  record.issuer = "https://id.example";
  record.client = "agent/1";
  record.session = "97b42580";
  record.server = "shop";

  auto const told = replay(R"(allow if {
    input.operation == "fetch"
    input.url == "https://a.example:8443/p?q=***"
    input.url_parsed == {"scheme": "https", "host": "a.example", "port": 8443, "path": "/p", "query": "q=***"}
    input.method == "GET"
    input.headers == {"accept": "[redacted]", "authorization": "[redacted]"}
    input.injection == {"failed": false, "headers": ["authorization"]}
    input.principal == {"id": "alice", "issuer": "https://id.example", "scopes": []}
    [input.client, input.session, input.server] == ["agent/1", "97b42580", "shop"]
    [input.tool, input.purpose, input.hop] == ["fetch", "fetch", 0]
    time.clock(time.now_ns()) == [12, 0, 0]
  })",
                           {record});

  EXPECT_THAT(told.changes, ElementsAre());
  EXPECT_EQ(told.summary.masked, 1U);
  EXPECT_THAT(told.summary.uncertain, ElementsAre(1, 1, 1, 1, 1));
}

TEST(PolicyReplay, JudgesEachHopUntilOneIsDenied) {
  auto record = allowed("https://a.example/");
  auto hop = record.hops.front();
  record.hops.front().status = 401;  // then once more, with another token
  hop.status = 302;
  record.hops.push_back(hop);
  hop.status = 200;
  hop.url = "https://b.example/";
  record.hops.push_back(hop);

  auto const all = replay("allow if input.hop in {0, 1}", {record});
  EXPECT_THAT(all.changes, ElementsAre());
  EXPECT_EQ(all.summary.hops, 3U);

  auto const last = replay("allow if input.hop == 0", {record});
  EXPECT_THAT(last.changes, ElementsAre("GET https://b.example/: now denied"));

  auto const first = replay("allow if input.hop == 1", {record});
  EXPECT_THAT(first.changes, ElementsAre("GET https://a.example/: now denied"));
  EXPECT_EQ(first.summary.unreached, 2U);
  EXPECT_EQ(first.summary.hops, 1U);
}

TEST(PolicyReplay, LeavesAloneWhatNoPolicyDecided) {
  auto own = allowed("https://id.example/keys");
  own.tool.clear();
  auto cached = allowed("https://a.example/");
  cached.hops = {{.url = "https://a.example/", .method = "GET"}};
  auto limited = denied("https://a.example/", "Too many calls.");
  limited.error_code = "limit_exceeded";
  limited.hops.front().header_names.clear();
  auto const robots = denied("https://a.example/", "The robots.txt of a.example disallows it.");
  auto no_url = denied("https:***", "The URL has no host.");
  no_url.hops.front().header_names.clear();

  for (auto const* policy : {"default allow := true", "default allow := false"}) {
    auto const told = replay(policy, {own, cached, limited, robots, no_url});

    EXPECT_THAT(told.changes, ElementsAre()) << policy;
    EXPECT_EQ(told.summary.own, 1U);
    EXPECT_EQ(told.summary.unasked, 1U);
    EXPECT_EQ(told.summary.refused_otherwise, 3U);
    EXPECT_EQ(told.summary.hops, 0U);
  }
}

TEST(PolicyReplay, KnowsThatARequestWentOutBeforeItsRedirectWasRefused) {
  auto record = denied("https://a.example/", "The answer redirects to https://b.example.");
  record.hops.front().connected = "192.0.2.1:443";
  record.hops.front().status = 302;

  EXPECT_THAT(replay("default allow := true", {record}).changes, ElementsAre());
  EXPECT_THAT(replay("default allow := false", {record}).changes,
              ElementsAre("GET https://a.example/: now denied"));
}

TEST(PolicyReplay, CountsWhatItCannotBeSureOf) {
  auto named = denied("https://a.example/");
  named.hops.front().policy = "a1b2c3";

  auto const told = replay("default allow := true", {denied("https://a.example/?key=***"), named,
                                                     allowed("https://a.example/***")});

  EXPECT_EQ(told.summary.now_allowed, 2U);
  EXPECT_EQ(told.summary.masked, 2U);
  EXPECT_EQ(told.summary.unnamed_denials, 1U);
  EXPECT_EQ(told.summary.uncertain_changes, 0U);
}

TEST(PolicyReplay, MarksWhatMayDependOnWhatIsNotRecorded) {
  std::vector const records{allowed("https://a.example/"), allowed("https://a.example/?key=***")};

  auto const by_host = replay("allow if input.url_parsed.host == \"b\"", records);
  EXPECT_EQ(by_host.summary.uncertain_changes, 0U);
  auto const by_path = replay("allow if input.url_parsed.path == \"/b\"", records);
  EXPECT_EQ(by_path.summary.uncertain_changes, 1U);
  EXPECT_THAT(by_path.summary.uncertain, ElementsAre(0, 1, 0, 0, 0));
  auto const by_header = replay("allow if input.headers.accept == \"b\"", records);
  EXPECT_EQ(by_header.summary.uncertain_changes, 2U);
  EXPECT_THAT(by_header.summary.uncertain, ElementsAre(2, 0, 0, 0, 0));
}

TEST(PolicyReplay, TreatsAPolicyThatFailsAsOneThatDenies) {
  auto const told = replay("allow := true if input.method\nallow := false if input.url",
                           {allowed("https://a.example/")});

  ASSERT_EQ(told.changes.size(), 1U);
  EXPECT_THAT(told.changes[0], HasSubstr("now denied, the policy could not judge: "));
  EXPECT_EQ(told.summary.problems, 1U);
}

}  // namespace
}  // namespace sallyport::app
