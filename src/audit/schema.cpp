#include "src/audit/schema.hpp"

namespace sallyport::audit {
namespace {

// The application id is kApplicationId. The row 0 of checkpoint is the head. A call id begins with
// its time, so that the one index also finds ids.
constexpr char const* kTables = R"(
CREATE TABLE record(
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, time INTEGER NOT NULL, principal TEXT NOT NULL,
  tool TEXT NOT NULL, purpose TEXT NOT NULL, hosts TEXT NOT NULL, verdict TEXT NOT NULL,
  status INTEGER NOT NULL, hash BLOB NOT NULL, body TEXT NOT NULL, seal BLOB);
CREATE INDEX record_time ON record(time);
CREATE TABLE checkpoint(
  number INTEGER PRIMARY KEY, kind TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
  time INTEGER NOT NULL, unrecorded INTEGER NOT NULL, key TEXT NOT NULL, signature BLOB NOT NULL);
CREATE VIEW checkpoint_text AS SELECT number, signature,
  'sallyport audit checkpoint 1' || char(10) || 'kind: ' || kind || char(10) || 'seq: ' || seq ||
  char(10) || 'hash: ' || lower(hex(hash)) || char(10) || 'time: ' || time || char(10) ||
  'unrecorded: ' || unrecorded || char(10) || 'key: ' || key AS text FROM checkpoint;
PRAGMA application_id = 1399876705;
PRAGMA user_version = 2;
)";
static_assert(kApplicationId == 1399876705 && kFormatVersion == 2, "as the pragmas say");

}  // namespace

Result<FileKind> file_kind(store::Database& database) {
  SP_TRY(auto const application, database.number("PRAGMA application_id"));
  SP_TRY(auto const tables, database.number("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && tables == 0) return FileKind::Empty;
  if (application != kApplicationId) {
    return fail(Errc::InvalidInput, "The file is a database, but not an audit log of Sallyport.");
  }
  SP_TRY(auto const version, database.number("PRAGMA user_version"));
  if (version == kFormatVersion) return FileKind::Log;
  return fail(Errc::InvalidInput,
              "The audit log has a format of another version of Sallyport; use that version, or "
              "move the file away to begin a new log.");
}

Result<void> create_tables(store::Database& database) {
  return database.execute(kTables);
}

}  // namespace sallyport::audit
