#include "src/store/private_file.hpp"

#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sys/stat.h>

namespace sallyport::store {
namespace {

TEST(PrivateFile, IsReplacedAsAWholeAndForItsOwnerAlone) {
  test::TempFolder const folder;
  auto const file = folder.write("a", "old");
  ASSERT_EQ(chmod(file.c_str(), 0644), 0);

  ASSERT_TRUE(replace_file(file, "new"));
  EXPECT_EQ(*read_small_file(file, Readers::OwnerOnly), "new");
  ASSERT_TRUE(replace_file(folder.file("b"), "first"));
  EXPECT_EQ(*read_small_file(folder.file("b"), Readers::OwnerOnly), "first");
  auto const entries = std::filesystem::directory_iterator{folder.path()};
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);
}

TEST(PrivateFile, StaysAsItIsWhereItCannotBeReplaced) {
  test::TempFolder const folder;

  EXPECT_FALSE(replace_file(folder.file("nowhere/a"), "new"));
  std::filesystem::create_directories(folder.file("full/b"));
  EXPECT_FALSE(replace_file(folder.file("full"), "new"));
  auto const entries = std::filesystem::directory_iterator{folder.path()};
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

}  // namespace
}  // namespace sallyport::store
