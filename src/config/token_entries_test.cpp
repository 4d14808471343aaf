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
using testing::Not;

constexpr auto* kToken = "a-token-that-is-long-enough";

TEST(TokenEntries, TakeTheTokenFromTheFileTheEnvironmentOrAnotherFile) {
  TemporaryFile const secret{"token-from-a-file-0123\nignored\n"};
  auto const loaded = load_text(
      "auth:\n  tokens:\n"
      "    - principal: alice\n      token: a-token-that-is-long-enough\n"
      "      scopes: [read, write]\n      caller: app\n"
      "    - principal: bob\n      token_env: SALLYPORT_BOBS_TOKEN\n      caller: model\n"
      "    - principal: carol\n      token_file: " +
          secret.path() + "\n",
      {{"SALLYPORT_BOBS_TOKEN", "token-from-a-variable"}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  auto const& tokens = loaded.settings.auth.tokens;
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].principal, "alice");
  EXPECT_TRUE(tokens[0].token.matches(kToken));
  EXPECT_THAT(tokens[0].scopes, ElementsAre("read", "write"));
  EXPECT_EQ(tokens[0].kind, CallerKind::App);
  EXPECT_TRUE(tokens[1].token.matches("token-from-a-variable"));
  EXPECT_EQ(tokens[1].kind, CallerKind::Model);
  EXPECT_TRUE(tokens[2].token.matches("token-from-a-file-0123"));
  EXPECT_EQ(tokens[2].kind, CallerKind::Unknown);
}

TEST(TokenEntries, ReportWhatIsWrongWithEachOfThem) {
  auto const loaded = load_text(R"(auth:
  tokens:
    - principal: alice
    - token: a-token-that-is-long-enough
    - principal: bob
      token: a-token-that-is-long-enough
      token_env: HOME
    - principal: carol
      tokne: x
    - principal: dave
      token_env: NOT_THERE
    - principal: erin
      token: a-token-that-is-long-enough
      caller: robot
    - just a text
)",
                                {{"HOME", "/somewhere/far/away"}});

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("3:7: auth.tokens[0]: must have exactly one of token, token_env and token_file",
                  "4:7: auth.tokens[1].principal: is missing",
                  "5:7: auth.tokens[2]: must have exactly one of token, token_env and token_file",
                  "9:7: auth.tokens[3].tokne: unknown key (did you mean token?)",
                  "11:18: auth.tokens[4].token_env: the variable NOT_THERE is not set",
                  "14:15: auth.tokens[5].caller: must be one of app, model",
                  "15:7: auth.tokens[6]: must have keys such as principal"));
}

TEST(TokenEntries, TwoPrincipalsCannotShareAToken) {
  auto const loaded = load_text(
      "auth:\n  tokens:\n"
      "    - {principal: alice, token: a-token-that-is-long-enough}\n"
      "    - {principal: bob, token: a-token-that-is-long-enough}\n");

  EXPECT_THAT(problems(loaded),
              ElementsAre(HasSubstr("auth.tokens: alice and bob have the same token")));
}

TEST(TokenEntries, ASingleTokenNeedsNoFile) {
  auto const loaded = load_environment({{"SALLYPORT_AUTH_TOKEN", kToken}, {"HOST", "0.0.0.0"}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  ASSERT_EQ(loaded.settings.auth.tokens.size(), 1U);
  EXPECT_EQ(loaded.settings.auth.tokens[0].principal, "default");
  EXPECT_TRUE(loaded.settings.auth.tokens[0].token.matches(kToken));
}

TEST(Secrets, AreReadFromFiles) {
  TemporaryFile const token{"a-token-that-is-long-enough\r\n"};
  TemporaryFile const key{"0123456789abcdef0123456789abcdef"};
  auto const loaded = load_environment(
      {{"SALLYPORT_AUTH_TOKEN_FILE", token.path()}, {"SALLYPORT_STATE_KEY_FILE", key.path()}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  EXPECT_TRUE(loaded.settings.auth.tokens.at(0).token.matches(kToken));
  EXPECT_TRUE(loaded.settings.state_key.matches("0123456789abcdef0123456789abcdef"));
}

TEST(Secrets, ThatAreMissingShortOrGivenTwiceAreProblems) {
  TemporaryFile const empty{""};
  TemporaryFile const brief{"brief\n"};

  EXPECT_THAT(problems(load_environment({{"SALLYPORT_AUTH_TOKEN_FILE", empty.path()}})),
              ElementsAre("env SALLYPORT_AUTH_TOKEN_FILE: auth.token_file: the file is empty"));
  EXPECT_THAT(
      problems(load_environment({{"SALLYPORT_AUTH_TOKEN_FILE", "/nonexistent"}})),
      ElementsAre("env SALLYPORT_AUTH_TOKEN_FILE: auth.token_file: the file cannot be read"));
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_STATE_KEY_FILE", brief.path()}})),
              ElementsAre(HasSubstr("its first line must be at least 32 visible")));
  EXPECT_THAT(problems(load_environment(
                  {{"SALLYPORT_AUTH_TOKEN", kToken}, {"SALLYPORT_AUTH_TOKEN_FILE", brief.path()}})),
              ElementsAre(HasSubstr("cannot be used together with auth.token")));
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_AUTH_TOKEN", ""}})),
              ElementsAre("env SALLYPORT_AUTH_TOKEN: auth.token: is set but empty"));
}

TEST(Secrets, NeverAppearInAProblem) {
  // A secret that is too short, one that is written where a list belongs, and one that YAML takes
  // for an alias.
  for (auto const* text :
       {"state_key: hunter2\n", "state_key: [hunter2]\n", "state_key: *hunter2\n",
        "auth:\n  token: hunter2\n", "auth:\n  tokens:\n    - {principal: a, token: hunter2}\n",
        "auth:\n  tokens:\n    - {principal: a, token: *hunter2}\n", "auth:\n  tokens: hunter2\n",
        "auth:\n  tokens: [hunter2]\n"}) {
    auto const loaded = load_text(text);

    EXPECT_FALSE(loaded.good()) << text;
    EXPECT_THAT(problems(loaded), testing::Each(Not(HasSubstr("hunter2")))) << text;
  }
}

}  // namespace
}  // namespace sallyport::config
