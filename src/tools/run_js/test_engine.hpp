// For the tests of those who run scripts: an engine that does what it is told.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/js/engine.hpp"
#include "src/tools/run_js/run_js.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::tools::test_js {

// Reaches nothing.
class NoWorld final : public js::World {
 public:
  js::Available can_fetch() const override { return {"off"}; }
  js::Available can_open_sockets() const override { return {"off"}; }
  js::Available can_call_tools() const override { return {"off"}; }
  std::unique_ptr<js::Fetch> fetch(js::FetchCall) override { return nullptr; }
  Task<json::Value> call_tool(std::string, std::string, json::Object) override { co_return off(); }
  Task<json::Value> list_tools(std::optional<std::string>) override { co_return off(); }

 private:
  static Error off() { return fail(Errc::PolicyDenied, "off"); }
};

class FakeEngine final : public js::Engine {
 public:
  struct Line {
    std::string level;
    std::string text;
  };

  // What the next scripts do.
  std::vector<Line> lines;
  std::vector<Line> last_lines;  // once the gate has opened
  js::RunOutcome outcome;
  std::optional<Error> failure;        // at once, or once the gate has opened
  bool queues{false};                  // is never started
  std::shared_ptr<OneShotEvent> gate;  // ends only once it has happened
  std::function<void()> on_run;

  // What was asked for.
  std::vector<js::Script> scripts;
  std::size_t cancelled{0};
  std::size_t under_way{0};

  Task<js::RunOutcome> run(js::Script script, js::World&, js::ConsoleListener& console) override {
    scripts.push_back(std::move(script));
    if (on_run) on_run();
    auto const until = gate;
    if (failure && !until) co_return *failure;
    if (!queues) console.started();
    for (auto const& line : std::vector<Line>{lines}) console.wrote(line.level, line.text);
    if (until) {
      ++under_way;
      auto const wakeup = co_await until->wait();
      --under_way;
      if (wakeup == Wakeup::Cancelled) {
        ++cancelled;
        co_return fail(Errc::Cancelled, "Cancelled.");
      }
    }
    for (auto const& line : last_lines) console.wrote(line.level, line.text);
    if (failure) co_return *failure;
    co_return outcome;
  }
  void end_session(std::string_view) override {}
  void sweep() override {}

  void block() { gate = OneShotEvent::make(); }
  void log(std::string text) { lines.push_back({"log", std::move(text)}); }
};

inline js::RunOutcome value_of(json::Value value) {
  js::RunOutcome outcome;
  outcome.value = std::move(value);
  outcome.queued = std::chrono::microseconds{10};
  outcome.wall = std::chrono::microseconds{2500};
  outcome.cpu = std::chrono::microseconds{1500};
  outcome.heap_bytes = 4096;
  return outcome;
}

inline js::RunOutcome error_of(js::RunEnd end, std::string name, std::string message) {
  js::RunOutcome outcome;
  outcome.end = end;
  outcome.error = js::ScriptError{name, message, name + ": " + message + "\n    at script.js:1:7"};
  return outcome;
}

}  // namespace sallyport::tools::test_js
