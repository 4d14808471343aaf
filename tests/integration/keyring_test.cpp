// The key of the grants in GNOME Keyring, with the built program beside us.
#include "src/app/servers/grants.hpp"

#include "tests/integration/keyring_fixture.hpp"

#include <gmock/gmock.h>

#include <set>

namespace sallyport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

oauth::upstream::ServerSettings const kDocs{.id = "docs", .url = "https://docs.example/mcp"};

oauth::upstream::Grant grant_for_docs() {
  oauth::upstream::Grant grant;
  grant.server_url = kDocs.url;
  grant.header_value = Secret{"Bearer hunter2"};
  return grant;
}

std::size_t count(std::string const& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class KeyringGrants : public KeyringBus {
 protected:
  config::GatewaySettings settings() const {
    config::GatewaySettings settings;
    settings.grants_file = folder_.file("grants.db");
    settings.grants_key_keyring = "grants";
    return settings;
  }

  void store_grant() const {
    auto store = app::servers::open_grants(settings());
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->put(kDocs, grant_for_docs()));
  }

  bool reads_grant() const {
    auto store = app::servers::open_grants(settings());
    if (!store) return false;
    auto const grant = (*store)->grant(kDocs);
    return grant && *grant && (*grant)->header_value.reveal() == "Bearer hunter2";
  }

  // `words` are those of the command line, after the program; `variables` are a shell's.
  Outcome sallyport(std::string const& words, std::string const& variables = {}) const {
    auto const file =
        folder_.write("settings.yaml",
                      "mcp_servers: [{name: docs, url: \"https://docs.example/mcp\"}]\n"
                      "gateway: {grants_key_keyring: grants, grants_file: " +
                          folder_.file("grants.db") + "}\n");
    return shell(variables + " " SALLYPORT_PROGRAM " " + words + " --config " + file);
  }
};

TEST_F(KeyringGrants, AreSealedWithAKeyThatIsMadeInTheKeyring) {
  start_keyring(Keyring::Unlocked);

  store_grant();

  auto const key = secret_tool("lookup", "grants");
  EXPECT_EQ(key.code, 0);
  EXPECT_THAT(key.output, MatchesRegex("[0-9a-f]{64}\n?"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("grants.key")));
  EXPECT_TRUE(reads_grant());
}

TEST_F(KeyringGrants, AreReadByAnotherProcessAfterTheKeyringWasStartedAnew) {
  start_keyring(Keyring::Unlocked);
  store_grant();
  stop_keyring();
  start_keyring(Keyring::Unlocked);

  auto const signed_out = sallyport("servers logout docs");
  auto const again = sallyport("servers logout docs");

  EXPECT_EQ(signed_out.output, "Signed out of docs.\n");
  EXPECT_EQ(again.output, "Nobody is signed in to docs.\n");
}

TEST_F(KeyringGrants, HaveOneKeyAlthoughSeveralMakeItAtOnce) {
  start_keyring(Keyring::Unlocked);
  std::vector<Result<Secret>> keys(6, fail(Errc::Internal, "never asked"));
  std::vector<std::thread> makers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    makers.emplace_back([&key = keys[i], i] {
      auto keyring = store::Keyring::open({});
      if (keyring) key = keyring->find_or_add("shared", Secret{std::string(32, char('a' + i))});
    });
  }
  for (auto& maker : makers) maker.join();

  std::set<std::string> different;
  for (auto const& key : keys) different.insert(key ? key->reveal() : key.error().message);
  EXPECT_THAT(different, SizeIs(1));
  EXPECT_EQ(secret_tool("lookup", "shared").output, *different.begin() + "\n");
  EXPECT_EQ(count(secret_tool("search --all", "shared").output, "secret = "), 1U);
}

TEST_F(KeyringGrants, AreNotForgottenWhereTheKeyWasTakenAway) {
  start_keyring(Keyring::Unlocked);
  store_grant();
  auto const key = secret_tool("lookup", "grants").output;
  ASSERT_EQ(secret_tool("clear", "grants").code, 0);

  auto const refused = sallyport("servers logout docs");

  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("The keyring has no entry grants, but there are grants"),
                    HasSubstr("secret-tool store")));
  EXPECT_NE(secret_tool("lookup", "grants").code, 0);  // no other was made in its place
  // As the message says; the end of the line is no part of the key.
  auto const file = folder_.write("key", key.substr(0, 64) + "\n");
  ASSERT_EQ(
      shell("secret-tool store --label=Sallyport application sallyport entry grants < " + file)
          .code,
      0);
  EXPECT_TRUE(reads_grant());
}

TEST_F(KeyringGrants, AreClosedWhileTheKeyringIsLockedAndCannotAsk) {
  start_keyring(Keyring::Unlocked);
  store_grant();
  stop_keyring();
  start_keyring(Keyring::Locked);

  auto const refused = sallyport("servers logout docs");

  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("The keyring is locked: unlock it in the window that it opens."),
                    HasSubstr("The keyring is locked, and its question was dismissed"),
                    HasSubstr("gateway.grants_key_file")));
}

TEST_F(KeyringGrants, KeepTheServerFromStartingWhereThereIsNoKeyring) {
  auto const served = sallyport("serve --port 0");

  EXPECT_EQ(served.code, 2);
  EXPECT_THAT(served.output,
              AllOf(HasSubstr("Nothing on the session bus offers org.freedesktop.secrets."),
                    HasSubstr("gateway.grants_key_file")));
}

TEST_F(KeyringGrants, SayWhereABusWasLookedFor) {
  use_bus("unix:path=" + folder_.file("nowhere"));

  auto const refused = sallyport("servers logout docs");

  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("The session bus cannot be used: No such file"));
}

TEST_F(KeyringGrants, RefuseAKeyThatIsTooShortWithoutRepeatingIt) {
  start_keyring(Keyring::Unlocked);
  ASSERT_EQ(
      shell("printf hunter2 | secret-tool store --label=x application sallyport entry grants").code,
      0);

  auto const refused = app::servers::open_grants(settings());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::InvalidInput);
  EXPECT_THAT(refused.error().message + refused.error().detail, Not(HasSubstr("hunter2")));
}

TEST_F(KeyringGrants, AreServedWithAKeyThatNoLogShows) {
  start_keyring(Keyring::Unlocked);
  store_grant();
  auto const key = secret_tool("lookup", "grants").output.substr(0, 64);
  ASSERT_EQ(key.size(), 64U);

  auto const out =
      sallyport("servers logout docs", "SYSTEMD_LOG_LEVEL=debug SALLYPORT_LOG_LEVEL=trace");

  EXPECT_THAT(out.output, AllOf(HasSubstr("Signed out of docs."), Not(HasSubstr(key))));
}

}  // namespace
}  // namespace sallyport::test
