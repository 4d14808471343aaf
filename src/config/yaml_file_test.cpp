#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(YamlFile, SetsValuesOfEveryType) {
  auto const loaded = load_text(R"(
server:
  name: door
  version: 1.0
listen:
  port: 8080
  allowed_origins: [https://a.example, "https://b.example:8443"]
limits:
  body_bytes: 8MiB
  call_timeout: 90s
  sessions: 5
auth:
  jwt:
    issuer: https://issuer.example
    audiences: [https://door.example/mcp]
    jwks_url: https://issuer.example/keys
    leeway: 2m
fetch:
  enable_sse: true
log:
  level: debug
  format: json
)");

  EXPECT_THAT(problems(loaded), ElementsAre());
  auto const& settings = loaded.settings;
  EXPECT_EQ(settings.server.name, "door");
  EXPECT_EQ(settings.server.version, "1.0");
  EXPECT_EQ(settings.listen.port, 8080);
  EXPECT_THAT(settings.listen.allowed_origins,
              ElementsAre("https://a.example", "https://b.example:8443"));
  EXPECT_EQ(settings.limits.http.body_bytes, 8U * 1024 * 1024);
  EXPECT_EQ(settings.limits.call_timeout, std::chrono::seconds{90});
  EXPECT_EQ(settings.limits.sessions, 5U);
  ASSERT_TRUE(settings.auth.jwt);
  EXPECT_EQ(settings.auth.jwt->leeway, std::chrono::minutes{2});
  EXPECT_EQ(settings.auth.jwt->algorithms.size(), 3U);
  EXPECT_TRUE(settings.fetch.enable_sse);
  EXPECT_EQ(settings.log.level, log::Level::Debug);
  EXPECT_EQ(settings.log.format, log::Format::Json);
}

TEST(YamlFile, AnEmptyFileChangesNothing) {
  for (auto const* text : {"", "# only a comment\n", "---\n", "listen:\n", "{}"}) {
    auto const loaded = load_text(text);

    EXPECT_THAT(problems(loaded), ElementsAre()) << text;
    EXPECT_EQ(loaded.settings.listen.port, 3000) << text;
  }
}

TEST(YamlFile, ReportsEveryProblemWithLineAndColumn) {
  auto const loaded = load_text(R"(server:
  nmae: door
listen:
  port: 70000
  host: [a, b]
  allowed_origins: https://a.example
  port: 80
limits:
  call_timeout: 15
log:
  level: loud
prot: 1
)");

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("2:3: server.nmae: unknown key (did you mean server.name?)",
                  "4:9: listen.port: must be 0 to 65535",
                  "5:9: listen.host: must be one text, not a list",
                  "6:20: listen.allowed_origins: must be a list, such as [a, b]",
                  "7:3: listen.port: is there twice",
                  "9:17: limits.call_timeout: must be a duration such as 250ms, 15s, 5m or 1h, "
                  "1ms to 1d",
                  "11:10: log.level: must be one of trace, debug, info, warn, error, off",
                  "12:1: prot: unknown key"));
}

TEST(YamlFile, SuggestsTheSectionWhereTheKeyLives) {
  EXPECT_THAT(problems(load_text("port: 80\n")),
              ElementsAre("1:1: port: unknown key (did you mean listen.port?)"));
  EXPECT_THAT(problems(load_text("lisetn:\n  port: 80\n")),
              ElementsAre("1:1: lisetn: unknown key (did you mean listen?)"));
  EXPECT_THAT(problems(load_text("auth:\n  jwt:\n    isuer: x\n")),
              ElementsAre("3:5: auth.jwt.isuer: unknown key (did you mean auth.jwt.issuer?)"));
}

TEST(YamlFile, SaysWhatIsThereInsteadOfASectionOrAValue) {
  EXPECT_THAT(problems(load_text("listen: 80\n")),
              ElementsAre("1:9: listen: must be a section with keys, but there is a value"));
  EXPECT_THAT(problems(load_text("listen:\n  port:\n")),
              ElementsAre("2:3: listen.port: must have a value, but there is nothing"));
  EXPECT_THAT(problems(load_text("listen:\n  port: {a: 1}\n")),
              ElementsAre("2:9: listen.port: must have a value, but there is a section"));
  EXPECT_THAT(problems(load_text("- a\n")),
              ElementsAre("1:1: must be a map of sections, but there is a list"));
  EXPECT_THAT(problems(load_text("listen:\n  [a, b]: 1\n")),
              ElementsAre("2:3: listen: a key must be a plain text"));
}

TEST(YamlFile, PointsAtWhatIsNotYaml) {
  EXPECT_THAT(problems(load_text("listen:\n  port: [1, 2\nlog: x\n")),
              ElementsAre(StartsWith("3:")));
  EXPECT_THAT(problems(load_text("a: 1\n---\nb: 2\n")),
              ElementsAre(HasSubstr("must be one YAML document")));
}

TEST(YamlFile, DoesNotQuoteWhatIsNotYaml) {
  EXPECT_THAT(problems(load_text("state_key: \"abc\\qdef\"\n")),
              ElementsAre("1:18: is not YAML: unknown escape character"));
  EXPECT_THAT(problems(load_text("state_key: *abc\n")),
              ElementsAre("1:12: is not YAML: a value that starts with * must be quoted"));
}

TEST(YamlFile, SurvivesHostileText) {
  auto const deep = load_text(std::string(100'000, '['));
  auto const large = load_text(std::string(1024 * 1024 + 1, '#'));
  auto const looped = load_text("listen: &a\n  port: *a\n");

  EXPECT_EQ(deep.problems.size(), 1U);
  EXPECT_THAT(problems(large), ElementsAre(HasSubstr("is larger than 1 MiB")));
  EXPECT_EQ(looped.problems.size(), 1U);
}

TEST(YamlFile, ThatCannotBeReadIsAProblem) {
  auto const missing = load({"/nonexistent/sallyport.yaml", {}, {}}, Purpose::Serve);
  auto const folder = load({"/", {}, {}}, Purpose::Serve);

  ASSERT_EQ(missing.problems.size(), 1U);
  EXPECT_EQ(to_string(missing.problems[0]),
            "/nonexistent/sallyport.yaml: cannot be read: No such file or directory");
  ASSERT_EQ(folder.problems.size(), 1U);
  EXPECT_EQ(to_string(folder.problems[0]), "/: cannot be read: Is a directory");
}

TEST(YamlFile, AnEmptyAuthSectionIsNotTakenForProtection) {
  EXPECT_FALSE(load_text("auth:\n  jwt:\n").good());
  EXPECT_FALSE(load_text("auth:\n  forward: {}\n").good());
  EXPECT_FALSE(load_text("auth:\n  tokens: []\n").good());
  EXPECT_FALSE(load_text("auth:\n  tokens:\n").good());
}

}  // namespace
}  // namespace sallyport::config
