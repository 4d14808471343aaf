// What waits to be written to one event stream.
//
// Producers push; the coroutine of the connection writes. A reader that is too slow is cut off
// rather than waited for: its queue is bounded.
#pragma once

#include "src/base/task.hpp"
#include "src/net/exchange.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

namespace sallyport::transport {

// Use it on one loop only, unless it says otherwise; other loops post to it.
class Feed {
 public:
  Feed(Executor executor, std::size_t max_bytes);

  void push(std::string_view frame);
  // From any thread: so much is on its way to be pushed. Then, here: that it has come.
  void expect(std::size_t bytes) noexcept { expected_.fetch_add(bytes); }
  void push_expected(std::string_view frame);
  // No more will come; what is queued is still written.
  void close();
  // The reader is gone.
  void abort();

  bool is_idle() const noexcept { return pending_.empty() && !closed_ && !aborted_; }
  bool is_aborted() const noexcept { return aborted_; }
  bool is_closed() const noexcept { return closed_; }
  // From any thread: what was pushed or is expected, and waits to be written.
  std::size_t pending_bytes() const noexcept { return expected_.load() + pending_bytes_.load(); }
  bool overflowed() const noexcept { return overflowed_; }
  bool is_drained() const noexcept { return closed_ && pending_.empty(); }

  // Until there is something to do, at most `patience`. True: there is; false: nothing came.
  Async<bool> wait(std::chrono::milliseconds patience);

  std::string take();

 private:
  void wake();

  std::size_t max_bytes_;
  std::string pending_;
  std::atomic<std::size_t> pending_bytes_{0};  // of `pending_`
  std::atomic<std::size_t> expected_{0};
  bool closed_{false};
  bool aborted_{false};
  bool overflowed_{false};
  Timer changed_;
};

// Writes the feed to the exchange, whose answer has begun, until it is closed, the peer is gone
// (then the feed is aborted) or the queue overflows. Ends the answer in the first case.
Async<void> pump(net::Exchange& exchange, Feed& feed, std::chrono::milliseconds keep_alive);

}  // namespace sallyport::transport
