#include "src/upstream/catalog/search_tools.hpp"

#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using test::McpBench;
using test::parsed;
using test::parsed_object;
using testing::HasSubstr;

Task<mcp::ToolResult> echo_arguments(mcp::CallContext&, json::Object const& arguments) {
  co_return mcp::text_result("got " + json::to_text(arguments));
}

Task<mcp::ToolResult> ask_first(mcp::CallContext& context, json::Object const&) {
  mcp::InputRequests questions{{"q", mcp::elicit_form("Sure?", {{"type", "object"}})}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result("asked");
}

mcp::Tool hidden(std::string name, std::string description, mcp::ToolHandler handler) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.listed = false;
  tool.handler = std::move(handler);
  return tool;
}

// The registry that is served is the one that is searched.
class SearchToolsTest : public testing::Test {
 protected:
  static std::string server_of(std::string_view name) {
    return name.starts_with("mcp_weather_") ? "Weather" : "";
  }

  mcp::Registry::Builder tools() {
    mcp::Registry::Builder builder;
    for (auto& tool : search_->tools()) builder.add(std::move(tool));
    auto forecast = hidden("mcp_weather_forecast", "Tells the weather. At length.", echo_arguments);
    forecast.title = "Forecast";
    forecast.input_schema = parsed_object(
        R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
    builder.add(std::move(forecast));
    builder.add(hidden("mcp_weather_alarm", "Warns of weather.", ask_first));
    auto page = hidden("mcp_weather_page", "Weather for the page.", echo_arguments);
    page.meta = parsed_object(R"({"ui":{"visibility":["app"]}})");
    builder.add(std::move(page));
    builder.add(hidden("own", "Own weather tool", echo_arguments));
    return builder;
  }

  json::Object call(std::string_view name, std::string_view arguments) {
    return bench_
        .modern("tools/call", fmt::format(R"({{"name":"{}","arguments":{}}})", name, arguments),
                R"({"elicitation":{}})")
        .result();
  }
  static std::string text_of(json::Object const& result) {
    return std::string{json::view(result.at("content").at(0).at("text").get_string())};
  }

  std::shared_ptr<ToolSearch> search_{
      ToolSearch::create({.registry = [this] { return bench_.dispatcher().shared_registry(); },
                          .server_of = server_of})};
  McpBench bench_{tools()};
};

TEST_F(SearchToolsTest, AreTheOnlyOnesListed) {
  auto const listed = bench_.modern("tools/list").result();

  EXPECT_EQ(listed.at("tools").get_array().size(), 3U);
}

TEST_F(SearchToolsTest, FindToolsAndSayWhoseTheyAre) {
  auto const found = call("find_tools", R"({"query":"weather forecast","limit":1})");

  EXPECT_EQ(found.at("structuredContent"), parsed(R"({"tools":[{"name":"mcp_weather_forecast",
      "title":"Forecast","description":"Tells the weather.","server":"Weather"}],"total":3})"));
  auto const of_server = call("find_tools", R"({"query":"","server":"weather"})");
  EXPECT_EQ(of_server.at("structuredContent").at("total"), 2);
  EXPECT_EQ(call("find_tools", R"({"query":"","server":"x"})").at("structuredContent").at("total"),
            0);
}

TEST_F(SearchToolsTest, DescribeATool) {
  auto const described = call("describe_tool", R"({"name":"mcp_weather_forecast"})");

  EXPECT_EQ(described.at("structuredContent").at("inputSchema").at("required"),
            parsed(R"(["city"])"));
  auto const unknown = call("describe_tool", R"({"name":"weather_alarm"})");
  EXPECT_EQ(unknown.at("isError"), true);
  EXPECT_THAT(text_of(unknown), HasSubstr("Perhaps: mcp_weather_alarm"));
}

TEST_F(SearchToolsTest, CallAToolAsIfItHadBeenCalled) {
  EXPECT_EQ(
      text_of(call("call_tool", R"({"name":"mcp_weather_forecast","arguments":{"city":"Rome"}})")),
      R"(got {"city":"Rome"})");
  EXPECT_EQ(text_of(call("call_tool", R"({"name":"own"})")), "got {}");
  auto const wrong = call("call_tool", R"({"name":"mcp_weather_forecast","arguments":{}})");
  EXPECT_EQ(wrong.at("isError"), true);
  EXPECT_THAT(text_of(wrong), HasSubstr("Invalid arguments"));
  auto const asked = call("call_tool", R"({"name":"mcp_weather_alarm"})");
  EXPECT_EQ(asked.at("resultType"), "input_required");
}

TEST_F(SearchToolsTest, DoNotReachWhatIsNotForModelsNorThemselves) {
  for (auto const kind : {CallerKind::Unknown, CallerKind::Model}) {
    bench_.principal.kind = kind;
    for (auto const* const name : {"mcp_weather_page", "call_tool", "find_tools", "", "nothing"}) {
      auto const arguments = fmt::format(R"({{"name":"{}"}})", name);
      EXPECT_EQ(call("call_tool", arguments).at("isError"), true) << name;
      EXPECT_EQ(call("describe_tool", arguments).at("isError"), true) << name;
    }
    EXPECT_EQ(call("find_tools", R"({"query":""})").at("structuredContent").at("total"), 3);
  }
}

TEST(StaysListed, WhatHasAPage) {
  mcp::Tool tool;
  EXPECT_FALSE(stays_listed(tool));
  for (auto const* const meta :
       {R"({"ui":{"resourceUri":"ui://x"}})", R"({"ui/resourceUri":"ui://x"})"}) {
    tool.meta = parsed_object(meta);
    EXPECT_TRUE(stays_listed(tool)) << meta;
  }
  for (auto const* const meta :
       {R"({"ui":{"visibility":["app"]}})", R"({"ui":{"resourceUri":7}})", R"({"ui":[]})"}) {
    tool.meta = parsed_object(meta);
    EXPECT_FALSE(stays_listed(tool)) << meta;
  }
}

TEST(FirstSentence, IsShort) {
  EXPECT_EQ(first_sentence("  Does it. And more."), "Does it.");
  EXPECT_EQ(first_sentence("Version 1.2 of it\nAnd more."), "Version 1.2 of it");
  EXPECT_EQ(first_sentence(""), "");
  EXPECT_EQ(first_sentence(" \n"), "");
  EXPECT_EQ(first_sentence(std::string(199, 'x') + "\xC3\xA9y"), std::string(199, 'x') + "...");
}

}  // namespace
}  // namespace sallyport::upstream
