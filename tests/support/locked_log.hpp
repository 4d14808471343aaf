// An audit log that nobody can write for a while.
#pragma once

#include <gtest/gtest.h>

#include <sqlite3.h>
#include <string>

namespace sallyport::test {

// Another program that holds the write lock of the log.
class LockedLog {
 public:
  explicit LockedLog(std::string const& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
    sqlite3_busy_timeout(database_, 2000);
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~LockedLog() { sqlite3_close(database_); }
  LockedLog(LockedLog const&) = delete;
  LockedLog& operator=(LockedLog const&) = delete;

 private:
  sqlite3* database_{nullptr};
};

}  // namespace sallyport::test
