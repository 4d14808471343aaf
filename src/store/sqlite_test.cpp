#include "src/store/sqlite.hpp"

#include "src/base/random_id.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sallyport::store {
namespace {

namespace fs = std::filesystem;

class TemporaryFile {
 public:
  TemporaryFile() : path_{fs::temp_directory_path() / ("sqlite test " + random_id())} {}
  ~TemporaryFile() { fs::remove(path_); }
  fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Database, KeepsTextsBlobsAndNumbers) {
  TemporaryFile const file;
  auto database = Database::open(file.path(), Database::Mode::Create);
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->execute("CREATE TABLE t(a, b, c)"));

  auto insert = database->prepare("INSERT INTO t VALUES(?1, ?2, ?3)");
  ASSERT_TRUE(insert);
  insert->bind(1, std::int64_t{1} << 60);
  insert->bind(2, std::string_view{"a\0b", 3});
  insert->bind_blob(3, "\xFF");
  ASSERT_TRUE(insert->run());

  auto select = database->prepare("SELECT a, b, c FROM t");
  ASSERT_TRUE(select && *select->step());
  EXPECT_EQ(select->integer(0), std::int64_t{1} << 60);
  EXPECT_EQ(select->text(1), (std::string_view{"a\0b", 3}));
  EXPECT_EQ(select->blob(2), "\xFF");
  EXPECT_FALSE(*select->step());
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Database, SaysWhatKindOfFailureItWas) {
  TemporaryFile const file;
  std::ofstream{file.path()} << std::string(5000, 'x');
  auto const garbage = Database::open(file.path(), Database::Mode::Create);
  ASSERT_FALSE(garbage);
  EXPECT_EQ(failure_of(garbage.error()), Failure::NotADatabase);

  auto const absent = Database::open("/nonexistent/file", Database::Mode::ReadOnly);
  ASSERT_FALSE(absent);
  EXPECT_EQ(failure_of(absent.error()), Failure::CannotOpen);
}

TEST(Database, TellsAFullOneFromALockedOne) {
  TemporaryFile const file;
  auto one = Database::open(file.path(), Database::Mode::Create);
  auto two = Database::open(file.path(), Database::Mode::Create);
  ASSERT_TRUE(one && two);
  ASSERT_TRUE(one->execute("CREATE TABLE t(a); PRAGMA max_page_count = 3"));

  auto const full = one->execute("INSERT INTO t VALUES(zeroblob(100000))");
  ASSERT_TRUE(one->execute("BEGIN EXCLUSIVE"));
  auto const locked = two->execute("BEGIN IMMEDIATE");

  ASSERT_TRUE(!full && !locked);
  EXPECT_EQ(failure_of(full.error()), Failure::Full);
  EXPECT_EQ(failure_of(locked.error()), Failure::Busy);
}

}  // namespace
}  // namespace sallyport::store
