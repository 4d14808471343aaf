// Calls that have become tasks: they go on without their request, and the client asks for them by
// id. One store per loop; the id says which.
#pragma once

#include "src/base/task.hpp"
#include "src/mcp/call_context.hpp"
#include "src/mcp/input_state.hpp"
#include "src/mcp/rpc.hpp"
#include "src/mcp/tool.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sallyport::mcp {

enum class TaskStatus { Working, InputRequired, Completed, Failed, Cancelled };

std::string_view to_string(TaskStatus status) noexcept;
constexpr bool is_terminal(TaskStatus status) noexcept {
  return status == TaskStatus::Completed || status == TaskStatus::Failed ||
         status == TaskStatus::Cancelled;
}

// All that is known about a task, as a value: it may be handed to another loop.
struct TaskSnapshot {
  std::string id;
  std::string owner;
  TaskStatus status{TaskStatus::Working};
  std::string status_message;
  WallClock::time_point created;
  WallClock::time_point updated;
  std::chrono::milliseconds ttl{0};
  InputRequests pending;             // InputRequired: what is still unanswered
  std::optional<ToolResult> result;  // Completed
  std::optional<RpcError> error;     // Failed
};

class TaskStore {
 public:
  struct Limits {
    std::size_t tasks{1000};  // per loop
    std::chrono::milliseconds ttl{3'600'000};
    std::chrono::milliseconds poll_interval{1000};
  };

  struct Entry {
    TaskSnapshot state;
    InputResponses answers;
    Timer answered;                     // cancelled when an answer came
    std::function<void()> cancel_call;  // stops the handler
    bool running{true};                 // the handler still refers to the entry

    Entry(Executor executor) : answered{executor, Timer::time_point::max()} {}
  };

  TaskStore(std::size_t loop, Executor executor, Limits limits)
      : loop_{loop}, executor_{executor}, limits_{limits} {}

  // Fails with LimitExceeded when there are too many. `ttl` is what the client asked for, if it
  // did.
  Result<Entry*> create(std::string owner, std::optional<std::chrono::milliseconds> ttl);

  // nullptr when there is no such task of that owner: nobody learns of others' tasks.
  Entry* find(std::string const& id, std::string const& owner);

  // The owner's tasks, oldest first.
  std::vector<TaskSnapshot> list(std::string const& owner) const;

  void set_status(Entry& entry, TaskStatus status, std::string message = {});
  void remove_expired(WallClock::time_point now);

  Limits const& limits() const noexcept { return limits_; }

  static std::optional<std::size_t> loop_of(std::string_view id);

 private:
  std::size_t loop_;
  Executor executor_;
  Limits limits_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace sallyport::mcp
