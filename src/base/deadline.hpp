// with_deadline(): an operation that ends at a point in time, whatever it waits for.
//
// Apart from task.hpp because co_spawn is expensive to compile.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace sallyport {
namespace detail {

// The timer of one operation and what stops it. Shared with the timer's handler, which may be
// called after the operation has ended.
template <class Ends>
struct Expiry : std::enable_shared_from_this<Expiry<Ends>> {
  Expiry(Executor executor, Ends when) : timer{executor}, ends{std::move(when)} {}

  void arm() {
    timer.expires_at(ends());
    timer.async_wait([self = this->shared_from_this()](boost::system::error_code interrupted) {
      if (interrupted || self->is_over) return;
      if (Clock::now() < self->ends()) return self->arm();
      self->is_late = true;
      self->stop.emit(asio::cancellation_type::terminal);
    });
  }

  void end() {
    is_over = true;
    timer.cancel();
  }

  Timer timer;
  Ends ends;
  asio::cancellation_signal stop;
  bool is_late{false};
  bool is_over{false};
};

// Not every T has a value that co_spawn could begin with.
template <class T>
Async<void> put_outcome(Task<T> operation, std::optional<Result<T>>& outcome) {
  outcome.emplace(co_await capture(std::move(operation)));
}

}  // namespace detail

// Runs `operation` until `ends()`, which is asked again when that time has come: it may have moved
// on. Fails with DeadlineExceeded when the time came first, and with Cancelled when the caller was
// cancelled; `operation` has ended on return in any case. Does not throw.
//
// Not Asio's operator||: that starts a coroutine for the timer, too, and waits for its end.
template <class T, class Ends>
Task<T> with_moving_deadline(Ends ends, Task<T> operation) {
  Executor const executor = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    co_return fail(Errc::Cancelled, "The request was cancelled.");
  }
  auto const expiry = std::make_shared<detail::Expiry<Ends>>(executor, std::move(ends));
  expiry->arm();
  // The operation hears of the deadline and of whoever cancels the caller.
  auto caller = state.slot();
  if (caller.is_connected()) {
    caller.assign([expiry](asio::cancellation_type how) { expiry->stop.emit(how); });
  }
  std::optional<Result<T>> outcome;
  co_await asio::co_spawn(executor, detail::put_outcome(std::move(operation), outcome),
                          asio::bind_cancellation_slot(expiry->stop.slot(), use_async));
  if (caller.is_connected()) caller.clear();
  expiry->end();
  if (expiry->is_late) co_return fail(Errc::DeadlineExceeded, "The request took too long.");
  co_return *std::move(outcome);
}

template <class T>
Task<T> with_deadline(Deadline deadline, Task<T> operation) {
  co_return co_await with_moving_deadline([deadline] { return deadline.at; }, std::move(operation));
}

}  // namespace sallyport
