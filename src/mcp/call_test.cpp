// What a handler can do besides compute, in both eras: report, log, ask.
#include "src/mcp/call.hpp"

#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::McpBench;
using test::parsed;
using test::parsed_object;
using test::RecordingOutlet;
using testing::ElementsAre;
using testing::HasSubstr;

InputRequest ask_name() {
  return elicit_form("Who?", parsed_object(R"({"type":"object",
      "properties":{"name":{"type":"string"}},"required":["name"]})"));
}

Task<ToolResult> reports(CallContext& context, json::Object const&) {
  context.progress(1, 10, "first");
  context.progress(1, 10, "not more");
  context.progress(0.5, 10, "less");
  context.progress(2);
  co_return text_result("done");
}

// More than progress: something under `_meta`, and a notification of its own kind.
Task<ToolResult> tells(CallContext& context, json::Object const&) {
  context.progress_with(1, R"({"frame":[1]})");
  context.progress_with(1, R"({"frame":"not more"})");
  context.notify("notifications/own", R"({"a":1})");
  ToolResult result;
  result.structured_text = fmt::format(R"({{"progress":{},"others":{}}})", context.hears_progress(),
                                       context.hears_notifications());
  co_return result;
}

Task<ToolResult> logs(CallContext& context, json::Object const&) {
  context.log(LogLevel::Debug, "debug");
  context.log(LogLevel::Info, "info");
  context.log(LogLevel::Error, json::Object{{"a", 1}}, "the logger");
  co_return text_result("done");
}

std::string name_in(json::Object const& answer) {
  auto const* content = json::find_object(answer, "content");
  auto const* name = content == nullptr ? nullptr : json::find_string(*content, "name");
  return name == nullptr ? "nobody" : std::string{json::view(*name)};
}

Task<ToolResult> asks_twice(CallContext& context, json::Object const&) {
  InputRequests first{{"who", ask_name()}};
  SP_CO_TRY(auto const who, co_await context.ask(std::move(first)));
  InputRequests second{{"roots", list_roots()}, {"whom", ask_name()}};
  SP_CO_TRY(auto const more, co_await context.ask(std::move(second)));
  co_return text_result(fmt::format("{} and {}", name_in(who.at("who")), name_in(more.at("whom"))));
}

Task<ToolResult> says_what_it_may_ask(CallContext& context, json::Object const&) {
  std::string kinds;
  using enum InputKind;
  for (auto const kind : {Elicitation, UrlElicitation, Sampling, SamplingWithTools, Roots}) {
    kinds += context.can_ask(kind) ? '1' : '0';
  }
  co_return text_result(kinds);
}

constexpr auto kCanAnswer = R"({"elicitation":{},"roots":{}})";
constexpr auto kAlice = R"({"action":"accept","content":{"name":"Alice"}})";
constexpr auto kBob = R"({"action":"accept","content":{"name":"Bob"}})";

class CallTest : public testing::Test {
 protected:
  static Registry::Builder tools() {
    Registry::Builder builder;
    auto const add = [&](std::string name, ToolHandler handler) {
      Tool tool;
      tool.name = std::move(name);
      tool.handler = std::move(handler);
      builder.add(std::move(tool));
    };
    add("reports", reports);
    add("logs", logs);
    add("tells", tells);
    add("asks_twice", asks_twice);
    add("may_ask", says_what_it_may_ask);
    return builder;
  }

  // A round of the tool that asks twice.
  RecordingOutlet& round(std::string_view more = "", std::string_view capabilities = kCanAnswer) {
    return bench_.modern("tools/call", fmt::format(R"({{"name":"asks_twice"{}}})", more),
                         capabilities);
  }
  static std::string with(json::Object const& previous, std::string_view responses) {
    return fmt::format(R"(,"requestState":{},"inputResponses":{})",
                       json::to_text(previous.at("requestState")), responses);
  }

  McpBench bench_{tools()};
};

TEST_F(CallTest, ProgressIsSentToWhoGaveATokenAndOnlyAsItGrows) {
  auto const& quiet = bench_.modern("tools/call", R"({"name":"reports"})");
  auto const& told =
      bench_.modern("tools/call", R"({"name":"reports","_meta":{"progressToken":"p"}})");

  EXPECT_TRUE(quiet.sent.empty());
  ASSERT_THAT(told.sent_methods(), ElementsAre("notifications/progress", "notifications/progress"));
  EXPECT_EQ(told.sent[0].at("params"),
            parsed(R"({"progressToken":"p","progress":1E0,"total":1E1,"message":"first"})"));
  EXPECT_EQ(told.sent[1].at("params"), parsed(R"({"progressToken":"p","progress":2E0})"));
}

