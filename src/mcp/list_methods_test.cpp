#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::McpBench;

Tool named(std::string name, json::Object meta = {}) {
  Tool tool;
  tool.name = std::move(name);
  tool.meta = std::move(meta);
  tool.handler = [](CallContext&, json::Object const&) -> Task<ToolResult> {
    co_return text_result("");
  };
  return tool;
}

Registry::Builder five_tools() {
  Registry::Builder builder;
  for (auto const* const name : {"a", "b", "c", "d", "e"}) builder.add(named(name));
  for (int i = 0; i < 5; ++i) {
    Prompt prompt;
    prompt.name = "p" + std::to_string(i);
    builder.add(std::move(prompt));
  }
  return builder;
}

ServerOptions pages_of_two() {
  ServerOptions options;
  options.page_size = 2;
  return options;
}

std::string names_of(json::Object const& result) {
  std::string names;
  for (auto const& tool : result.at("tools").get_array()) {
    names += json::view(tool.at("name").get_string());
  }
  return names;
}

std::string cursor_of(json::Object const& result) {
  auto const* cursor = json::find_string(result, "nextCursor");
  return cursor == nullptr ? "" : std::string{json::view(*cursor)};
}

std::string with_cursor(std::string_view cursor) {
  return fmt::format(R"({{"cursor":"{}"}})", cursor);
}

TEST(ListTools, WalksOverThePagesInTheOrderOfTheRegistry) {
  McpBench bench{five_tools(), pages_of_two()};
  std::vector<std::string> pages;

  std::string params = "{}";
  for (bool more = true; more && pages.size() < 9;) {
    auto const result = bench.modern("tools/list", params).result();
    pages.push_back(names_of(result));
    more = result.contains("nextCursor");
    if (more) params = with_cursor(cursor_of(result));
  }

  EXPECT_EQ(pages, (std::vector<std::string>{"ab", "cd", "e"}));
}

TEST(ListTools, RefusesACursorThatIsNotItsOwn) {
  McpBench bench{five_tools(), pages_of_two()};
  auto const cursor = cursor_of(bench.modern("tools/list").result());
  ASSERT_FALSE(cursor.empty());

  for (auto const& params : {
           with_cursor(""),
           with_cursor("garbage"),
           with_cursor("2"),
           with_cursor("2."),
           with_cursor("-1" + cursor.substr(1)),
           with_cursor("ffff" + cursor.substr(1)),
           with_cursor(cursor + "0"),
           std::string{R"({"cursor":2})"},
           std::string{R"({"cursor":null})"},
       }) {
    EXPECT_EQ(bench.modern("tools/list", params).error_code(), code::kInvalidParams) << params;
  }
}

TEST(ListTools, RefusesACursorOfAnotherList) {
  McpBench bench{five_tools(), pages_of_two()};
  auto const cursor = cursor_of(bench.modern("prompts/list").result());

  EXPECT_EQ(bench.modern("tools/list", with_cursor(cursor)).error_code(), code::kInvalidParams);
}

TEST(ListTools, RefusesACursorFromBeforeTheListChanged) {
  McpBench bench{five_tools(), pages_of_two()};
  auto const cursor = cursor_of(bench.modern("tools/list").result());

  auto changed = five_tools();
  changed.add(named("f"));
  bench.server().replace_registry(changed.build().value());
  bench.settle();

  EXPECT_EQ(bench.modern("tools/list", with_cursor(cursor)).error_code(), code::kInvalidParams);
}

TEST(ListTools, ShowsEachCallerTheToolsMeantForIt) {
  auto const visible_to = [](std::string_view who) {
    return json::Object{{"ui", json::Object{{"visibility", json::Array{who}}}}};
  };
  Registry::Builder builder;
  builder.add(named("a", visible_to("app"))).add(named("m", visible_to("model"))).add(named("x"));
  McpBench bench{std::move(builder)};

  EXPECT_EQ(names_of(bench.modern("tools/list").result()), "amx");
  EXPECT_EQ(
      names_of(bench.modern("tools/list", R"({"_meta":{"sallyport/caller":"app"}})").result()),
      "ax");
  EXPECT_EQ(
      names_of(bench.modern("tools/list", R"({"_meta":{"sallyport/caller":"model"}})").result()),
      "mx");
  // What the credentials prove outranks what the request says of itself.
  bench.principal.kind = CallerKind::Model;
  EXPECT_EQ(
      names_of(bench.modern("tools/list", R"({"_meta":{"sallyport/caller":"app"}})").result()),
      "mx");
}

TEST(ListTools, MayBeSharedOnlyWhenEverybodySeesTheSame) {
  McpBench bench{five_tools()};

  EXPECT_EQ(bench.modern("tools/list").result().at("cacheScope"), "public");
  EXPECT_EQ(bench.modern("tools/list", R"({"_meta":{"sallyport/caller":"app"}})")
                .result()
                .at("cacheScope"),
            "private");
  bench.principal.id = "alice";
  EXPECT_EQ(bench.modern("tools/list").result().at("cacheScope"), "private");
}

TEST(ListTools, HasNothingOfTheModernEraInAnOlderOne) {
  McpBench bench{five_tools()};
  auto const session = bench.open(Revision::V2025_11_25);

  auto const result = bench.legacy(session, "tools/list").result();

  EXPECT_EQ(result.size(), 1U);
  EXPECT_EQ(names_of(result), "abcde");
}

TEST(ListTools, LeavesOutWhatIsNotListedAndGivesNoCursorToAnEmptyPage) {
  Registry::Builder builder;
  for (auto const* const name : {"a", "b", "c", "d", "e"}) {
    auto tool = named(name);
    tool.listed = name < std::string_view{"c"};
    builder.add(std::move(tool));
  }
  McpBench bench{std::move(builder), pages_of_two()};

  auto const page = bench.modern("tools/list", "{}").result();
  EXPECT_EQ(names_of(page), "ab");
  EXPECT_EQ(cursor_of(page), "");
  auto const called = bench.modern("tools/call", R"({"name":"e"})").result();
  EXPECT_FALSE(called.contains("isError"));
}

}  // namespace
}  // namespace sallyport::mcp
