#include "src/config/show.hpp"

#include "src/config/test_load.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_environment;
using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr auto* kSecrets = R"(
state_key: sssssssssssssssssssssssssssssssssssss
auth:
  token: tttttttttttttttttttttttttttttt
  tokens:
    - principal: alice
      token: uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu
      scopes: [read]
      caller: app
)";

TEST(Show, NeverShowsASecret) {
  auto const loaded = load_text(kSecrets);
  ASSERT_THAT(problems(loaded), ElementsAre());

  for (auto const format : {ShowFormat::Yaml, ShowFormat::Json}) {
    auto const text = show(loaded, format);

    for (auto const* secret : {"ssss", "tttt", "uuuu"}) EXPECT_THAT(text, Not(HasSubstr(secret)));
    EXPECT_THAT(text, HasSubstr("****"));
    EXPECT_THAT(text, HasSubstr("alice"));
  }
}

TEST(Show, SaysWhereEachValueCameFrom) {
  auto const loaded =
      load({{}, {{"PORT", "81"}}, {{find_setting("listen.path"), {"/x"}}}}, Purpose::Serve);

  auto const text = show(loaded, ShowFormat::Yaml);

  EXPECT_THAT(text, testing::ContainsRegex("  port: 81 +# env PORT\n"));
  EXPECT_THAT(text, testing::ContainsRegex("  path: \"/x\" +# flag --path\n"));
  EXPECT_THAT(text, testing::ContainsRegex("  loops: 0 +# default\n"));
}

TEST(Show, AsYamlCanBeReadBackAsAFile) {
  auto const loaded = load_environment({
      {"PORT", "81"},
      {"MCP_SERVER_NAME", "a \"quoted\" name # not a comment"},
      {"MCP_FETCH_ALLOWED_SCHEMES", "https"},
      {"SALLYPORT_LIMITS_CALL_TIMEOUT", "90s"},
      {"SALLYPORT_AUTH_JWT_ISSUER", "https://i.example"},
      {"SALLYPORT_AUTH_JWT_AUDIENCES", "a"},
      {"SALLYPORT_AUTH_JWT_JWKS_URL", "https://i.example/keys"},
  });
  ASSERT_THAT(problems(loaded), ElementsAre());

  auto const again = load_text(show(loaded, ShowFormat::Yaml));

  EXPECT_THAT(problems(again), ElementsAre());
  for (auto const& setting : setting_table()) {
    EXPECT_EQ(shown_value(setting, again.settings), shown_value(setting, loaded.settings))
        << setting.key;
  }
}

TEST(Show, MaskedSecretsAreNotTakenForRealOnes) {
  auto const shown = show(load_text(kSecrets), ShowFormat::Yaml);

  EXPECT_EQ(load_text(shown).problems.size(), 3U);
}

TEST(Show, AsJsonHasAValueAndAnOriginForEachKey) {
  auto const loaded = load_environment({{"PORT", "81"}});

  auto const parsed = json::parse(show(loaded, ShowFormat::Json));

  ASSERT_TRUE(parsed);
  auto const& port = parsed->as_object().at("listen.port").as_object();
  EXPECT_EQ(port.at("value").to_number<int>(), 81);
  EXPECT_EQ(port.at("from"), "env PORT");
}

TEST(Show, DoesNotMakeASectionThatIsNotThere) {
  EXPECT_THAT(show(load_environment({}), ShowFormat::Yaml), Not(HasSubstr("jwt")));
}

TEST(Reference, NamesEverySettingWithItsVariableAndFlag) {
  auto const text = reference();

  for (auto const& setting : setting_table()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string{setting.key} + "` |"));
    EXPECT_THAT(text, HasSubstr(environment_name(setting)));
    EXPECT_THAT(text, HasSubstr(flag_name(setting)));
  }
}

}  // namespace
}  // namespace sallyport::config
