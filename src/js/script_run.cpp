#include "src/js/script_run.hpp"

#include "src/base/deadline.hpp"
#include "src/base/log.hpp"
#include "src/js/payload.hpp"
#include "src/json/parse.hpp"

#include <fmt/format.h>

#include <csignal>
#include <utility>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;

// From the end of a socket to the notice that its child is gone.
constexpr auto kObituary = 2s;

RunOutcome ended(RunEnd end, std::string name, std::string message) {
  RunOutcome outcome{.end = end};
  outcome.error = ScriptError{std::move(name), std::move(message), {}};
  return outcome;
}

RunOutcome out_of_memory(std::size_t heap_mb) {
  return ended(RunEnd::OutOfMemory, "RangeError",
               fmt::format("The script used more memory than the {} MB it may.", heap_mb));
}

RunOutcome cpu_exhausted(std::chrono::milliseconds cpu) {
  return ended(
      RunEnd::CpuExhausted, "Error",
      fmt::format("The script used more processor time than the {} ms it may.", cpu.count()));
}

json::Value availability(Available const& available) {
  if (available) return true;
  return json::Value(available.why_not);  // in braces it would be a list
}

std::int64_t number(json::Object const& object, std::string_view name) {
  auto const* const value = json::find(object, name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace

ScriptRun::ScriptRun(Executor executor, Script const& script, Child& child, World& world,
                     ConsoleListener& console)
    : script_{script},
      child_{child},
      world_{world},
      console_{console},
      executor_{executor},
      socket_{executor, std::move(child.socket)},
      share_{socket_, world, script.limits.body_bytes},
      tasks_{executor,
             [](std::string_view what, Error const& error) {
               log::warn("part of a script's run failed",
                         {{"part", what}, {"error", error.message}, {"detail", error.detail}});
             }},
      output_left_{script.limits.output_bytes} {}

Task<RunOutcome> ScriptRun::run() {
  auto const begun = Clock::now();
  tasks_.spawn("writing to a script", socket_.write_queued());
  send_run();
  auto outcome = co_await with_deadline(Deadline::in(script_.limits.wall), talk());
  bool const timed_out = !outcome && outcome.error().code == Errc::DeadlineExceeded;
  bool const goes_on = outcome && !script_.session.empty() &&
                       (outcome->end == RunEnd::Completed || outcome->end == RunEnd::Threw);
  if (!goes_on) child_.kill();
  // Who gives up does not leave anything behind: from here on nothing is interrupted.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await wind_up();
  if (goes_on) child_.socket = socket_.release();
  if (timed_out) {
    outcome =
        ended(RunEnd::TimedOut, "TimeoutError",
              fmt::format("The script did not end within {} ms.", script_.limits.wall.count()));
  }
  if (outcome) {
    outcome->wall = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
    outcome->calls = calls_made_;
  }
  co_return outcome;
}

Async<void> ScriptRun::wind_up() {
  tasks_.stop(asio::cancellation_type::terminal);
  co_await tasks_.join();
  calls_.clear();
}

void ScriptRun::send_run() {
  socket_.send(FrameKind::Run, 0,
               json::Object{{"code", script_.code},
                            {"name", script_.name},
                            {"session", !script_.session.empty()},
                            {"apis",
                             {{"fetch", availability(world_.can_fetch())},
                              {"websocket", availability(world_.can_open_sockets())},
                              {"mcp", availability(world_.can_call_tools())}}}});
}

Task<RunOutcome> ScriptRun::talk() {
  while (true) {
    SP_CO_TRY(auto frame, co_await socket_.receive());
    if (!frame) co_return co_await end_of_child();
    if (auto outcome = take(*std::move(frame))) co_return *std::move(outcome);
  }
}

std::optional<RunOutcome> ScriptRun::take(Frame frame) {
  switch (frame.kind) {
    case FrameKind::Console: return write_console(frame.payload);
    case FrameKind::Done: return done(frame.payload);
    case FrameKind::Call: start_call(frame); return std::nullopt;
    case FrameKind::Chunk:
    case FrameKind::End:
    case FrameKind::Credit:
    case FrameKind::Cancel: break;
    case FrameKind::Run:
    case FrameKind::Answer: return ended(RunEnd::Crashed, "Error", "The sandbox lost its way.");
  }
  // A call that has ended meanwhile has nothing more to hear.
  auto const found = calls_.find(frame.call);
  if (found == calls_.end()) return std::nullopt;
  auto& [call, task] = found->second;
  if (frame.kind == FrameKind::Chunk) call->chunk(std::move(frame.payload));
  if (frame.kind == FrameKind::End) call->end(std::move(frame.payload));
  if (frame.kind == FrameKind::Credit) call->credit(credit_in(frame.payload));
  if (frame.kind == FrameKind::Cancel) task->emit(asio::cancellation_type::terminal);
  return std::nullopt;
}

std::optional<RunOutcome> ScriptRun::write_console(std::string const& payload) {
  auto const line = json::parse(payload);
  auto const* const object = line ? line->if_object() : nullptr;
  if (object == nullptr) return ended(RunEnd::Crashed, "Error", "The sandbox lost its way.");
  auto const text = text_in(*object, "text");
  if (text.size() + 1 > output_left_) {
    return ended(RunEnd::OutputExceeded, "RangeError",
                 fmt::format("The script wrote more than the {} bytes it may.",
                             script_.limits.output_bytes));
  }
  output_left_ -= text.size() + 1;
  console_.wrote(text_in(*object, "level"), text);
  return std::nullopt;
}

void ScriptRun::start_call(Frame const& frame) {
  auto const refuse = [&](Error const& error) {
    socket_.send(FrameKind::Answer, frame.call, error_payload(error));
  };
  auto const asked = json::parse(frame.payload);
  auto const* const object = asked ? asked->if_object() : nullptr;
  if (object == nullptr || calls_.contains(frame.call)) {
    return refuse(fail(Errc::InvalidInput, "That is no call."));
  }
  if (calls_made_ >= script_.limits.calls) {
    return refuse(fail(Errc::LimitExceeded, fmt::format("This run has made the {} calls it may.",
                                                        script_.limits.calls)));
  }
  ++calls_made_;
  auto call = make_call(frame.call, *object, share_, executor_);
  if (!call) return refuse(call.error());
  auto const place = calls_.emplace(frame.call, Underway{*std::move(call), {}}).first;
  // The call may end before spawn() returns; then its place is gone as well.
  auto const task = tasks_.spawn("a call of a script", serve_call(frame.call));
  if (calls_.contains(frame.call)) place->second.task = task;
}

Task<void> ScriptRun::serve_call(std::uint32_t id) {
  static_cast<void>(co_await calls_.at(id).call->serve());
  calls_.erase(id);
  co_return Result<void>{};
}

RunOutcome ScriptRun::done(std::string const& payload) const {
  auto parsed = json::parse(payload);
  auto* const object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return ended(RunEnd::Crashed, "Error", "The sandbox lost its way.");
  RunOutcome outcome;
  outcome.cpu = std::chrono::microseconds{number(*object, "cpu_us")};
  outcome.heap_bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(0, number(*object, "heap_bytes")));
  auto const* const error = json::find_object(*object, "error");
  auto const limit = text_in(*object, "limit");
  if (limit == "memory") return out_of_memory(script_.limits.heap_mb);
  if (limit == "cpu") return cpu_exhausted(script_.limits.cpu);
  if (error != nullptr) {
    outcome.end = RunEnd::Threw;
    outcome.error =
        ScriptError{text_in(*error, "name"), text_in(*error, "message"), text_in(*error, "stack")};
    return outcome;
  }
  if (payload.size() > output_left_) {
    return ended(RunEnd::OutputExceeded, "RangeError",
                 fmt::format("The value of the script is larger than the {} bytes it may write.",
                             script_.limits.output_bytes));
  }
  if (auto* const value = object->if_contains("value")) outcome.value = std::move(*value);
  return outcome;
}

// The child ended without a word: how it died says why.
Task<RunOutcome> ScriptRun::end_of_child() {
  auto const happened = child_.ended();
  if (co_await happened->wait(Deadline::in(kObituary)) != Wakeup::Happened) {
    co_return ended(RunEnd::Crashed, "Error", "The script's process went away.");
  }
  auto const& end = child_.end();
  if (end.lost) {
    co_return fail(Errc::LimitExceeded, "The JavaScript sandbox is busy. Try again in a moment.",
                   end.reason);
  }
  if (end.signal == SIGXCPU) co_return cpu_exhausted(script_.limits.cpu);
  if (end.signal == SIGSYS) {
    co_return ended(RunEnd::Crashed, "Error", "The script did something the sandbox forbids.");
  }
  // V8 gives up like this when a single allocation is too large for its heap.
  if (end.signal == SIGABRT || end.signal == SIGTRAP || end.signal == SIGILL) {
    co_return out_of_memory(script_.limits.heap_mb);
  }
  co_return ended(RunEnd::Crashed, "Error", "The script ended its process.");
}

}  // namespace sallyport::js
