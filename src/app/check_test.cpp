// `sallyport check`, as the command line runs it. No name is looked up here: URLs have addresses.
#include "src/app/cli.hpp"
#include "src/base/log.hpp"
#include "src/json/parse.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <utility>

namespace sallyport::app {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct CheckOutcome {
  int code;
  std::string out;
  std::string err;
};

CheckOutcome check(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  arguments.insert(arguments.begin(), "check");
  int const code = run(arguments, {{}, out, err});
  return {code, out.str(), err.str()};
}

constexpr auto kWouldBeSent = 0;
constexpr auto kRefused = 1;
constexpr auto kNoAnswer = 2;

TEST(Check, ExplainsEachStageOfWhatWouldBeSent) {
  auto const outcome = check({"http://192.0.2.1/x", "--egress-open", "192.0.2.0/24"});

  EXPECT_EQ(outcome.code, kWouldBeSent) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("http://192.0.2.1/x\n"
                                      "  ok parse    It is http://192.0.2.1/x.\n"
                                      "  ok limits   "));
  EXPECT_THAT(outcome.out, HasSubstr("  ok inject   No rule adds a header.\n"
                                     "  ok policy   Allowed: "));
  EXPECT_THAT(outcome.out,
              EndsWith("  ok guard    All addresses may be reached.\n"
                       "  ok send     GET http://192.0.2.1/x would be sent to 192.0.2.1, port 80.\n"
                       "  => would be sent\n"));
}

TEST(Check, NamesTheHeadersThatRulesWouldAddAndAsksForNoToken) {
  test::TempFolder const folder;
  folder.write("rules.json", R"([{"name":"shop","host":"192.0.2.1","schemes":["http"],
    "auth":{"type":"oauth_client_credentials","token_url":"http://127.0.0.1:1/token",
            "client_id":"agent","client_secret":"hunter2"}}])");
  auto const outcome = check(
      {"http://192.0.2.1/x", "--egress-open", "192.0.2.0/24", "--egress-inject",
       folder.file("rules.json"), "--egress-inject",
       R"([{"host":"192.0.2.1","schemes":["http"],"headers":{"X-Key":"hunter2"}}])",
       "--egress-inject", "name=short,host=192.0.2.1,schemes=http,header=X-Short,value=hunter2"});

  EXPECT_EQ(outcome.code, kWouldBeSent) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("  ok inject   Rules add Authorization (shop); X-Key (--egress-inject[1]); "
                        "X-Short (short).\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("hunter2")));
}

TEST(Check, SaysWhichRuleIsWrongWithoutItsSecret) {
  auto const outcome =
      check({"http://192.0.2.1/x", "--egress-inject", R"([{"headers":{"X-Key":"hunter2"}}])"});

  EXPECT_EQ(outcome.code, kNoAnswer);
  EXPECT_THAT(outcome.err, HasSubstr("--egress-inject[0].host: is missing"));
  EXPECT_THAT(outcome.err + outcome.out, Not(HasSubstr("hunter2")));
}

TEST(Check, NamesTheStageThatRefuses) {
  struct Case {
    std::vector<std::string> arguments;
    std::string step;
  };
  test::TempFolder const folder;
  folder.write("deny.yaml", "egress:\n  deny:\n    - {name: none, hosts: [10.0.0.1]}\n");
  folder.write("limit.yaml",
               "egress:\n  open: [10.0.0.0/8]\n  rates:\n    - {rate: 1/day, host: 10.0.0.1}\n");
  for (auto const& [arguments, step] : {
           Case{{"http://10.0.0.1/"}, "  no guard    10.0.0.1 is a private address (10.0.0.0/8)"},
           Case{{"http://8.8.8.8:22/"}, "  no guard    "},
           Case{{"http://localhost/"}, "  no guard    "},
           Case{{"http://[::1/"}, "  no parse    "},
           Case{{"not a url"}, "  no parse    "},
           Case{{"ftp://8.8.8.8/"}, "  no parse    "},
           Case{{"http://8.8.8.8/", "--method", "G T"}, "  no parse    The method is not a name"},
           Case{{"http://8.8.8.8/", "--header", "Host: x"},
                "  no parse    The header \"Host\" cannot be set by a caller"},
           Case{{"--header", "Host: x", "http://8.8.8.8/"},
                "  no parse    The header \"Host\" cannot be set by a caller"},
           Case{{"http://10.0.0.1/", "--config", folder.file("deny.yaml")}, "  no policy   "},
           Case{{"http://10.0.0.1/", "http://10.0.0.1/", "--config", folder.file("limit.yaml")},
                "  no limits   "},
       }) {
    auto const outcome = check(arguments);

    EXPECT_EQ(outcome.code, kRefused) << step << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(step));
    EXPECT_THAT(outcome.out, EndsWith("  => refused\n"));
  }
}

