// The audit log: one SQLite file, one writer thread, a hash chain over all records.
//
// Writers post their record and wait; the thread takes all that wait into one transaction, so a
// record costs microseconds and nobody waits for another's turn. Every record carries the hash of
// the one before; checkpoints, signed with a key of the log, pin the chain from time to time and
// where retention cuts it off.
#pragma once

#include "src/audit/sink.hpp"
#include "src/base/metrics.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace sallyport::audit {

enum class Durability {
  Process,  // survives kill -9 of the program (the operating system has it)
  Power,    // survives power loss: fsync with every commit
};

enum class WhenFull { Refuse, Continue };

struct AuditOptions {
  std::filesystem::path file;
  std::filesystem::path key_file;  // signs; empty: beside the log, made with it
  Durability durability{Durability::Process};
  WhenFull when_full{
      WhenFull::Refuse};  // full disk, locked file: refuse calls, or go on unrecorded
  std::chrono::milliseconds keep_for{std::chrono::hours{24 * 90}};
  std::uint64_t keep_bytes{1024ULL * 1024 * 1024};
  std::uint64_t checkpoint_every{1000};  // records
  std::size_t queue{10'000};             // records that wait; more are refused
};

// The loops that write must outlive the log. A write may return while the
// thread is still on its way out of the loop that it woke; the destructor waits for the thread.
class AuditLog final : public Sink {
 public:
  // Opens or creates the file (mode 0600) and starts the writer. Fails with InvalidInput when it
  // cannot be opened, is no log of ours, or its chain does not end as its last checkpoint says.
  static Result<std::unique_ptr<AuditLog>> open(AuditOptions options, Metrics& metrics);

  // Writes what waits, signs a last checkpoint, ends the thread.
  ~AuditLog() override;

  Result<void> ready() const override;
  Task<void> write(Record record) override;
  Receipt begin(Record record, Executor loop) override;
  void post(Record record) override;

 private:
  class Writer;
  explicit AuditLog(std::shared_ptr<Writer> writer);

  Error no_room();

  std::shared_ptr<Writer> writer_;
};

}  // namespace sallyport::audit
