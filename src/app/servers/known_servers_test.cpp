#include "src/app/servers/known_servers.hpp"

#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

namespace sallyport::app::servers {
namespace {

KnownServer seen() {
  return {.where = "https://a.example",
          .tested_at = "1",
          .seen_at = "1",
          .server = "a 1.0",
          .revision = "2026-07-28",
          .tools = {json::Object{{"name", "t"}}}};
}

TEST(KnownServers, KeepWhatWasKnownWhenATestFails) {
  test::TempFolder const folder;
  {
    auto known = KnownServers::open(folder.file("k.json"));
    known.passed("a", seen());
    known.failed("a", "https://a.example", "2", "It is gone.");
    ASSERT_TRUE(known.save());
  }

  auto const known = KnownServers::open(folder.file("k.json"));
  auto const* const a = known.find("a", "https://a.example");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->error, "It is gone.");
  EXPECT_EQ(a->tested_at, "2");
  EXPECT_EQ(a->seen_at, "1");
  EXPECT_EQ(a->server, "a 1.0");
  ASSERT_EQ(a->tools.size(), 1U);
  EXPECT_EQ(a->tools[0].at("name"), "t");
}

TEST(KnownServers, ForgetOneThatIsElsewhereNow) {
  test::TempFolder const folder;
  auto known = KnownServers::open(folder.file("k.json"));
  known.passed("a", seen());

  EXPECT_EQ(known.find("a", "https://b.example"), nullptr);
  known.failed("a", "https://b.example", "2", "No.");
  ASSERT_NE(known.find("a", "https://b.example"), nullptr);
  EXPECT_EQ(known.find("a", "https://b.example")->tools.size(), 0U);
  known.forget("a");
  EXPECT_EQ(known.find("a", "https://b.example"), nullptr);
}

TEST(KnownServers, AreNoneWhereTheFileIsBroken) {
  test::TempFolder const folder;
  auto const file = folder.write("k.json", "{\"servers\": {\"a\": 5, ");

  EXPECT_EQ(KnownServers::open(file).find("a", ""), nullptr);
}

}  // namespace
}  // namespace sallyport::app::servers
