// SQLite as values: a database and its statements, closed by their destructors, failures as Result.
//
// One thread at a time. A text or blob that is bound must live until the statement is reset.
#pragma once

#include "src/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sallyport::store {

// What kind of failure it was, for those who can do something about it.
enum class Failure { None, Full, Busy, Io, Corrupt, NotADatabase, CannotOpen, Other };

class Statement {
 public:
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);
  void bind_blob(int index, std::string_view bytes);
  void bind_null(int index);

  // True: there is a row to read. Fails like every function of Database.
  Result<bool> step();
  // For a statement without rows: steps to its end and makes it ready for the next use.
  Result<void> run();
  void reset();

  // Of the row at hand; views are good until the next step() or reset().
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_{statement} {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Mode { Create, ReadOnly };

  // A new file can be read and written by its owner alone. Statements must not outlive the
  // database.
  static Result<Database> open(std::filesystem::path const& file, Mode mode);

  // Every failure is LimitExceeded (full), DeadlineExceeded (locked), InvalidInput (not a database,
  // damaged, cannot be opened) or Internal; its detail is SQLite's code and text.
  Result<void> execute(char const* sql);
  Result<Statement> prepare(std::string_view sql);
  Result<std::int64_t> number(std::string_view sql);  // the first column of the first row, else 0

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  explicit Database(sqlite3* database) : database_{database} {}

  std::unique_ptr<sqlite3, Close> database_;
};

// The kind of failure behind an Error that came from here.
Failure failure_of(Error const& error) noexcept;

}  // namespace sallyport::store
