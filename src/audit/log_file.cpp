#include "src/audit/log_file.hpp"

#include "src/audit/schema.hpp"
#include "src/base/random_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::audit {
namespace {

namespace fs = std::filesystem;
using store::Database;

constexpr std::chrono::seconds kOpenPatience{5};
// After a commit. Who can write the file could remove the end of that time unseen, after a crash.
constexpr std::chrono::milliseconds kSignWithin{100};

fs::path beside(fs::path const& log, char const* ending) {
  return fs::path{log.string() + ending};
}

// NORMAL in WAL mode: a commit is with the operating system, the disk hears of it at checkpoints,
// and a power cut loses the latest commits without damage. FULL: with every commit.
Result<void> configure(Database& database, Durability durability) {
  SP_CHECK(database.execute("PRAGMA journal_mode = WAL"));
  SP_CHECK(database.execute(durability == Durability::Power ? "PRAGMA synchronous = FULL"
                                                            : "PRAGMA synchronous = NORMAL"));
  return database.execute(
      "PRAGMA cache_size = -2000; PRAGMA wal_autocheckpoint = 2000;"
      "PRAGMA journal_size_limit = 33554432");
}

// What to do, for who reads the message; the path and the system's reason are in the detail.
Error cannot_open(Error const& reason, fs::path const& file, std::string_view advice) {
  return fail(Errc::InvalidInput,
              fmt::format("The audit log cannot be opened. {} {}", reason.message, advice),
              reason.detail.find(file.string()) != std::string::npos
                  ? reason.detail
                  : fmt::format("{}: {}", file.string(), reason.detail));
}

Result<store::SigningKey> key_of(AuditOptions const& options, FileKind kind) {
  auto const file = options.key_file.empty() ? key_file_of(options.file) : options.key_file;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    if (kind == FileKind::Log) {
      return fail(Errc::InvalidInput,
                  "The key that signed the audit log is missing. Bring it back, or move the log "
                  "away to begin a new one.",
                  file.string());
    }
    auto key = store::SigningKey::create(file);
    if (!key) return cannot_open(key.error(), file, "Check audit.key_file and its folder.");
    return key;
  }
  auto key = store::SigningKey::read(file);
  if (!key) return cannot_open(key.error(), file, "Check the file of its signing key.");
  return key;
}

Result<void> publish(store::PublicKey const& key, fs::path const& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return {};
  return store::write_new_file(file, key.pem());
}

Error not_as_signed(std::string what) {
  return fail(Errc::InvalidInput,
              "The audit log does not end as its signed head says: " + std::move(what) +
                  " Run `sallyport audit verify`; move the file away to begin a new log.");
}

}  // namespace

fs::path key_file_of(fs::path const& log) {
  return beside(log, ".key");
}

fs::path public_key_file_of(fs::path const& log) {
  return beside(log, ".pub");
}

LogFile::LogFile(AuditOptions const& options, store::SigningKey key, Database database,
                 Statements statements)
    : options_{options},
      lock_file_{std::make_unique<fs::path>(beside(options.file, ".lock"))},
      key_{std::move(key)},
      sealer_{key_},
      database_{std::move(database)},
      statements_{std::move(statements)} {}

// SQLite folds its journal in when the last one closes; who opens meanwhile would find it locked.
LogFile::~LogFile() {
  if (!lock_file_ || closing_) return;
  if (auto lock = store::FileLock::take(*lock_file_, kOpenPatience)) closing_ = *std::move(lock);
}