TEST_F(CallTest, TellsMoreThanProgressInBothEras) {
  constexpr auto* kCall = R"({"name":"tells","_meta":{"progressToken":7}})";
  auto const session = bench_.open(Revision::V2025_11_25);

  for (auto const* told :
       {&bench_.modern("tools/call", kCall), &bench_.legacy(session, "tools/call", kCall)}) {
    ASSERT_THAT(told->sent_methods(), ElementsAre("notifications/progress", "notifications/own"));
    EXPECT_EQ(told->sent[0].at("params"),
              parsed(R"({"progressToken":7,"progress":1E0,"_meta":{"frame":[1]}})"));
    EXPECT_EQ(told->sent[1].at("params"), parsed(R"({"a":1})"));
    EXPECT_EQ(told->result().at("structuredContent"), parsed(R"({"progress":true,"others":true})"));
  }
  auto const& without = bench_.modern("tools/call", R"({"name":"tells"})");
  EXPECT_THAT(without.sent_methods(), ElementsAre("notifications/own"));
  EXPECT_EQ(without.result().at("structuredContent"),
            parsed(R"({"progress":false,"others":true})"));
}

TEST_F(CallTest, ProgressHasNoMessageIn2024_11_05) {
  auto const session = bench_.open(Revision::V2024_11_05);

  auto const& told =
      bench_.legacy(session, "tools/call", R"({"name":"reports","_meta":{"progressToken":1}})");

  ASSERT_EQ(told.sent.size(), 2U);
  EXPECT_FALSE(told.sent[0].at("params").get_object().contains("message"));
}

TEST_F(CallTest, AModernClientHearsTheLogLevelItAskedForOnThatRequest) {
  auto const count = [&](std::string_view meta) {
    return bench_.modern("tools/call", fmt::format(R"({{"name":"logs","_meta":{}}})", meta))
        .sent.size();
  };

  EXPECT_EQ(count("{}"), 0U);
  EXPECT_EQ(count(R"({"io.modelcontextprotocol/logLevel":"debug"})"), 3U);
  EXPECT_EQ(count(R"({"io.modelcontextprotocol/logLevel":"error"})"), 1U);
  EXPECT_EQ(count(R"({"io.modelcontextprotocol/logLevel":"alert"})"), 0U);
}

TEST_F(CallTest, ALegacyClientHearsTheLevelOfItsSession) {
  auto const session = bench_.open(Revision::V2025_11_25);

  auto const& usual = bench_.legacy(session, "tools/call", R"({"name":"logs"})");
  auto const& set = bench_.legacy(session, "logging/setLevel", R"({"level":"error"})");
  auto const& fewer = bench_.legacy(session, "tools/call", R"({"name":"logs"})");
  auto const& wrong = bench_.legacy(session, "logging/setLevel", R"({"level":"loud"})");

  EXPECT_EQ(usual.sent.size(), 2U);
  EXPECT_EQ(json::to_text(set.answer.at("result")), "{}");
  ASSERT_EQ(fewer.sent.size(), 1U);
  EXPECT_EQ(fewer.sent[0].at("params"),
            parsed(R"({"level":"error","data":{"a":1},"logger":"the logger"})"));
  EXPECT_EQ(wrong.error_code(), code::kInvalidParams);
}

TEST_F(CallTest, AClientThatTakesNoStreamHearsNothing) {
  bench_.prepare().reachable = false;

  auto const& outlet =
      bench_.modern("tools/call", R"({"name":"reports","_meta":{"progressToken":1}})");

  EXPECT_TRUE(outlet.sent.empty());
  EXPECT_EQ(outlet.text(), "done");
}

TEST_F(CallTest, KnowsWhichQuestionsTheClientCanAnswer) {
  struct Row {
    char const* capabilities;
    char const* kinds;  // form, URL, sampling, sampling with tools, roots
  };
  constexpr Row kRows[] = {
      {"{}", "00000"},
      {R"({"elicitation":{}})", "10000"},
      {R"({"elicitation":{"form":{}}})", "10000"},
      {R"({"elicitation":{"url":{}}})", "01000"},
      {R"({"elicitation":{"form":{},"url":{}}})", "11000"},
      {R"({"sampling":{}})", "00100"},
      {R"({"sampling":{"tools":{}}})", "00110"},
      {R"({"roots":{"listChanged":true}})", "00001"},
      {R"({"elicitation":true,"sampling":1,"roots":null})", "00000"},
  };
  for (auto const& row : kRows) {
    auto const& outlet = bench_.modern("tools/call", R"({"name":"may_ask"})", row.capabilities);
    EXPECT_EQ(outlet.text(), row.kinds) << row.capabilities;
  }
}