// A policy with two opinions: that is an error in the log, where there is a log.
TEST(Check, LogsWhatTheSettingsSayAndNoMore) {
  test::TempFolder const folder;
  auto const policies = R"({"fetch":{"policies":[{"url":"file://)" +
                        folder.write("p.rego",
                                     "package mcp.fetch\nallow := true if input.method\n"
                                     "allow := false if input.url\n") +
                        R"("}]}})";
  auto const logged_at = [&](std::string const& level) {
    testing::internal::CaptureStderr();
    auto const outcome =
        check({"http://8.8.8.8/", "--policies-json", policies, "--log-level", level});
    auto log = testing::internal::GetCapturedStderr();
    log::configure({});
    EXPECT_EQ(outcome.code, kRefused) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("could not judge"));
    return log;
  };

  EXPECT_EQ(logged_at("off"), "");
  EXPECT_THAT(logged_at("error"), HasSubstr("error policy could not judge"));
}

TEST(Check, SaysWhyAPolicyCannotBeUsed) {
  test::TempFolder const folder;
  std::filesystem::create_directory(folder.file("empty"));
  folder.write("empty/notes.txt", "package mcp.fetch\nallow := true\n");
  folder.write("broken.rego", "package mcp.fetch\nallow if");
  std::pair<std::string, std::string> const cases[] = {
      {"file://" + folder.file("empty"), "empty: has no *.rego file that is not a test"},
      {"file://" + folder.file("broken.rego"), "broken.rego:2:"},
      {"file://" + folder.file("absent.rego"), "absent.rego: No such file"},
      {"ftp://policies.example/", "`url` begins with file:///"},
  };
  for (auto const& [url, problem] : cases) {
    auto const outcome = check({"http://8.8.8.8/", "--policies-json",
                                R"({"fetch":{"policies":[{"url":")" + url + R"("}]}})"});

    EXPECT_EQ(outcome.code, kNoAnswer) << url;
    EXPECT_THAT(outcome.err, HasSubstr(problem)) << url;
    EXPECT_EQ(outcome.out, "") << url;
  }
}

TEST(Check, WarnsOfASectionThatNothingAsks) {
  test::TempFolder const folder;
  auto const source =
      R"({"policies":[{"url":"file://)" +
      folder.write(
          "p.rego",
          "package mcp\nfetch.allow := true\nwebsocket.allow := true\nmodules.allow := true\n") +
      R"("}]})";
  auto const log_of = [&](std::string const& section) {
    testing::internal::CaptureStderr();
    auto const outcome =
        check({"http://8.8.8.8/", "--policies-json", R"({")" + section + R"(":)" + source + "}"});
    EXPECT_EQ(outcome.code, kWouldBeSent) << outcome.err << outcome.out;
    return testing::internal::GetCapturedStderr();
  };

  EXPECT_THAT(log_of("modules"), HasSubstr("A SECTION OF POLICIES IS NOT ASKED"));
  EXPECT_EQ(log_of("fetch"), "");
  EXPECT_EQ(log_of("websocket"), "");
}

