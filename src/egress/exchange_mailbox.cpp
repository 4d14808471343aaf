#include "src/egress/exchange_mailbox.hpp"

#include "src/base/assert.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace sallyport::egress {

ExchangeMailbox::ExchangeMailbox(std::size_t capacity)
    : capacity_{capacity}, descriptor_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  SP_ASSERT(descriptor_ >= 0, "the system gives an eventfd at start");
}

ExchangeMailbox::~ExchangeMailbox() {
  ::close(descriptor_);
}

Result<void> ExchangeMailbox::submit(std::unique_ptr<PreparedRequest> request,
                                     std::shared_ptr<Delivery> delivery) {
  std::unique_lock lock{mutex_};
  if (contents_.closed) return fail(Errc::Cancelled, "The request was cancelled.");
  if (under_way_ >= capacity_) {
    return fail(
        Errc::LimitExceeded,
        fmt::format("Too many outgoing requests are under way (the limit is {}).", capacity_));
  }
  ++under_way_;
  contents_.submitted.push_back({std::move(request), std::move(delivery)});
  ring(std::move(lock));
  return {};
}

void ExchangeMailbox::give_up(std::shared_ptr<Delivery> delivery) {
  std::unique_lock lock{mutex_};
  if (contents_.closed) return;
  contents_.given_up.push_back(std::move(delivery));
  ring(std::move(lock));
}

void ExchangeMailbox::want_more(std::shared_ptr<Delivery> delivery) {
  std::unique_lock lock{mutex_};
  if (contents_.closed) return;
  contents_.wanted.push_back(std::move(delivery));
  ring(std::move(lock));
}

void ExchangeMailbox::feed(std::shared_ptr<Delivery> delivery) {
  std::unique_lock lock{mutex_};
  if (contents_.closed) return;
  contents_.fed.push_back(std::move(delivery));
  ring(std::move(lock));
}

void ExchangeMailbox::close() {
  std::unique_lock lock{mutex_};
  contents_.closed = true;
  ring(std::move(lock));
}

void ExchangeMailbox::take(Contents& into) {
  std::lock_guard const lock{mutex_};
  rung_ = false;
  // The vectors change places, so that both keep their memory.
  std::swap(contents_.submitted, into.submitted);
  std::swap(contents_.given_up, into.given_up);
  std::swap(contents_.wanted, into.wanted);
  std::swap(contents_.fed, into.fed);
  into.closed = contents_.closed;
}

void ExchangeMailbox::release(std::size_t ended) {
  std::lock_guard const lock{mutex_};
  under_way_ -= ended;
}

// One write serves all that is put in until the thread looks. It is made without the lock: the
// thread that it wakes takes the lock first thing.
void ExchangeMailbox::ring(std::unique_lock<std::mutex> lock) {
  if (std::exchange(rung_, true)) return;
  lock.unlock();
  std::uint64_t const one = 1;
  auto const written = ::write(descriptor_, &one, sizeof one);
  SP_ASSERT(written == sizeof one, "a counter far below its maximum can be raised");
}

}  // namespace sallyport::egress
