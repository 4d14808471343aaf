#include "src/audit/writer.hpp"

#include "src/base/assert.hpp"
#include "src/base/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace sallyport::audit {
namespace {

using namespace std::chrono_literals;
using store::Failure;

// Bounds how long a record waits for others that came before it.
constexpr std::size_t kLargestBatch = 1000;
// After a commit of some records others are on their way, and a commit costs much the same for few
// and for many: it is worth a moment. Where many come at once, it is not.
constexpr std::size_t kSome = 4;
constexpr std::size_t kMany = 32;
constexpr auto kGather = 200us;
constexpr auto kChoresEvery = 1s;
// Between two batches of a retention that has more to do: calls go first.
constexpr auto kCutEvery = 50ms;
constexpr auto kFirstBackoff = 50ms;
constexpr auto kLongestBackoff = 1s;

Time now() {
  return std::chrono::system_clock::now();
}

Error refusal(Failure failure) {
  switch (failure) {
    case Failure::Full:
      return fail(Errc::LimitExceeded,
                  "The audit log is full: no call is made until there is room for its record.");
    case Failure::Busy:
      return fail(Errc::LimitExceeded,
                  "The audit log is locked by another program: no call is made until its record "
                  "can be written.");
    case Failure::None:
    case Failure::Io:
    case Failure::Corrupt:
    case Failure::NotADatabase:
    case Failure::CannotOpen:
    case Failure::Other: break;
  }
  return fail(Errc::Internal,
              "The audit log cannot be written: no call is made until its record can be.");
}

// Finishes waiters of one loop there, all in one go.
void post_all(Executor const& executor, std::vector<std::unique_ptr<Waiter>> waiters) {
  asio::post(executor, [list = std::move(waiters)]() mutable {
    for (auto& waiter : list) Waiter::finish(std::move(waiter));
  });
}

}  // namespace

AuditLog::Writer::Writer(LogFile file, AuditOptions const& options, Metrics& metrics)
    : options_{options},
      file_{std::move(file)},
      recorded_{metrics.counter("sallyport_audit_records_total", "Records in the audit log.")},
      unrecorded_{metrics.counter("sallyport_audit_unrecorded_total",
                                  "Calls whose record could not be written.")},
      pending_gauge_{metrics.gauge("sallyport_audit_pending", "Records that wait to be written.")},
      trouble_gauge_{
          metrics.gauge("sallyport_audit_trouble", "1 while the audit log cannot be written.")},
      commit_seconds_{
          metrics.histogram("sallyport_audit_commit_seconds", "Time of one group commit.")},
      event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      thread_{[this] { run(); }} {
  SP_ASSERT(event_ >= 0, "a process has room for one more descriptor at its start");
}

AuditLog::Writer::~Writer() {
  stops_ = true;
  signal();
  thread_.join();
  ::close(event_);
}

Result<void> AuditLog::Writer::ready() const {
  if (options_.when_full == WhenFull::Continue) return {};
  auto const trouble = trouble_.load(std::memory_order_relaxed);
  if (trouble != Failure::None) return refusal(trouble);
  if (!has_room()) {
    return fail(Errc::LimitExceeded, "Too many records wait for the audit log; try again.");
  }
  return {};
}

void AuditLog::Writer::push(std::unique_ptr<Waiter> waiter) {
  ++pending_;
  auto* added = waiter.release();
  added->next = incoming_.load(std::memory_order_relaxed);
  while (!incoming_.compare_exchange_weak(added->next, added)) {
  }
  // The thread sets the flag and looks at the list once more before it sleeps: one of us sees the
  // other.
  if (sleeps_.exchange(false)) signal();
}

void AuditLog::Writer::count_unrecorded(std::size_t calls, std::string_view reason) {
  unrecorded_.add(calls);
  unsigned_losses_ += static_cast<std::int64_t>(calls);
  log::error("CALLS NOT RECORDED", {{"calls", static_cast<std::uint64_t>(calls)},
                                    {"total", unrecorded_.value()},
                                    {"reason", reason}});
}

void AuditLog::Writer::run() {
  next_chores_ = Clock::now();
  while (!stops_) {
    if (std::exchange(gathers_, false)) std::this_thread::sleep_for(kGather);
    take_all();
    work();
  }
  take_all();
  close();
}

void AuditLog::Writer::take_all() {
  Waiter* newest = incoming_.exchange(nullptr);
  auto const before = waiting_.size();
  for (; newest != nullptr; newest = std::exchange(newest->next, nullptr)) {
    waiting_.emplace_back(newest);
  }
  std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end());
  pending_gauge_.set(static_cast<std::int64_t>(waiting_.size()));
}

void AuditLog::Writer::work() {
  auto const time = Clock::now();
  if (trouble_ != Failure::None && time < next_attempt_) {
    if (options_.when_full == WhenFull::Continue) {
      give_up({}, "the audit log cannot be written");
      return sleep(next_attempt_ - time);
    }
    return wait_for_signal(next_attempt_ - time);
  }
  if (!waiting_.empty()) {
    write_batch();
  } else if (trouble_ != Failure::None) {
    sign();
  } else if (auto const due = file_.sign_by(); due && *due <= time) {
    sign();
  } else if (auto const next = std::min(next_chores_, due.value_or(next_chores_)); time < next) {
    return sleep(next - time);
  }
  if (trouble_ == Failure::None && Clock::now() >= next_chores_) chores();
}