TEST(Check, JudgesAWebSocketByItsOwnSection) {
  test::TempFolder const folder;
  auto const policies =
      R"({"websocket":{"policies":[{"url":"file://)" +
      folder.write("p.rego",
                   "package mcp.websocket\nallow if startswith(input.url, \"wss://\")\n"
                   "reason := \"only with TLS\" if not allow\n") +
      R"("}]}})";

  auto const good =
      check({"WSS://192.0.2.1/chat", "--egress-open", "192.0.2.0/24", "--policies-json", policies});
  auto const bad =
      check({"ws://192.0.2.1/", "--egress-open", "192.0.2.0/24", "--policies-json", policies});
  auto const closed = check({"wss://10.0.0.1/", "--policies-json", policies});

  EXPECT_EQ(good.code, kWouldBeSent) << good.out << good.err;
  EXPECT_THAT(good.out, HasSubstr("GET wss://192.0.2.1/chat would be sent to 192.0.2.1, port 443"));
  EXPECT_THAT(bad.out, HasSubstr("only with TLS"));
  EXPECT_THAT(closed.out, HasSubstr("private"));
}

TEST(Check, OneRefusalAmongSeveralIsTheExitCode) {
  auto const outcome =
      check({"http://192.0.2.1/", "http://10.0.0.1/", "--egress-open", "192.0.2.0/24"});

  EXPECT_EQ(outcome.code, kRefused);
  EXPECT_THAT(outcome.out, HasSubstr("=> would be sent"));
  EXPECT_THAT(outcome.out, HasSubstr("=> refused"));
}

TEST(Check, WritesOneLineOfJsonForEachUrl) {
  auto const outcome = check({"--json", "http://10.0.0.1/"});

  EXPECT_EQ(outcome.code, kRefused);
  auto const line = json::parse(outcome.out);
  ASSERT_TRUE(line) << outcome.out;
  EXPECT_EQ(line->at("url"), "http://10.0.0.1/");
  EXPECT_EQ(line->at("allowed"), false);
  auto const& last = line->at("steps").as_array().back();
  EXPECT_EQ(last.at("stage"), "guard");
  EXPECT_EQ(last.at("passed"), false);
}

TEST(Check, SaysHowToWriteAHeader) {
  auto const outcome = check({"http://8.8.8.8/", "--header", "no colon"});

  EXPECT_EQ(outcome.code, kNoAnswer);
  EXPECT_EQ(outcome.err, "sallyport: --header no colon: write it as \"Name: value\".\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(Check, NeedsAUrlOrAFile) {
  auto const outcome = check({});

  EXPECT_EQ(outcome.code, kUsageError);
  EXPECT_EQ(outcome.err, "sallyport check: name a URL, or a file with --simulate\n");
}

TEST(Check, SimulatesANetworkThatAFileDescribes) {
  test::TempFolder const folder;
  folder.write("vectors.json", R"([
    {"input": "http://shop.example/", "expect": "allow", "resolve": {"shop.example": ["8.8.8.8"]}},
    {"input": "http://trap.example/", "expect": "block",
     "resolve": {"trap.example": ["8.8.8.8", "10.0.0.1"]}},
    {"input": "http://127.0.0.1/", "expect": "allow"}])");

  auto const outcome = check({"--simulate", folder.file("vectors.json")});

  EXPECT_EQ(outcome.code, kRefused) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(R"({"input":"http://shop.example/","expect":"allow",)"
                                     R"("verdict":"allow")"));
  EXPECT_THAT(outcome.out, HasSubstr(R"("expect":"block","verdict":"block")"));
  EXPECT_THAT(outcome.out, HasSubstr(R"("expect":"allow","verdict":"block")"));
  EXPECT_THAT(outcome.out, EndsWith("2 passed, 1 failed\n"));
}

TEST(Check, SaysWhatIsWrongWithTheFileOfASimulation) {
  test::TempFolder const folder;
  folder.write("object.json", "{}");
  folder.write("broken.json", "[");
  for (auto const* const name : {"object.json", "broken.json", "absent.json"}) {
    auto const outcome = check({"--simulate", folder.file(name)});

    EXPECT_EQ(outcome.code, kNoAnswer) << name;
    EXPECT_THAT(outcome.err, StartsWith("sallyport: ")) << name;
    EXPECT_THAT(outcome.err, HasSubstr(name));
  }
}

}  // namespace
}  // namespace sallyport::app
