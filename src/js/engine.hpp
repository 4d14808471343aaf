// Runs scripts, each in a process of its own.
#pragma once

#include "src/base/metrics.hpp"
#include "src/base/task.hpp"
#include "src/js/world.hpp"
#include "src/json/value.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::js {

struct RunLimits {
  std::chrono::milliseconds wall{30'000};  // also ends a script that only waits
  std::chrono::milliseconds cpu{10'000};
  std::size_t heap_mb{128};
  std::size_t output_bytes{1024UL * 1024};
  std::size_t calls{100};                      // of fetch(), sockets and tools together
  std::size_t body_bytes{50UL * 1024 * 1024};  // of all bodies, both ways
};

struct Script {
  std::string code;
  std::string name{"script.js"};  // for stack traces
  // Whose globals survive from one script to the next; empty: nobody's. Unique among all
  // principals: SECURITY: made from Principal::key(), never from what a caller says alone.
  std::string session;
  std::string owner;  // Principal::key(): whose sessions count together
  RunLimits limits;
};

enum class RunEnd {
  Completed,
  Threw,     // `error` is the script's own
  TimedOut,  // wall
  CpuExhausted,
  OutOfMemory,
  OutputExceeded,
  Crashed,
};

struct ScriptError {
  std::string name;
  std::string message;
  std::string stack;  // of the script's own code
};

struct RunOutcome {
  RunEnd end{RunEnd::Completed};
  std::optional<json::Value> value;  // of the last expression, or what was returned
  std::optional<ScriptError> error;  // whenever it is not Completed
  std::chrono::microseconds queued{};
  std::chrono::microseconds wall{};
  std::chrono::microseconds cpu{};
  std::size_t heap_bytes{0};
  std::size_t calls{0};
  bool new_session{false};  // it has none of the globals of an earlier one
};

// Hears what a script writes to its console, in order, as it comes.
class ConsoleListener {
 public:
  virtual ~ConsoleListener() = default;

  // The script has left the queue.
  virtual void started() {}
  virtual void wrote(std::string_view level, std::string_view text) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // From any loop. A script that fails is an outcome. Fails with LimitExceeded when too many
  // scripts run and wait already ("busy"), with NotFound when there is no sandbox (and why),
  // with Cancelled: the script is then ended at once.
  virtual Task<RunOutcome> run(Script script, World& world, ConsoleListener& console) = 0;

  // Ends the process behind a session, where there is one.
  virtual void end_session(std::string_view session) = 0;

  // Ends sessions that nobody has used for long. To be called about once a second.
  virtual void sweep() = 0;

  // Keeps numbers of its runs from here on. Before the first run, if at all.
  virtual void measure(Metrics& /*metrics*/) {}
};

struct EngineOptions {
  std::string program;        // path of sallyport-js
  bool warm{false};           // start it now, rather than with the first script
  std::size_t concurrent{0};  // 0: twice the cores
  std::size_t queued{256};
  std::chrono::milliseconds longest_wait{10'000};  // in the queue
  std::size_t sessions{64};
  std::size_t sessions_per_owner{8};
  std::chrono::milliseconds session_idle{600'000};
};

}  // namespace sallyport::js