TEST_F(CallTest, AStatelessClientIsAskedInRounds) {
  auto const first = round().result();
  ASSERT_EQ(first.at("resultType"), "input_required");
  ASSERT_EQ(first.at("inputRequests").get_object().size(), 1U);
  EXPECT_EQ(first.at("inputRequests").at("who").at("method"), "elicitation/create");

  auto const second = round(with(first, fmt::format(R"({{"who":{}}})", kAlice))).result();
  ASSERT_EQ(second.at("resultType"), "input_required");
  ASSERT_EQ(second.at("inputRequests").get_object().size(), 2U);

  auto const half = round(with(second, R"({"roots":{"roots":[]}})")).result();
  ASSERT_EQ(half.at("inputRequests").get_object().size(), 1U);
  auto const& last = round(with(half, fmt::format(R"({{"whom":{}}})", kBob)));

  EXPECT_EQ(last.result().at("resultType"), "complete");
  EXPECT_EQ(last.text(), "Alice and Bob");
}

TEST_F(CallTest, AnAnswerThatDoesNotFitIsRefused) {
  auto const first = round().result();

  for (auto const* const responses :
       {R"({"who":{"action":"accept"}})", R"({"who":{"action":"accept","content":{"name":1}}})",
        R"({"who":7})", "[]", "7"}) {
    auto const& outlet = round(with(first, responses));
    EXPECT_EQ(outlet.error_code(), code::kInvalidParams) << responses;
    EXPECT_THAT(outlet.error_message(), HasSubstr("inputResponses")) << responses;
  }
}

TEST_F(CallTest, AStateOfAnotherCallerIsRefused) {
  auto const first = round().result();

  bench_.principal.id = "mallory";
  auto const& stolen = round(with(first, fmt::format(R"({{"who":{}}})", kAlice)));

  EXPECT_EQ(stolen.error_code(), code::kInvalidParams);
  EXPECT_THAT(stolen.error_message(), HasSubstr("requestState"));
  EXPECT_EQ(round(R"(,"requestState":7)").error_code(), code::kInvalidParams);
}

TEST_F(CallTest, AStatelessClientThatCannotAnswerLearnsWhatIsMissing) {
  auto const& outlet = round("", "{}");

  EXPECT_EQ(outlet.error_code(), code::kMissingCapability);
  EXPECT_EQ(outlet.status, 400);
  EXPECT_EQ(outlet.answer.at("error").at("data"),
            parsed(R"({"requiredCapabilities":{"elicitation":{"form":{}}}})"));
}

TEST_F(CallTest, ALegacyClientIsAskedByRequestsAndItsRepliesGoOn) {
  auto const session = bench_.open(Revision::V2025_06_18, kCanAnswer);
  auto const& outlet = bench_.legacy(session, "tools/call", R"({"name":"asks_twice"})");
  ASSERT_THAT(outlet.sent_methods(), ElementsAre("elicitation/create"));
  EXPECT_FALSE(outlet.sent[0].at("params").get_object().contains("mode"));

  bench_.reply(session, outlet, 0, kAlice);
  ASSERT_THAT(outlet.sent_methods(),
              ElementsAre("elicitation/create", "roots/list", "elicitation/create"));
  bench_.reply(session, outlet, 2, kBob);
  EXPECT_EQ(outlet.finished, 0);
  bench_.reply(session, outlet, 1, R"({"roots":[]})");

  EXPECT_EQ(outlet.text(), "Alice and Bob");
}

TEST_F(CallTest, AnotherSessionCannotAnswerForALegacyClient) {
  auto const session = bench_.open(Revision::V2025_11_25, kCanAnswer);
  auto const intruder = bench_.open(Revision::V2025_11_25, kCanAnswer);
  auto const& outlet = bench_.legacy(session, "tools/call", R"({"name":"asks_twice"})");

  bench_.reply(intruder, outlet, 0, kAlice);

  EXPECT_EQ(outlet.sent.size(), 1U);
  EXPECT_EQ(outlet.finished, 0);
}

TEST_F(CallTest, ALegacyClientThatCannotBeAskedGetsAResultThatSaysSo) {
  auto const able = bench_.open(Revision::V2025_11_25, kCanAnswer);
  auto const unable = bench_.open(Revision::V2025_11_25);
  bench_.prepare().reachable = false;

  auto const& no_stream = bench_.legacy(able, "tools/call", R"({"name":"asks_twice"})");
  auto const& no_capability = bench_.legacy(unable, "tools/call", R"({"name":"asks_twice"})");

  EXPECT_EQ(no_stream.result().at("isError"), true);
  EXPECT_EQ(no_capability.result().at("isError"), true);
  EXPECT_THAT(no_capability.text(), HasSubstr("elicitation/create"));
}

TEST_F(CallTest, ALegacyCallThatWaitsForAnAnswerCanBeCancelled) {
  auto const session = bench_.open(Revision::V2025_11_25, kCanAnswer);
  auto const& outlet = bench_.legacy(session, "tools/call", R"({"name":"asks_twice"})", 5);

  bench_.server().cancel(session->id(), 5);
  bench_.settle();

  EXPECT_EQ(outlet.finished, 1);
  EXPECT_TRUE(outlet.answer.empty());
  bench_.reply(session, outlet, 0, kAlice);  // too late: nobody waits
}

}  // namespace
}  // namespace sallyport::mcp
