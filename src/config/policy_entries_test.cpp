#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_environment;
using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PolicyEntries, AreReadFromTheFile) {
  auto const loaded = load_text(R"(policies:
  fetch:
    mode: any
    policies:
      - url: file:///etc/policies
      - url: https://opa.example
        policy_path: net/out
)");

  ASSERT_THAT(loaded.problems, IsEmpty());
  ASSERT_EQ(loaded.settings.policies.sections.size(), 1U);
  auto const& fetch = loaded.settings.policies.sections.front();
  EXPECT_EQ(fetch.mode, policy::ChainMode::Any);
  EXPECT_EQ(fetch.sources[0].rule, "data.mcp.fetch.allow");
  EXPECT_EQ(fetch.sources[1].policy_path, "net/out");
  EXPECT_THAT(show(loaded, ShowFormat::Json),
              HasSubstr(R"({"url":"https://opa.example","policy_path":"net/out"})"));
}

TEST(PolicyEntries, LetPoliciesSendOnlyWhereTheySaySo) {
  std::string const fetch = "  fetch: {policies: [{url: \"file:///p.rego\"}]}\n";

  EXPECT_FALSE(load_text("policies:\n" + fetch).settings.policies.http_send);
  EXPECT_FALSE(load_text("policies:\n  http_send: false\n" + fetch).settings.policies.http_send);
  auto const on = load_text("policies:\n  http_send: true\n" + fetch);
  EXPECT_THAT(on.problems, IsEmpty());
  EXPECT_TRUE(on.settings.policies.http_send);
  EXPECT_THAT(show(on, ShowFormat::Json), HasSubstr(R"("http_send":true)"));
  EXPECT_THAT(problems(load_text("policies:\n  http_send: 1\n" + fetch)),
              ElementsAre(HasSubstr("`http_send` is true or false.")));
  EXPECT_TRUE(load_environment({{"SALLYPORT_POLICIES_JSON",
                                 R"({"http_send": true,
                                     "fetch": {"policies": [{"url": "file:///p.rego"}]}})"}})
                  .settings.policies.http_send);
}

TEST(PolicyEntries, SayWhatIsWrongAndWhere) {
  auto const loaded = load_text("policies:\n  fetch:\n    policies: []\n");

  EXPECT_THAT(problems(loaded), ElementsAre(HasSubstr("2:3: policies: fetch: `policies` lists")));
}

TEST(PolicyEntries, ComeAsJsonOrInAFileThatIsNamed) {
  std::string const json = R"({"fetch": {"policies": [{"url": "file:///p.rego"}]}})";
  TemporaryFile const file{json};

  for (auto const& text : {json, file.path()}) {
    auto const loaded = load_environment({{"SALLYPORT_POLICIES_JSON", text}});

    EXPECT_THAT(problems(loaded), IsEmpty());
    ASSERT_EQ(loaded.settings.policies.sections.size(), 1U) << text;
    EXPECT_EQ(loaded.settings.policies.sections[0].sources[0].url, "file:///p.rego");
  }
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_POLICIES_JSON", "/nowhere.json"}})),
              ElementsAre(HasSubstr("\"/nowhere.json\" cannot be read")));
}

}  // namespace
}  // namespace sallyport::config
