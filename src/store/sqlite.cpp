#include "src/store/sqlite.hpp"

#include <fmt/format.h>

#include <cctype>
#include <sqlite3.h>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace sallyport::store {
namespace {

Failure kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return Failure::None;
    case SQLITE_FULL: return Failure::Full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Failure::Busy;
    case SQLITE_IOERR: return Failure::Io;
    case SQLITE_CORRUPT: return Failure::Corrupt;
    case SQLITE_NOTADB: return Failure::NotADatabase;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY: return Failure::CannotOpen;
    default: return Failure::Other;
  }
}

struct Wording {
  Errc code;
  char const* message;
};

Wording wording_of(Failure failure) {
  switch (failure) {
    case Failure::Full: return {Errc::LimitExceeded, "The disk or the database is full."};
    case Failure::Busy:
      return {Errc::DeadlineExceeded, "The database is locked by another program."};
    case Failure::Io: return {Errc::Internal, "The database could not be read or written."};
    case Failure::Corrupt: return {Errc::InvalidInput, "The database file is damaged."};
    case Failure::NotADatabase: return {Errc::InvalidInput, "The file is not an SQLite database."};
    case Failure::CannotOpen:
      return {Errc::InvalidInput, "The database file cannot be opened with these rights."};
    case Failure::None:
    case Failure::Other: break;
  }
  return {Errc::Internal, "The database refused a statement."};
}

Error error_of(int code, char const* text) {
  auto const wording = wording_of(kind_of(code));
  return fail(wording.code, wording.message, fmt::format("SQLite {}: {}", code, text));
}

Error error_of(sqlite3* database) {
  return error_of(sqlite3_extended_errcode(database), sqlite3_errmsg(database));
}

std::string uri_of(std::filesystem::path const& file, char const* parameters) {
  std::string uri = "file:";
  for (char const c : std::filesystem::absolute(file).string()) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain = std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", unsigned{byte});
  }
  return uri + parameters;
}

}  // namespace

Failure failure_of(Error const& error) noexcept {
  constexpr std::string_view kPrefix = "SQLite ";
  std::string_view const detail = error.detail;
  if (!detail.starts_with(kPrefix)) return Failure::Other;
  int code = 0;
  for (auto const c : detail.substr(kPrefix.size())) {
    if (c < '0' || c > '9' || code > 1'000'000) break;
    code = code * 10 + (c - '0');
  }
  return kind_of(code);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
}

void Statement::bind(int index, std::string_view text) {
  // A view without data would bind NULL.
  auto const* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_blob(int index, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC);
}

void Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
}

Result<bool> Statement::step() {
  int const code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(sqlite3_db_handle(statement_.get()));
}

Result<void> Statement::run() {
  auto const done = step();
  // The failure was taken before: reset() would give it back as its own.
  reset();
  if (!done) return done.error();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  auto const* data = reinterpret_cast<char const*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::blob(int column) const {
  auto const* data = static_cast<char const*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Database::Close::operator()(sqlite3* database) const noexcept {
  sqlite3_close_v2(database);
}

Result<Database> Database::open(std::filesystem::path const& file, Mode mode) {
  auto const attempt = [](std::string const& uri, int flags) -> Result<Database> {
    sqlite3* raw = nullptr;
    int const code =
        sqlite3_open_v2(uri.c_str(), &raw, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database{raw};
    if (code != SQLITE_OK) return error_of(code, raw == nullptr ? "" : sqlite3_errmsg(raw));
    sqlite3_extended_result_codes(raw, 1);
    // The file is opened by the first statement; better to hear of trouble here.
    SP_CHECK(database.number("SELECT count(*) FROM sqlite_master"));
    return database;
  };
  if (mode == Mode::Create) {
    // SECURITY: SQLite gives its journals the rights of the database, so no file is ever wider.
    auto const before = umask(S_IRWXG | S_IRWXO);
    auto database = attempt(uri_of(file, ""), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    umask(before);
    return database;
  }
  auto database = attempt(uri_of(file, ""), SQLITE_OPEN_READONLY);
  std::error_code ignored;
  if (database || failure_of(database.error()) != Failure::CannotOpen ||
      std::filesystem::exists(file.string() + "-wal", ignored)) {
    return database;
  }
  // A log in WAL mode on a medium that cannot be written: with no WAL beside it, the file is all.
  return attempt(uri_of(file, "?immutable=1"), SQLITE_OPEN_READONLY);
}

Result<void> Database::execute(char const* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error_of(database_.get());
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  int const code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) return error_of(database_.get());
  return Statement{raw};
}

Result<std::int64_t> Database::number(std::string_view sql) {
  SP_TRY(auto statement, prepare(sql));
  SP_TRY(bool const row, statement.step());
  return row ? statement.integer(0) : 0;
}

}  // namespace sallyport::store
