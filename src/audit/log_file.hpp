// The file of the log, for the one who writes it: appends, signs, cuts off what is too old.
//
// Several processes of one user may write one file (a desktop starts one for each client): each
// transaction goes on where the file ends, if the one before it was sealed with our key. One
// thread. After a failure nothing of the attempt is in the file, and it may be tried again.
#pragma once

#include "src/audit/audit_log.hpp"
#include "src/audit/chain.hpp"
#include "src/audit/record_json.hpp"
#include "src/audit/time_text.hpp"
#include "src/base/task.hpp"
#include "src/store/private_file.hpp"
#include "src/store/signing_key.hpp"
#include "src/store/sqlite.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace sallyport::audit {

// Beside the log, with these endings.
std::filesystem::path key_file_of(std::filesystem::path const& log);
std::filesystem::path public_key_file_of(std::filesystem::path const& log);

class LogFile {
 public:
  // Fails with InvalidInput, as AuditLog::open() says.
  static Result<LogFile> open(AuditOptions const& options);
  ~LogFile();
  LogFile(LogFile&&) = default;
  LogFile& operator=(LogFile&&) = delete;

  // All of them in one transaction, the last one sealed. The head is signed with it only when it is
  // overdue.
  Result<void> append(std::span<StoredRecord const* const> records, Time now);
  // When the head should be signed; nothing: it is.
  std::optional<Clock::time_point> sign_by() const noexcept { return sign_by_; }
  Result<void> sign_head(Time now);
  // Signs the end of the chain for good. `unrecorded` is of calls that passed without a record.
  Result<void> checkpoint(std::string_view kind, Time now, std::int64_t unrecorded = 0);
  // Removes at most `batch` of the oldest records, where they are too old or the file is too large,
  // and anchors the rest. True: there may be more to remove.
  Result<bool> cut(Time now, std::size_t batch = 500);

  Link const& head() const noexcept { return head_; }

 private:
  struct Statements {
    store::Statement begin;
    store::Statement commit;
    store::Statement rollback;
    store::Statement insert;
    store::Statement add_checkpoint;
    store::Statement set_head;
    store::Statement read_last;
  };

  LogFile(AuditOptions const& options, store::SigningKey key, store::Database database,
          Statements statements);

  static Result<Statements> prepare(store::Database& database);
  Result<void> create(Time now);
  Result<void> check_end();
  // The end of the chain, if it is sealed with our key; nothing: there is no record.
  Result<std::optional<Link>> read_last();
  // The signed head as it stands in the file. Fails with Internal when it is not ours.
  Result<Checkpoint> read_head();
  // Inside a transaction: goes on where another Sallyport has written since.
  Result<void> catch_up();
  // Runs `work` in a transaction; rolls back where it fails.
  template <class Work>
  Result<void> transaction(Work const& work);
  Result<void> insert_all(std::span<StoredRecord const* const> records, Link& end);
  Result<void> write_checkpoint(store::Statement& statement, std::string_view kind, Link const& at,
                                Time now, std::int64_t unrecorded);
  Result<Link> last_to_remove(Time now, std::size_t batch);
  Result<bool> too_large();

  AuditOptions options_;
  std::unique_ptr<std::filesystem::path> lock_file_;  // null once moved from
  std::optional<store::FileLock> closing_;  // while opening and closing; outlives the database
  store::SigningKey key_;
  Sealer sealer_;
  store::Database database_;
  Statements statements_;
  ChainHasher hasher_;
  Link head_;
  std::int64_t since_checkpoint_{0};
  std::optional<Clock::time_point> sign_by_;
  bool has_end_{false};  // head_ is the end that we know
};

}  // namespace sallyport::audit
