// The thread that writes the log, and the queue in front of it.
//
// Any loop pushes on a lock-free list; the thread takes the whole list, writes it in one
// transaction, and wakes each loop once for all of its records. It is woken only when it sleeps.
#pragma once

#include "src/audit/log_file.hpp"
#include "src/base/metrics.hpp"
#include "src/base/task.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace sallyport::audit {

// A record on its way, and the coroutine that waits for it, if one does.
struct Waiter {
  Waiter(StoredRecord stored, std::optional<Executor> loop)
      : record{std::move(stored)}, executor{loop} {}
  virtual ~Waiter() = default;
  Waiter(Waiter const&) = delete;
  Waiter& operator=(Waiter const&) = delete;

  // On its own loop, once. Frees the waiter first, so that it may be the last thing of its kind.
  static void finish(std::unique_ptr<Waiter> waiter) { waiter.release()->finish(); }

  StoredRecord record;
  std::optional<Executor> executor;  // none: nobody waits
  Result<void> outcome;
  Waiter* next{nullptr};  // in the list of the writer

 private:
  virtual void finish() = 0;
};

class AuditLog::Writer {
 public:
  Writer(LogFile file, AuditOptions const& options, Metrics& metrics);
  ~Writer();
  Writer(Writer const&) = delete;
  Writer& operator=(Writer const&) = delete;

  // From any thread.
  Result<void> ready() const;
  bool has_room() const noexcept { return pending_.load() < options_.queue; }
  void push(std::unique_ptr<Waiter> waiter);
  void count_unrecorded(std::size_t calls, std::string_view reason);

 private:
  using Waiters = std::deque<std::unique_ptr<Waiter>>;

  void run();
  void take_all();
  void work();
  void write_batch();
  void finish_first(std::size_t count, Result<void> const& outcome);
  void chores();
  void sign();
  void close();
  void note_trouble(Error const& error);
  void note_recovery();
  void give_up(Result<void> const& outcome, std::string_view reason);
  void sleep(Clock::duration longest);
  void wait_for_signal(Clock::duration longest);
  void signal();

  AuditOptions const options_;
  LogFile file_;
  Counter& recorded_;
  Counter& unrecorded_;
  Gauge& pending_gauge_;
  Gauge& trouble_gauge_;
  Histogram& commit_seconds_;

  // Shared with the loops.
  std::atomic<Waiter*> incoming_{nullptr};  // the newest first
  std::atomic<std::size_t> pending_{0};
  std::atomic<store::Failure> trouble_{store::Failure::None};
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> stops_{false};
  std::atomic<std::int64_t> unsigned_losses_{0};  // unrecorded calls that no checkpoint names yet
  int event_;

  // Of the thread.
  Waiters waiting_;
  std::vector<StoredRecord const*> batch_;
  Clock::time_point next_chores_;
  Clock::time_point next_attempt_;
  Clock::duration backoff_{};
  bool gathers_{false};  // before the next commit
  std::thread thread_;   // last: it uses the others
};

}  // namespace sallyport::audit
