#include "src/app/policy_files.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(policy::RegoFiles const& files) {
  std::vector<std::string> names;
  for (auto const& source : files.sources) names.push_back(fs::path{source.name}.filename());
  return names;
}

TEST(PolicyFiles, OfAFolderAreItsPoliciesInOrderAndNothingElse) {
  test::TempFolder const folder;
  for (auto const* const name :
       {"b.rego", "a.rego", "a_test.rego", "notes.txt", "c.rego.bak", "rego", "other.json"}) {
    folder.write(name, "package x");
  }
  folder.write("data.json", R"({"hosts":[]})");
  fs::create_directory(folder.file("below"));
  folder.write("below/c.rego", "package x");

  auto const files = read_policy_files(folder.path());

  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(names_in(*files), ElementsAre("a.rego", "b.rego"));
  EXPECT_EQ(files->data, R"({"hosts":[]})");
}

TEST(PolicyFiles, OfAFolderWithoutPoliciesAreAMistake) {
  test::TempFolder const folder;
  EXPECT_THAT(read_policy_files(folder.path()).error().message, HasSubstr("has no *.rego file"));

  folder.write("notes.txt", "allow := true");
  folder.write("fetch_test.rego", "package x");

  EXPECT_THAT(read_policy_files(folder.path()).error().message, HasSubstr("has no *.rego file"));
}

TEST(PolicyFiles, AreOneFileWhereOneIsNamed) {
  test::TempFolder const folder;
  folder.write("a.rego", "package a");
  folder.write("b.rego", "package b");
  folder.write("data.json", "{}");

  auto const files = read_policy_files(folder.file("b.rego"));

  ASSERT_TRUE(files);
  EXPECT_THAT(names_in(*files), ElementsAre("b.rego"));
  EXPECT_EQ(files->data, "");
}

TEST(PolicyFiles, HaveAnotherRevisionWhenAnyOfThemChanges) {
  test::TempFolder const folder;
  folder.write("a.rego", "package a");
  auto const first = read_policy_files(folder.path())->revision;
  EXPECT_EQ(read_policy_files(folder.path())->revision, first);

  folder.write("data.json", "{}");
  auto const with_data = read_policy_files(folder.path())->revision;
  folder.write("a.rego", "package b");

  EXPECT_NE(with_data, first);
  EXPECT_NE(read_policy_files(folder.path())->revision, with_data);
}

TEST(PolicyFiles, ThatCannotBeReadAreNamed) {
  test::TempFolder const folder;
  folder.write("large.rego", std::string(4UL * 1024 * 1024 + 1, ' '));

  EXPECT_THAT(read_policy_files(folder.file("absent.rego")).error().message,
              HasSubstr("absent.rego: No such file"));
  EXPECT_THAT(read_policy_files(folder.file("large.rego")).error().message,
              HasSubstr("large.rego: is larger than 4 MiB"));
}

TEST(PolicyFiles, AreNamedByUrlsOfThisMachine) {
  EXPECT_EQ(*path_of_file_url("file:///etc/a%20b.rego"), fs::path{"/etc/a b.rego"});
  for (auto const* const url : {"file://elsewhere/etc/a.rego", "https://opa.example/", "a.rego"}) {
    EXPECT_FALSE(path_of_file_url(url)) << url;
  }
}

}  // namespace
}  // namespace sallyport::app
