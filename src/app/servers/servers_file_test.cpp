#include "src/app/servers/servers_file.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace sallyport::app::servers {
namespace {

using testing::HasSubstr;

std::string text_in(std::filesystem::path const& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

TEST(ServersFile, IsMadeForItsOwnerAlone) {
  test::TempFolder const folder;
  auto const path = std::filesystem::path{folder.file("deep/er")} / "servers.json";
  {
    auto file = ServersFile::open(path);
    ASSERT_TRUE(file);
    file->put("fs", {{"command", "cat"}});
    ASSERT_TRUE(file->save());
  }

  struct stat facts{};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(text_in(path),
            "{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"cat\"\n    }\n  }\n}\n");
}

TEST(ServersFile, KeepsWhatElseIsInIt) {
  test::TempFolder const folder;
  auto const path = folder.write(
      "a.json", R"({"theme": [1, {}], "mcpServers": {"a": {"odd": true}, "b": {"command": "x"}}})");
  {
    auto file = ServersFile::open(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->has("a"));
    EXPECT_TRUE(file->erase("b"));
    EXPECT_FALSE(file->erase("b"));
    file->put("c", {{"url", "https://c.example"}});
    ASSERT_TRUE(file->save());
  }

  EXPECT_EQ(json::to_text(*json::parse(text_in(path))),
            R"({"theme":[1,{}],"mcpServers":{"a":{"odd":true},"c":{"url":"https://c.example"}}})");
}

TEST(ServersFile, IsLeftAloneWhereItCannotBeRead) {
  test::TempFolder const folder;
  for (auto const* text : {"{", "[]", R"({"mcpServers": []})"}) {
    auto const path = folder.write("a.json", text);
    auto const file = ServersFile::open(path);
    ASSERT_FALSE(file) << text;
    EXPECT_THAT(file.error().message, HasSubstr(path));
    EXPECT_EQ(text_in(path), text);
  }
  EXPECT_FALSE(ServersFile::open({}));
}

}  // namespace
}  // namespace sallyport::app::servers