Result<LogFile::Statements> LogFile::prepare(Database& database) {
  SP_TRY(auto begin, database.prepare("BEGIN IMMEDIATE"));
  SP_TRY(auto commit, database.prepare("COMMIT"));
  SP_TRY(auto rollback, database.prepare("ROLLBACK"));
  SP_TRY(auto insert,
         database.prepare("INSERT INTO record(seq, id, time, principal, tool, purpose, hosts, "
                          "verdict, status, hash, body, seal) "
                          "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"));
  SP_TRY(auto add, database.prepare("INSERT INTO checkpoint(kind, seq, hash, time, unrecorded, "
                                    "key, signature) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  SP_TRY(auto set, database.prepare("INSERT OR REPLACE INTO checkpoint(number, kind, seq, hash, "
                                    "time, unrecorded, key, signature) "
                                    "VALUES(0, ?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  SP_TRY(auto last,
         database.prepare("SELECT seq, hash, seal FROM record ORDER BY seq DESC LIMIT 1"));
  return Statements{std::move(begin), std::move(commit), std::move(rollback), std::move(insert),
                    std::move(add),   std::move(set),    std::move(last)};
}

template <class Work>
Result<void> LogFile::transaction(Work const& work) {
  SP_CHECK(statements_.begin.run());
  auto done = has_end_ ? catch_up() : Result<void>{};
  if (done) done = work();
  if (done) done = statements_.commit.run();
  // SQLite may have rolled back by itself; the second time does no harm.
  if (!done) static_cast<void>(statements_.rollback.run());
  return done;
}

Result<LogFile> LogFile::open(AuditOptions const& options) {
  if (options.file.empty()) {
    return fail(Errc::InvalidInput,
                "There is no place for the audit log: neither HOME nor XDG_STATE_HOME nor "
                "STATE_DIRECTORY is set. Name a file with audit.file.");
  }
  auto const advice =
      "Check that the folder of audit.file exists and may be written, or name "
      "another file.";
  if (auto made = store::make_private_directory(options.file.parent_path()); !made) {
    return cannot_open(made.error(), options.file, advice);
  }
  // While opening and closing only: one makes the key and the tables, the others find them.
  auto lock = store::FileLock::take(beside(options.file, ".lock"), kOpenPatience);
  if (!lock) return cannot_open(lock.error(), options.file, advice);
  auto database = Database::open(options.file, Database::Mode::Create);
  if (!database) return cannot_open(database.error(), options.file, advice);
  // Another process may be closing the file right now, which takes it a moment.
  SP_CHECK(database->execute("PRAGMA busy_timeout = 5000"));
  auto const kind = file_kind(*database);
  if (!kind) return cannot_open(kind.error(), options.file, "Name another file with audit.file.");
  SP_TRY(auto key, key_of(options, *kind));
  if (auto done = configure(*database, options.durability); !done) {
    return cannot_open(done.error(), options.file, advice);
  }
  if (*kind == FileKind::Empty) SP_CHECK(create_tables(*database));
  SP_CHECK(publish(key.public_key(), public_key_file_of(options.file)));
  SP_TRY(auto statements, prepare(*database));
  LogFile log{options, std::move(key), *std::move(database), std::move(statements)};
  log.closing_ = *std::move(lock);
  SP_TRY(auto const checkpoints, log.database_.number("SELECT EXISTS(SELECT 1 FROM checkpoint)"));
  SP_TRY(auto const records, log.database_.number("SELECT EXISTS(SELECT 1 FROM record)"));
  // Without either, the program ended between the making of the tables and the first checkpoint.
  if (checkpoints == 0 && records == 0) {
    SP_CHECK(log.create(std::chrono::system_clock::now()));
  } else {
    // In one transaction: another process may be writing.
    SP_CHECK(log.transaction([&] { return log.check_end(); }));
  }
  // From here on: how long a lock of another program is waited for before the log counts as locked.
  SP_CHECK(log.database_.execute("PRAGMA busy_timeout = 250"));
  log.closing_.reset();
  return log;
}

Result<void> LogFile::create(Time now) {
  // Random, so that a record of another log does not fit, even under the same key.
  fill_random(head_.hash.data(), head_.hash.size());
  SP_CHECK(transaction([&]() -> Result<void> {
    SP_CHECK(write_checkpoint(statements_.add_checkpoint, kind::kBegin, head_, now, 0));
    return write_checkpoint(statements_.set_head, kind::kHead, head_, now, 0);
  }));
  has_end_ = true;
  return {};
}

Result<void> LogFile::check_end() {
  SP_TRY(auto const head, read_head());
  SP_TRY(auto const last, read_last());
  if (!last) {
    // Nothing was written yet, or retention removed everything.
    SP_TRY(auto const anchor,
           database_.number("SELECT max(seq) FROM checkpoint WHERE kind IN ('begin', 'cut')"));
    if (anchor != head.at.seq) return not_as_signed("all its records are gone.");
  } else if (last->seq < head.at.seq || (last->seq == head.at.seq && *last != head.at)) {
    return not_as_signed(
        fmt::format("record {} should be the last, and {} is.", head.at.seq, last->seq));
  }
  head_ = last.value_or(head.at);
  has_end_ = true;
  // The program ended before it signed its last records.
  if (head_ != head.at) sign_by_ = Clock::now();
  return {};
}

Result<std::optional<Link>> LogFile::read_last() {
  auto& select = statements_.read_last;
  SP_TRY(bool const found, select.step());
  std::optional<Link> last;
  bool is_sealed = true;
  if (found) {
    last.emplace(Link{.seq = select.integer(0)});
    auto const hash = select.blob(1).substr(0, last->hash.size());
    std::ranges::copy(hash, reinterpret_cast<char*>(last->hash.data()));
    is_sealed = *last == head_ || sealer_.opens(select.blob(2), *last);
  }
  select.reset();
  if (is_sealed) return last;
  return not_as_signed(
      fmt::format("record {} is the last, and it is not sealed with our key.", last->seq));
}

Result<Checkpoint> LogFile::read_head() {
  SP_TRY(auto select, database_.prepare("SELECT kind, seq, hash, time, unrecorded, key, signature "
                                        "FROM checkpoint WHERE number = 0"));
  SP_TRY(bool const found, select.step());
  if (!found) return not_as_signed("the head is missing.");
  Checkpoint head{.kind = std::string{select.text(0)},
                  .at = {.seq = select.integer(1)},
                  .time = select.integer(3),
                  .unrecorded = select.integer(4),
                  .key = std::string{select.text(5)},
                  .signature = std::string{select.blob(6)}};
  if (select.blob(2).size() != head.at.hash.size()) return not_as_signed("its hash is damaged.");
  std::ranges::copy(select.blob(2), reinterpret_cast<char*>(head.at.hash.data()));
  if (head.key != key_.public_key().id()) return not_as_signed("it was signed with another key.");
  if (head.kind != kind::kHead || !key_.public_key().verifies(head.text(), head.signature)) {
    return not_as_signed("its signature is wrong.");
  }
  return head;
}

Result<void> LogFile::catch_up() {
  SP_TRY(auto const last, read_last());
  if (last) {
    head_ = *last;
    return {};
  }
  // No record yet, or the retention of another process removed them all, and signed the head.
  SP_TRY(auto const head, read_head());
  head_ = head.at;
  return {};
}

Result<void> LogFile::append(std::span<StoredRecord const* const> records, Time now) {
  Link end;
  auto const count = static_cast<std::int64_t>(records.size());
  bool const checkpoint =
      since_checkpoint_ + count >= static_cast<std::int64_t>(options_.checkpoint_every);
  bool const sign = checkpoint || (sign_by_ && Clock::now() >= *sign_by_);
  SP_CHECK(transaction([&]() -> Result<void> {
    end = head_;
    SP_CHECK(insert_all(records, end));
    if (checkpoint) {
      SP_CHECK(write_checkpoint(statements_.add_checkpoint, kind::kEvery, end, now, 0));
    }
    if (!sign) return {};
    return write_checkpoint(statements_.set_head, kind::kHead, end, now, 0);
  }));
  head_ = end;
  since_checkpoint_ = checkpoint ? 0 : since_checkpoint_ + count;
  if (sign) {
    sign_by_.reset();
  } else if (!sign_by_) {
    sign_by_ = Clock::now() + kSignWithin;
  }
  return {};
}

Result<void> LogFile::sign_head(Time now) {
  SP_CHECK(transaction(
      [&] { return write_checkpoint(statements_.set_head, kind::kHead, head_, now, 0); }));
  sign_by_.reset();
  return {};
}

Result<void> LogFile::insert_all(std::span<StoredRecord const* const> records, Link& end) {
  auto& insert = statements_.insert;
  store::Sha256 seal{};  // outlives the statement that is bound to it
  for (auto const* record : records) {
    end = hasher_.next(end, record->body);
    insert.bind(1, end.seq);
    insert.bind(2, record->id);
    insert.bind(3, record->time);
    insert.bind(4, record->principal);
    insert.bind(5, record->tool);
    insert.bind(6, record->purpose);
    insert.bind(7, record->hosts);
    insert.bind(8, to_string(record->verdict));
    insert.bind(9, std::int64_t{record->status});
    insert.bind_blob(10, store::view(end.hash));
    insert.bind(11, record->body);
    if (record == records.back()) {
      seal = sealer_.seal(end);
      insert.bind_blob(12, store::view(seal));
    } else {
      insert.bind_null(12);
    }
    SP_CHECK(insert.run());
  }
  return {};
}

Result<void> LogFile::write_checkpoint(store::Statement& statement, std::string_view kind,
                                       Link const& at, Time now, std::int64_t unrecorded) {
  Checkpoint checkpoint{.kind = std::string{kind},
                        .at = at,
                        .time = microseconds_of(now),
                        .unrecorded = unrecorded,
                        .key = key_.public_key().id()};
  checkpoint.signature = key_.sign(checkpoint.text());
  statement.bind(1, checkpoint.kind);
  statement.bind(2, at.seq);
  statement.bind_blob(3, store::view(at.hash));
  statement.bind(4, checkpoint.time);
  statement.bind(5, unrecorded);
  statement.bind(6, checkpoint.key);
  statement.bind_blob(7, checkpoint.signature);
  return statement.run();
}

Result<void> LogFile::checkpoint(std::string_view kind, Time now, std::int64_t unrecorded) {
  SP_CHECK(transaction([&]() -> Result<void> {
    SP_CHECK(write_checkpoint(statements_.add_checkpoint, kind, head_, now, unrecorded));
    return write_checkpoint(statements_.set_head, kind::kHead, head_, now, 0);
  }));
  since_checkpoint_ = 0;
  sign_by_.reset();
  return {};
}

Result<bool> LogFile::too_large() {
  SP_TRY(auto const pages, database_.number("PRAGMA page_count"));
  SP_TRY(auto const unused, database_.number("PRAGMA freelist_count"));
  SP_TRY(auto const size, database_.number("PRAGMA page_size"));
  return static_cast<std::uint64_t>((pages - unused) * size) > options_.keep_bytes;
}

// The last of the records to remove now; number 0: none.
Result<Link> LogFile::last_to_remove(Time now, std::size_t batch) {
  SP_TRY(bool const shrink, too_large());
  if (shrink) {
    // A tenth at a time: the last pages are not worth half of a small log.
    SP_TRY(auto const first, database_.number("SELECT min(seq) FROM record"));
    batch = std::min(
        batch, static_cast<std::size_t>(std::max<std::int64_t>(head_.seq - first, 0)) / 10 + 1);
  }
  auto const oldest_kept = microseconds_of(now - options_.keep_for);
  SP_TRY(auto select,
         database_.prepare("SELECT seq, time, hash FROM record ORDER BY seq LIMIT ?1"));
  select.bind(1, static_cast<std::int64_t>(batch));
  Link last;
  for (;;) {
    SP_TRY(bool const row, select.step());
    if (!row || (!shrink && select.integer(1) >= oldest_kept)) return last;
    auto const hash = select.blob(2);
    if (hash.size() != last.hash.size()) {
      return fail(Errc::Internal, "The audit log was changed by another program.");
    }
    last.seq = select.integer(0);
    std::ranges::copy(hash, reinterpret_cast<char*>(last.hash.data()));
  }
}

Result<bool> LogFile::cut(Time now, std::size_t batch) {
  Link last;
  SP_CHECK(transaction([&]() -> Result<void> {
    SP_TRY(last, last_to_remove(now, batch));
    if (last.seq == 0) return {};
    SP_TRY(auto records, database_.prepare("DELETE FROM record WHERE seq <= ?1"));
    records.bind(1, last.seq);
    SP_CHECK(records.run());
    // What is said about calls without a record outlives the records around it.
    SP_TRY(auto checkpoints, database_.prepare("DELETE FROM checkpoint WHERE seq <= ?1 AND number "
                                               "> 0 AND kind <> 'unrecorded'"));
    checkpoints.bind(1, last.seq);
    SP_CHECK(checkpoints.run());
    SP_CHECK(write_checkpoint(statements_.add_checkpoint, kind::kCut, last, now, 0));
    // Where nothing is left, only the head says where to go on.
    return write_checkpoint(statements_.set_head, kind::kHead, head_, now, 0);
  }));
  return last.seq != 0;
}

}  // namespace sallyport::audit
