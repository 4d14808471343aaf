#include "src/js/process_engine.hpp"

#include "src/js/script_run.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace sallyport::js {
namespace {

// From the start of the program to its first warm engine.
constexpr std::chrono::seconds kWarmUp{10};
// Of a child that runs one script, beyond what the script may use: it is ended by the kernel where
// nothing else has done it.
constexpr std::chrono::seconds kSpareCpu{2};

std::size_t slots_of(EngineOptions const& options) {
  if (options.concurrent > 0) return options.concurrent;
  return std::max<std::size_t>(2, std::size_t{std::thread::hardware_concurrency()} * 2);
}

}  // namespace

class ProcessEngine::Lease {
 public:
  Lease(Sessions& sessions, std::string session)
      : sessions_{sessions}, session_{std::move(session)} {}
  ~Lease() {
    if (session_.empty()) return;
    // Without its socket a child cannot be talked to any more.
    bool const usable = child != nullptr && child->socket;
    sessions_.put_back(session_, usable ? std::move(child) : nullptr);
  }
  Lease(Lease const&) = delete;
  Lease& operator=(Lease const&) = delete;

  std::unique_ptr<Child> child;

 private:
  Sessions& sessions_;
  std::string session_;
};

ProcessEngine::ProcessEngine(EngineOptions options)
    : options_{std::move(options)},
      zygote_{options_.program},
      slots_{slots_of(options_), options_.queued},
      sessions_{{.all = options_.sessions,
                 .per_owner = options_.sessions_per_owner,
                 .idle = options_.session_idle}} {
  if (options_.warm) zygote_.start();
}

void ProcessEngine::end_session(std::string_view session) {
  sessions_.end(session);
  count_sessions();
}

void ProcessEngine::sweep() {
  sessions_.sweep(Clock::now());
  count_sessions();
}

void ProcessEngine::count_sessions() {
  if (metrics_) metrics_->sessions.set(static_cast<std::int64_t>(sessions_.count()));
}

Task<Slots::Slot> ProcessEngine::take_slot() {
  Counted const waiting{metrics_ ? &metrics_->queued : nullptr};
  co_return co_await slots_.take(options_.longest_wait);
}

Task<RunOutcome> ProcessEngine::run(Script script, World& world, ConsoleListener& console) {
  auto outcome = co_await run_uncounted(std::move(script), world, console);
  if (metrics_) metrics_->count(outcome);
  count_sessions();
  co_return outcome;
}

Task<RunOutcome> ProcessEngine::run_uncounted(Script script, World& world,
                                              ConsoleListener& console) {
  auto const asked = Clock::now();
  auto const executor = co_await asio::this_coro::executor;
  zygote_.start();
  auto const warm = co_await zygote_.first_attempt()->wait(Deadline::in(kWarmUp));
  if (warm == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
  SP_CO_TRY(auto const slot, co_await take_slot());
  Counted const running{metrics_ ? &metrics_->running : nullptr};
  std::unique_ptr<Child> kept;
  if (!script.session.empty()) {
    SP_CO_TRY(kept, sessions_.take(script.session, script.owner));
  }
  Lease lease{sessions_, script.session};
  lease.child = std::move(kept);
  bool const is_new = lease.child == nullptr;
  if (is_new) {
    ChildLimits limits{.heap_mb = script.limits.heap_mb, .cpu = script.limits.cpu};
    if (script.session.empty()) limits.total_cpu = script.limits.cpu + kSpareCpu;
    SP_CO_TRY(lease.child, zygote_.fork(limits));
  }
  auto const queued = Clock::now() - asked;
  console.started();
  ScriptRun one{executor, script, *lease.child, world, console};
  SP_CO_TRY(auto outcome, co_await one.run());
  outcome.queued = std::chrono::duration_cast<std::chrono::microseconds>(queued);
  outcome.new_session = is_new && !script.session.empty();
  co_return std::move(outcome);
}

}  // namespace sallyport::js
