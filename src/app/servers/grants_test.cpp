#include "src/app/servers/grants.hpp"

#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace sallyport::app::servers {
namespace {

oauth::upstream::ServerSettings const kServer{.id = "a", .url = "https://a.example/mcp"};

oauth::upstream::Grant some_grant() {
  oauth::upstream::Grant grant;
  grant.server_url = kServer.url;
  grant.header_value = Secret{"Bearer hunter2"};
  return grant;
}

TEST(Grants, AreSealedWithAKeyThatIsMadeBesideThem) {
  test::TempFolder const folder;
  config::GatewaySettings settings;
  settings.grants_file = folder.file("deep/grants.db");
  {
    auto store = open_grants(settings);
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->put(kServer, some_grant()));
  }

  auto again = open_grants(settings);
  ASSERT_TRUE(again);
  auto const grant = (*again)->grant(kServer);
  ASSERT_TRUE(grant && *grant);
  EXPECT_EQ((*grant)->header_value.reveal(), "Bearer hunter2");
  struct stat facts{};
  ASSERT_EQ(stat(folder.file("deep/grants.key").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST(Grants, AreClosedToAnotherKey) {
  test::TempFolder const folder;
  config::GatewaySettings settings;
  settings.grants_file = folder.file("grants.db");
  settings.grants_key = Secret{std::string(32, 'a')};
  {
    auto store = open_grants(settings);
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->put(kServer, some_grant()));
  }
  settings.grants_key = Secret{std::string(32, 'b')};

  auto other = open_grants(settings);
  ASSERT_TRUE(other);
  EXPECT_FALSE(*(*other)->grant(kServer));
  EXPECT_FALSE(std::filesystem::exists(folder.file("grants.key")));
}

TEST(Grants, RefuseAKeyThatOthersMayRead) {
  test::TempFolder const folder;
  config::GatewaySettings settings;
  settings.grants_file = folder.file("grants.db");
  auto const key = folder.write("grants.key", std::string(64, 'a'));
  ASSERT_EQ(chmod(key.c_str(), 0644), 0);

  EXPECT_FALSE(open_grants(settings));
}

}  // namespace
}  // namespace sallyport::app::servers
