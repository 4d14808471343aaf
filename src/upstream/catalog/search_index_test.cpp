#include "src/upstream/catalog/search_index.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace sallyport::upstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SearchWords, AreThoseThatPeopleWouldType) {
  EXPECT_THAT(search_words("mcp_github_listPullRequests"),
              ElementsAre("mcp", "github", "list", "pull", "request"));
  EXPECT_THAT(search_words("HTTPServer x2, a-b.c"), ElementsAre("httpserver", "x2", "a", "b", "c"));
  EXPECT_THAT(search_words("address gas bus"), ElementsAre("address", "gas", "bus"));
  EXPECT_THAT(search_words("Caf\xC3\xA9 au lait"), ElementsAre("caf\xC3\xA9", "au", "lait"));
  EXPECT_THAT(search_words("\xE6\xA4\x9C\xE7\xB4\xA2x"),  // two ideographs
              ElementsAre("\xE6\xA4\x9C", "\xE6\xA4\x9C\xE7\xB4\xA2", "x"));
  EXPECT_THAT(search_words(" ,;"), IsEmpty());
  EXPECT_THAT(search_words(""), IsEmpty());
}

mcp::Tool offered(std::string name, std::string description, json::Object properties = {}) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema["properties"] = std::move(properties);
  tool.foreign = true;
  return tool;
}

std::shared_ptr<mcp::Registry const> registry_of(std::vector<mcp::Tool> tools) {
  mcp::Registry::Builder builder;
  for (auto& tool : tools) builder.add(std::move(tool));
  return builder.build().value();
}

class Searched {
 public:
  explicit Searched(std::vector<mcp::Tool> tools) : registry_{registry_of(std::move(tools))} {}

  std::vector<std::string> names(std::string_view query) const {
    std::vector<std::string> found;
    for (auto const i : index_.find(*registry_, query, [](auto const&) { return true; })) {
      found.push_back(registry_->tools()[i].tool.name);
    }
    return found;
  }

 private:
  std::shared_ptr<mcp::Registry const> registry_;
  SearchIndex index_{registry_};
};

class SearchIndexTest : public testing::Test {
 protected:
  Searched index_{{
      offered("mcp_git_commit", "Records changes. See also weather reports."),
      offered("mcp_weather_forecast", "Tells what the days to come bring."),
      offered("mcp_weather_history", "What it was like.", {{"city", json::Object{}}}),
      offered("mcp_files_read", "Reads a file from the disk of this machine."),
      offered("mcp_jp_search", "\xE6\xA4\x9C\xE7\xB4\xA2\xE3\x83\x84\xE3\x83\xBC\xE3\x83\xAB"),
  }};
};

TEST_F(SearchIndexTest, PutsNamesBeforeDescriptions) {
  EXPECT_THAT(index_.names("weather"),
              ElementsAre("mcp_weather_history", "mcp_weather_forecast", "mcp_git_commit"));
  EXPECT_THAT(index_.names("Weather in a city").front(), "mcp_weather_history");
  EXPECT_THAT(index_.names("read files"), ElementsAre("mcp_files_read"));
}

TEST_F(SearchIndexTest, FindsByArgumentsByBeginningsAndInOtherScripts) {
  EXPECT_THAT(index_.names("cities city"), ElementsAre("mcp_weather_history"));
  EXPECT_THAT(index_.names("foreca"), ElementsAre("mcp_weather_forecast"));
  EXPECT_THAT(index_.names("\xE6\xA4\x9C\xE7\xB4\xA2"), ElementsAre("mcp_jp_search"));
  EXPECT_THAT(index_.names("nonsense"), IsEmpty());
}

TEST_F(SearchIndexTest, WithoutWordsGivesAllInTheirOrder) {
  EXPECT_EQ(index_.names("").size(), 5U);
  EXPECT_EQ(index_.names("").front(), "mcp_git_commit");
  EXPECT_THAT(Searched{{}}.names("weather"), IsEmpty());
}

TEST(SearchIndex, KnowsItsRegistryAndDoesNotKeepIt) {
  auto registry = registry_of({offered("a", "")});
  auto const other = registry_of({offered("a", "")});
  std::weak_ptr<mcp::Registry const> const watched{registry};
  SearchIndex const index{registry};

  EXPECT_TRUE(index.is_of(registry));
  EXPECT_FALSE(index.is_of(other));
  registry.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(index.is_of(nullptr));
}

TEST(SearchIndex, IsQuickAmongTenThousandTools) {
  std::vector<mcp::Tool> tools;
  for (int i = 0; i < 10'000; ++i) {
    tools.push_back(offered(fmt::format("mcp_s{}_do_{}", i % 100, i),
                            fmt::format("Does the thing number {} with great care.", i)));
  }
  Searched const index{std::move(tools)};

  auto const start = std::chrono::steady_clock::now();
  EXPECT_EQ(index.names("thing 7777").front(), "mcp_s77_do_7777");
  EXPECT_EQ(index.names(std::string(100'000, 'x')).size(), 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{5});
}

}  // namespace
}  // namespace sallyport::upstream
