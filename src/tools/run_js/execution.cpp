#include "src/tools/run_js/execution.hpp"

#include "src/json/write.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace sallyport::tools {
namespace {

ExecutionStatus status_after(Result<js::RunOutcome> const& outcome) noexcept {
  if (!outcome) {
    return outcome.error().code == Errc::Cancelled ? ExecutionStatus::Cancelled
                                                   : ExecutionStatus::Failed;
  }
  switch (outcome->end) {
    case js::RunEnd::Completed: return ExecutionStatus::Completed;
    case js::RunEnd::TimedOut: return ExecutionStatus::TimedOut;
    case js::RunEnd::Threw:
    case js::RunEnd::CpuExhausted:
    case js::RunEnd::OutOfMemory:
    case js::RunEnd::OutputExceeded:
    case js::RunEnd::Crashed: return ExecutionStatus::Failed;
  }
  return ExecutionStatus::Failed;
}

// As a line of the output: what complains says so.
std::string console_line(std::string_view level, std::string_view text) {
  std::string line;
  if (level == "warn" || level == "error") line.append("[").append(level).append("] ");
  return line.append(text);
}

}  // namespace

std::string_view to_string(ExecutionStatus status) noexcept {
  switch (status) {
    case ExecutionStatus::Queued: return "queued";
    case ExecutionStatus::Running: return "running";
    case ExecutionStatus::Completed: return "completed";
    case ExecutionStatus::Failed: return "failed";
    case ExecutionStatus::Cancelled: return "cancelled";
    case ExecutionStatus::TimedOut: return "timed_out";
  }
  return "failed";
}

std::string_view to_string(js::RunEnd end) noexcept {
  switch (end) {
    case js::RunEnd::Completed: return "completed";
    case js::RunEnd::Threw: return "threw";
    case js::RunEnd::TimedOut: return "timed_out";
    case js::RunEnd::CpuExhausted: return "cpu_exhausted";
    case js::RunEnd::OutOfMemory: return "out_of_memory";
    case js::RunEnd::OutputExceeded: return "output_exceeded";
    case js::RunEnd::Crashed: return "crashed";
  }
  return "crashed";
}

ExecutionFacts Execution::facts(Detail detail) const {
  std::lock_guard const lock{mutex_};
  ExecutionFacts facts{.id = about_.id,
                       .session = about_.session,
                       .status = status_,
                       .created = about_.created,
                       .started = started_,
                       .ended = ended_at_,
                       .value_bytes = value_dropped_ ? value_bytes_ : 0,
                       .failure = failure_,
                       .output_lines = output_.total_lines(),
                       .output_bytes = output_.total_bytes(),
                       .output_cut = output_.is_cut()};
  if (detail == Detail::Full) facts.outcome = outcome_;
  return facts;
}

ExecutionStatus Execution::status() const {
  std::lock_guard const lock{mutex_};
  return status_;
}

std::optional<WallTime> Execution::ended_at() const {
  std::lock_guard const lock{mutex_};
  return ended_at_;
}

OutputPage Execution::output_lines(std::size_t offset, std::size_t limit,
                                   std::size_t most_bytes) const {
  std::lock_guard const lock{mutex_};
  return output_.lines(offset, limit, most_bytes);
}

OutputPage Execution::output_bytes(std::size_t offset, std::size_t limit) const {
  std::lock_guard const lock{mutex_};
  return output_.bytes(offset, limit);
}

void Execution::cancel() {
  // A cancellation signal belongs to one thread.
  asio::post(home_, [self = shared_from_this()] {
    if (self->child_) (*self->child_)->emit(asio::cancellation_type::terminal);
  });
}

std::size_t Execution::memory() const {
  std::lock_guard const lock{mutex_};
  auto size = sizeof(Execution) + output_.memory() + about_.owner.size() + about_.session.size();
  if (!outcome_) return size;
  if (outcome_->value) size += value_bytes_;
  if (outcome_->error) size += outcome_->error->message.size() + outcome_->error->stack.size();
  return size;
}

void Execution::started() {
  {
    std::lock_guard const lock{mutex_};
    if (status_ != ExecutionStatus::Queued) return;
    status_ = ExecutionStatus::Running;
    started_ = std::chrono::system_clock::now();
  }
  if (relay_ != nullptr) relay_->started();
}

void Execution::wrote(std::string_view level, std::string_view text) {
  started();
  {
    std::lock_guard const lock{mutex_};
    output_.add(console_line(level, text));
  }
  if (relay_ != nullptr) relay_->wrote(level, text);
}

void Execution::finish(Result<js::RunOutcome> outcome, WallTime now) {
  std::size_t value_bytes = 0;
  bool dropped = false;
  if (outcome && outcome->value) {
    value_bytes = json::to_text(*outcome->value).size();
    dropped = value_bytes > about_.value_bytes;
    // In storage of its own: other loops will read it.
    outcome->value = json::Value(*outcome->value, json::Storage{});
    if (dropped) outcome->value.reset();
  }
  std::lock_guard const lock{mutex_};
  child_.reset();
  status_ = status_after(outcome);
  ended_at_ = now;
  value_bytes_ = value_bytes;
  value_dropped_ = dropped;
  if (outcome) {
    outcome_ = std::move(*outcome);
  } else {
    failure_ = outcome.error();
  }
}

}  // namespace sallyport::tools
