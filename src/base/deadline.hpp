// with_deadline(): an operation that ends at a point in time, whatever it waits for.
//
// Apart from task.hpp because Asio's operators are expensive to compile.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <variant>

namespace sallyport {

// Runs `operation` until `deadline`. Fails with DeadlineExceeded when the deadline came first, and
// with Cancelled when the caller was cancelled; `operation` has ended on return in any case. Does
// not throw.
template <class T>
Task<T> with_deadline(Deadline deadline, Task<T> operation) {
  using asio::experimental::awaitable_operators::operator||;
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, deadline.at};
  auto expiry = timer.async_wait(use_tuple);
  // The race waits for a winner that did not throw, so a throwing operation would leave us waiting
  // for the deadline.
  auto first = co_await (capture(std::move(operation)) || std::move(expiry));
  if (first.index() == 0) co_return std::get<0>(std::move(first));
  auto const [interrupted] = std::get<1>(first);
  if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return fail(Errc::DeadlineExceeded, "The request took too long.");
}

}  // namespace sallyport
