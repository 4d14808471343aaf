#include "src/transport/feed.hpp"

#include "src/http/sse.hpp"

#include <utility>

namespace sallyport::transport {

Feed::Feed(Executor executor, std::size_t max_bytes)
    : max_bytes_{max_bytes}, changed_{executor, Timer::time_point::max()} {}

void Feed::push(std::string_view frame) {
  if (closed_ || aborted_) return;
  // One frame of any size is let in: the bound is on what piles up behind a slow reader.
  if (pending_.size() > max_bytes_) {
    overflowed_ = true;
    abort();
    return;
  }
  pending_ += frame;
  pending_bytes_.store(pending_.size());
  wake();
}

void Feed::push_expected(std::string_view frame) {
  push(frame);
  expected_.fetch_sub(frame.size());
}

void Feed::close() {
  closed_ = true;
  wake();
}

void Feed::abort() {
  aborted_ = true;
  wake();
}

void Feed::wake() {
  changed_.cancel();
}

Async<bool> Feed::wait(std::chrono::milliseconds patience) {
  if (!is_idle()) co_return true;
  changed_.expires_after(patience);
  co_await changed_.async_wait(use_tuple);
  co_return !is_idle();
}

std::string Feed::take() {
  pending_bytes_.store(0);
  return std::exchange(pending_, {});
}

Async<void> pump(net::Exchange& exchange, Feed& feed, std::chrono::milliseconds keep_alive) {
  exchange.watch_disconnect([&feed] { feed.abort(); });
  while (!feed.is_aborted()) {
    bool const came = co_await feed.wait(keep_alive);
    if (feed.is_aborted()) break;
    auto const text = came ? feed.take() : http::sse_comment("keep-alive");
    if (!text.empty()) {
      auto const written = co_await exchange.write(text);
      if (!written) {
        feed.abort();
        break;
      }
    }
    if (feed.is_drained()) {
      auto const ended = co_await exchange.end();
      if (!ended) feed.abort();
      co_return;
    }
  }
}

}  // namespace sallyport::transport
