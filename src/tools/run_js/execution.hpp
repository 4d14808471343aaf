// One run of a script: how far it is, what it wrote, how it ended.
//
// It runs on one loop, its home; it may be asked about on all others. What they ask for is behind
// a mutex that is held for the length of a copy.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/base/task_group.hpp"
#include "src/js/engine.hpp"
#include "src/tools/run_js/execution_output.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::tools {

using WallTime = std::chrono::system_clock::time_point;

enum class ExecutionStatus { Queued, Running, Completed, Failed, Cancelled, TimedOut };

std::string_view to_string(ExecutionStatus status) noexcept;
std::string_view to_string(js::RunEnd end) noexcept;
constexpr bool has_ended(ExecutionStatus status) noexcept {
  return status != ExecutionStatus::Queued && status != ExecutionStatus::Running;
}

enum class Detail { Brief, Full };

// All that is known about a run but its output, as a value: it may be handed to another loop. When
// it is brief, it has no outcome.
struct ExecutionFacts {
  std::string id;
  std::string session;  // as its caller named it
  ExecutionStatus status{ExecutionStatus::Queued};
  WallTime created;
  std::optional<WallTime> started;
  std::optional<WallTime> ended;
  std::optional<js::RunOutcome> outcome;  // when the script was run to an end
  std::size_t value_bytes{0};             // of a value that was too large to keep; else 0
  std::optional<Error> failure;           // when it was not: cancelled, or never started
  std::size_t output_lines{0};
  std::size_t output_bytes{0};
  bool output_cut{false};
};

// Made and started by ExecutionStore.
class Execution final : public js::ConsoleListener, public std::enable_shared_from_this<Execution> {
 public:
  struct About {
    std::string id;
    std::string owner;  // Principal::key()
    std::string session;
    std::size_t output_bytes{0};  // at most
    std::size_t value_bytes{0};   // of a value that is kept
    WallTime created;
  };

  Execution(About about, Executor home)
      : about_{std::move(about)}, home_{home}, output_{about_.output_bytes} {}

  std::string const& id() const noexcept { return about_.id; }
  std::string const& owner() const noexcept { return about_.owner; }

  // From any thread:
  ExecutionFacts facts(Detail detail = Detail::Full) const;
  ExecutionStatus status() const;
  std::optional<WallTime> ended_at() const;
  OutputPage output_lines(std::size_t offset, std::size_t limit, std::size_t most_bytes) const;
  OutputPage output_bytes(std::size_t offset, std::size_t limit) const;
  // Ends the script soon; nothing happens when it has ended.
  void cancel();
  // What it takes to keep it.
  std::size_t memory() const;
  // Wait for it on any loop; keep the execution until then.
  Async<Wakeup> wait(Deadline deadline = {}) const { return ended_->wait(deadline); }

  // On its home loop:

  // Who hears its console besides; nullptr: nobody. Must be told before it goes.
  void relay_to(js::ConsoleListener* listener) noexcept { relay_ = listener; }
  void started() override;
  void wrote(std::string_view level, std::string_view text) override;

 private:
  friend class ExecutionStore;

  void finish(Result<js::RunOutcome> outcome, WallTime now);

  About const about_;
  Executor const home_;
  std::shared_ptr<OneShotEvent> const ended_{OneShotEvent::make()};

  js::ConsoleListener* relay_{nullptr};
  std::optional<TaskGroup::Child> child_;  // while it runs

  mutable std::mutex mutex_;
  ExecutionOutput output_;
  ExecutionStatus status_{ExecutionStatus::Queued};
  std::optional<WallTime> started_;
  std::optional<WallTime> ended_at_;
  std::optional<js::RunOutcome> outcome_;
  std::size_t value_bytes_{0};
  bool value_dropped_{false};
  std::optional<Error> failure_;
};

}  // namespace sallyport::tools