void AuditLog::Writer::write_batch() {
  auto const count = std::min(waiting_.size(), kLargestBatch);
  batch_.clear();
  for (std::size_t i = 0; i < count; ++i) batch_.push_back(&waiting_[i]->record);
  auto const begun = Clock::now();
  auto const done = file_.append(batch_, now());
  if (!done) {
    note_trouble(done.error());
    if (options_.when_full == WhenFull::Continue) {
      give_up({}, "the audit log cannot be written");
    }
    return;
  }
  commit_seconds_.observe(std::chrono::duration<double>(Clock::now() - begun).count());
  recorded_.add(count);
  gathers_ = count >= kSome && count < kMany;
  finish_first(count, {});
  note_recovery();
}

void AuditLog::Writer::finish_first(std::size_t count, Result<void> const& outcome) {
  // There are as many loops as cores: looking for the right one is quick.
  std::vector<std::pair<Executor, std::vector<std::unique_ptr<Waiter>>>> by_loop;
  for (std::size_t i = 0; i < count; ++i) {
    auto waiter = std::move(waiting_.front());
    waiting_.pop_front();
    if (!waiter->executor) continue;
    waiter->outcome = outcome;
    auto const loop = std::ranges::find(by_loop, *waiter->executor,
                                        [](auto const& entry) { return entry.first; });
    auto& list = loop == by_loop.end() ? by_loop.emplace_back(*waiter->executor, 0) : *loop;
    list.second.push_back(std::move(waiter));
  }
  pending_ -= count;
  pending_gauge_.set(static_cast<std::int64_t>(waiting_.size()));
  for (auto& [executor, waiters] : by_loop) post_all(executor, std::move(waiters));
}

void AuditLog::Writer::chores() {
  next_chores_ = Clock::now() + kChoresEvery;
  // Taken out first: what is lost from here on is for the next checkpoint.
  if (auto const lost = unsigned_losses_.exchange(0); lost > 0) {
    auto const done = file_.checkpoint(kind::kUnrecorded, now(), lost);
    if (!done) {
      unsigned_losses_ += lost;
      return note_trouble(done.error());
    }
  }
  auto const more = file_.cut(now());
  if (!more) return note_trouble(more.error());
  if (*more) next_chores_ = Clock::now() + kCutEvery;
}

// Also a probe, while the file cannot be written: it changes nothing but the time of the head.
void AuditLog::Writer::sign() {
  auto const done = file_.sign_head(now());
  if (!done) return note_trouble(done.error());
  note_recovery();
}

void AuditLog::Writer::note_trouble(Error const& error) {
  auto failure = store::failure_of(error);
  if (failure == Failure::None) failure = Failure::Other;
  bool const is_new = trouble_.exchange(failure) == Failure::None;
  backoff_ = is_new ? Clock::duration{kFirstBackoff}
                    : std::min(backoff_ * 2, Clock::duration{kLongestBackoff});
  next_attempt_ = Clock::now() + backoff_;
  if (!is_new) return;
  trouble_gauge_.set(1);
  bool const refuses = options_.when_full == WhenFull::Refuse;
  log::error("AUDIT LOG CANNOT BE WRITTEN",
             {{"problem", error.message},
              {"detail", error.detail},
              {"calls", refuses ? "refused until it can" : "go on unrecorded"}});
}

void AuditLog::Writer::note_recovery() {
  if (trouble_.exchange(Failure::None) == Failure::None) return;
  trouble_gauge_.set(0);
  next_chores_ = Clock::now();  // says what was lost meanwhile
  log::warn("audit log can be written again", {{"pending", std::uint64_t{waiting_.size()}}});
}

void AuditLog::Writer::give_up(Result<void> const& outcome, std::string_view reason) {
  if (waiting_.empty()) return;
  count_unrecorded(waiting_.size(), reason);
  finish_first(waiting_.size(), outcome);
}

void AuditLog::Writer::close() {
  auto written = true;
  while (written && !waiting_.empty()) {
    auto const before = waiting_.size();
    write_batch();
    written = waiting_.size() < before;
  }
  if (!waiting_.empty()) {
    for (auto const& waiter : waiting_)
      log::error("record lost", {{"record", waiter->record.body}});
    give_up(fail(Errc::Internal, "The call could not be recorded before the program ended."),
            "the program ends");
  }
  auto const lost = unsigned_losses_.load();
  auto const done = file_.checkpoint(lost > 0 ? kind::kUnrecorded : kind::kClose, now(), lost);
  if (!done) return note_trouble(done.error());
  // In the log of the program the end of the chain is out of reach of who can write the file.
  auto const hash = store::to_hex(store::view(file_.head().hash));
  log::info("audit log closed", {{"seq", file_.head().seq}, {"hash", hash}});
}

void AuditLog::Writer::sleep(Clock::duration longest) {
  sleeps_ = true;
  if (incoming_.load() == nullptr && !stops_) wait_for_signal(longest);
  sleeps_ = false;
}

void AuditLog::Writer::wait_for_signal(Clock::duration longest) {
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(longest);
  pollfd descriptor{.fd = event_, .events = POLLIN, .revents = 0};
  if (poll(&descriptor, 1, static_cast<int>(left.count())) <= 0) return;
  eventfd_t ignored = 0;
  eventfd_read(event_, &ignored);
}

void AuditLog::Writer::signal() {
  eventfd_write(event_, 1);
}

}  // namespace sallyport::audit
