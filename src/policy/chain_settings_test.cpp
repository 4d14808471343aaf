#include "src/policy/chain_settings.hpp"

#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::policy {
namespace {

using testing::HasSubstr;

Result<ChainSettings> read(std::string_view text) {
  return read_chain_settings(*json::parse(text));
}

std::string refusal(std::string_view text) {
  auto const settings = read(text);
  return settings ? "accepted" : settings.error().message;
}

TEST(ChainSettings, FillInWhatIsNotSaid) {
  auto const settings = read(R"({"fetch": {"policies": [{"url": "file:///p.rego"},
                                                        {"url": "https://opa.example"}]},
                                 "mcp_tools": {"mode": "any",
                                               "policies": [{"url": "http://localhost:8181",
                                                             "policy_path": "x/y"}]}})");

  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->sections.size(), 2U);
  auto const& fetch = settings->sections.front();
  EXPECT_EQ(fetch.name, "fetch");
  EXPECT_EQ(fetch.mode, ChainMode::All);
  EXPECT_EQ(fetch.sources[0].rule, "data.mcp.fetch.allow");
  EXPECT_FALSE(fetch.sources[0].is_remote());
  EXPECT_EQ(fetch.sources[1].policy_path, "mcp/fetch");
  EXPECT_TRUE(fetch.sources[1].is_remote());
  EXPECT_EQ(settings->sections.back().mode, ChainMode::Any);
  EXPECT_EQ(settings->sections.back().sources[0].policy_path, "x/y");
}

TEST(ChainSettings, LetPoliciesSendOnlyWhenTold) {
  std::string const fetch = R"("fetch": {"policies": [{"url": "file:///p.rego"}]}})";

  EXPECT_FALSE(read("{" + fetch)->http_send);
  EXPECT_FALSE(read(R"({"http_send": false, )" + fetch)->http_send);
  EXPECT_TRUE(read(R"({"http_send": true, )" + fetch)->http_send);
  EXPECT_EQ(refusal(R"({"http_send": "yes", )" + fetch), "`http_send` is true or false.");
  EXPECT_EQ(refusal(R"({"http_send": null, )" + fetch), "`http_send` is true or false.");
}

TEST(ChainSettings, HaveARuleAndAPathOfTheirOwnInEachSection) {
  std::pair<char const*, char const*> const cases[] = {{"fetch", "fetch"},
                                                       {"websocket", "websocket"},
                                                       {"mcp_tools", "tools"},
                                                       {"modules", "modules"}};
  for (auto const& [section, package] : cases) {
    auto const settings = read(R"({")" + std::string{section} +
                               R"(": {"policies": [{"url": "file:///p"}, {"url": "http://o"}]}})");

    ASSERT_TRUE(settings) << settings.error().message;
    ASSERT_EQ(settings->sections.size(), 1U) << section;
    EXPECT_EQ(settings->sections.front().mode, ChainMode::All);
    EXPECT_EQ(settings->sections.front().sources[0].rule,
              "data.mcp." + std::string{package} + ".allow");
    EXPECT_EQ(settings->sections.front().sources[1].policy_path, "mcp/" + std::string{package});
  }
}

TEST(ChainSettings, NeverMeanAllowAll) {
  EXPECT_THAT(refusal(R"({"fetch": {"policies": []}})"), HasSubstr("at least one source"));
  EXPECT_THAT(refusal(R"({"fetch": {}})"), HasSubstr("at least one source"));
  EXPECT_THAT(refusal(R"({"fetsh": {"policies": [{"url": "file:///p"}]}})"),
              HasSubstr("no section `fetsh`; known are fetch, websocket, mcp_tools, modules"));
  EXPECT_THAT(refusal(R"({"fetch": {"modes": "all", "policies": [{"url": "file:///p"}]}})"),
              HasSubstr("fetch: there is no `modes` here"));
}

TEST(ChainSettings, NameThePlaceOfAMistake) {
  EXPECT_THAT(refusal("[]"), HasSubstr("must be a section"));
  EXPECT_THAT(refusal(R"({"fetch": []})"), HasSubstr("fetch: "));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": ["file:///p"]}})"),
              HasSubstr("fetch.policies[0]: a source is an object"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": "file:///p"}, {}]}})"),
              HasSubstr("policies[1]: a source needs a `url`"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": "ftp://p"}]}})"), HasSubstr("file:///"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": 5}]}})"), HasSubstr("`url` is a text"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": "file:///p", "policy_path": "a"}]}})"),
              HasSubstr("a file has a `rule`"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": "http://o", "rule": "data.a"}]}})"),
              HasSubstr("an OPA server has a `policy_path`"));
  EXPECT_THAT(refusal(R"({"fetch": {"policies": [{"url": "file:///p", "rule": "allow"}]}})"),
              HasSubstr("begins with \"data.\""));
  EXPECT_THAT(refusal(R"({"fetch": {"mode": "most", "policies": [{"url": "file:///p"}]}})"),
              HasSubstr("`mode` is \"all\" or \"any\", not \"most\""));
}

}  // namespace
}  // namespace sallyport::policy
