// Task<T>: an asynchronous operation that ends in a Result<T>.
//
// Every coroutine runs on the executor of one event loop (event_loops.hpp). The type of that
// executor is fixed here: a type-erased one costs a third of the server's speed
// (docs/adr/0002-event-loop.md).
#pragma once

#include "src/base/result.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace sallyport {

namespace asio = boost::asio;

using Executor = asio::io_context::executor_type;

// An asynchronous operation that cannot fail.
template <class T>
using Async = asio::awaitable<T, Executor>;

template <class T>
using Task = Async<Result<T>>;

// Completion tokens: `use_async` throws on failure, `use_tuple` gives the error code first. Named
// like Asio's own, beside which they stand.
//
// NOLINTBEGIN(readability-identifier-naming)
inline constexpr asio::use_awaitable_t<Executor> use_async{};
inline constexpr auto use_tuple = asio::as_tuple(use_async);
// NOLINTEND(readability-identifier-naming)

using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

// A point in time, not a duration: it is set once where a request enters and handed on unchanged,
// so that retries and redirects cannot stretch it.
struct Deadline {
  Clock::time_point at{Clock::time_point::max()};

  static Deadline in(Clock::duration left) { return {Clock::now() + left}; }
};

// Turns an exception that a library threw inside `operation` into a failure. For the few places
// that must go on after one: a race (deadline.hpp) and the root of a task group.
template <class T>
Task<T> capture(Task<T> operation) {
  try {
    co_return co_await std::move(operation);
  } catch (boost::system::system_error const& error) {
    if (error.code() == asio::error::operation_aborted) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    co_return fail(Errc::Internal, "Internal error.", error.what());
  } catch (std::exception const& error) {
    co_return fail(Errc::Internal, "Internal error.", error.what());
  }
}

}  // namespace sallyport
