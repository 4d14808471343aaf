#include "src/egress/delivery.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::egress {

void Delivery::put_head(ResponseHead head, ExchangeStats so_far) {
  std::lock_guard const lock{mutex_};
  head_ = std::move(head);
  stats_ = std::move(so_far);
  has_head_ = true;
  wake();
}

bool Delivery::put_body(std::string_view piece, std::uint64_t received) {
  std::lock_guard const lock{mutex_};
  if (unread_.size() >= kEnoughUnread) {
    origin_waits_ = true;
    return false;
  }
  stats_.bytes_received = received;
  append(piece);
  wake();
  return true;
}

bool Delivery::force_body(std::string_view piece, std::uint64_t received) {
  std::lock_guard const lock{mutex_};
  stats_.bytes_received = received;
  append(piece);
  wake();
  origin_waits_ = unread_.size() >= kEnoughUnread;
  return !origin_waits_;
}

void Delivery::put_whole(ResponseHead head, std::string body, ExchangeStats stats) {
  std::lock_guard const lock{mutex_};
  head_ = std::move(head);
  unread_ = std::move(body);
  stats_ = std::move(stats);
  has_head_ = true;
  has_ended_ = true;
  wake();
}

void Delivery::put_end(std::optional<Error> failure, ExchangeStats stats) {
  std::lock_guard const lock{mutex_};
  failure_ = std::move(failure);
  stats_ = std::move(stats);
  has_ended_ = true;
  wake();
}

Async<Wakeup> Delivery::head_or_end() {
  std::shared_ptr<OneShotEvent> event;
  {
    std::lock_guard const lock{mutex_};
    if (has_head_ || has_ended_) co_return Wakeup::Happened;
    event = reader_ = OneShotEvent::make();
  }
  co_return co_await event->wait();
}

Async<Wakeup> Delivery::body_or_end() {
  std::shared_ptr<OneShotEvent> event;
  {
    std::lock_guard const lock{mutex_};
    if (!unread_.empty() || has_ended_) co_return Wakeup::Happened;
    event = reader_ = OneShotEvent::make();
  }
  co_return co_await event->wait();
}

Async<Wakeup> Delivery::end() {
  for (;;) {
    std::shared_ptr<OneShotEvent> event;
    {
      std::lock_guard const lock{mutex_};
      if (has_ended_) co_return Wakeup::Happened;
      event = reader_ = OneShotEvent::make();
    }
    auto const wakeup = co_await event->wait();  // a piece may have come first
    if (wakeup == Wakeup::Cancelled) co_return wakeup;
  }
}

Delivery::Taken Delivery::take() {
  std::lock_guard const lock{mutex_};
  if (unread_.empty() && failure_) return {*failure_};
  return {std::exchange(unread_, {}), std::exchange(origin_waits_, false)};
}

std::optional<Error> Delivery::failure() const {
  std::lock_guard const lock{mutex_};
  return failure_;
}

bool Delivery::has_head() const {
  std::lock_guard const lock{mutex_};
  return has_head_;
}

bool Delivery::has_ended() const {
  std::lock_guard const lock{mutex_};
  return has_ended_;
}

ExchangeStats Delivery::stats() const {
  std::lock_guard const lock{mutex_};
  return stats_;
}

// Doubling would copy everything once more on the way to a full one.
void Delivery::append(std::string_view piece) {
  auto const size = unread_.size() + piece.size();
  if (!unread_.empty() && size > unread_.capacity()) {
    constexpr auto kFew = 4 * kMostAtOnce;
    constexpr auto kFull = kEnoughUnread + kMostAtOnce;
    unread_.reserve(size <= kFew ? kFew : std::max(size, kFull));
  }
  unread_.append(piece);
}

void Delivery::wake() {
  if (auto const reader = std::exchange(reader_, nullptr)) reader->set();
}

}  // namespace sallyport::egress
