#include "src/app/js_program.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sallyport::app {
namespace {

using testing::HasSubstr;

std::string make_file(std::string const& path, bool runs) {
  std::ofstream{path} << "#!/bin/sh\n";
  using std::filesystem::perms;
  std::filesystem::permissions(path, runs ? perms::owner_all : perms::owner_read);
  return path;
}

TEST(JsProgram, IsTheOneThatTheSettingsName) {
  test::TempFolder const folder;
  auto const other = make_file(folder.file("other"), true);
  make_file(folder.file("sallyport-js"), true);

  EXPECT_EQ(find_js_program(other, {folder.path()}).value(), other);
}

TEST(JsProgram, ThatIsNamedButIsNoneIsNotReplacedByAnother) {
  test::TempFolder const folder;
  make_file(folder.file("sallyport-js"), true);

  for (auto const& named :
       {folder.file("none"), folder.path(), make_file(folder.file("x"), false)}) {
    auto const found = find_js_program(named, {folder.path()});
    ASSERT_FALSE(found) << named;
    EXPECT_EQ(found.error().code, Errc::NotFound);
    EXPECT_THAT(found.error().message, HasSubstr("js.program"));
  }
}

TEST(JsProgram, IsLookedForInFoldersInOrder) {
  test::TempFolder const first;
  test::TempFolder const second;
  auto const path = make_file(second.file("sallyport-js"), true);
  std::vector<std::string> const folders{first.path(), second.path()};

  EXPECT_EQ(find_js_program("", folders).value(), path);
  auto const none = find_js_program("", {folders[0]});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("there is no sallyport-js in " + folders[0]));
}

TEST(JsProgram, IsLookedForBesideThisProgram) {
  auto const self = std::filesystem::read_symlink("/proc/self/exe").parent_path();

  EXPECT_EQ(js_program_folders().front(), self.string());
}

}  // namespace
}  // namespace sallyport::app
