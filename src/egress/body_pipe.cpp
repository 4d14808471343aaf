#include "src/egress/body_pipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::egress {

void BodyPipe::limit(std::uint64_t bytes) {
  std::lock_guard const lock{mutex_};
  limit_ = bytes;
  // What was written before anybody knew the limit.
  std::function<void()> nobody_takes_yet;
  if (written_ > limit_) fail_now(too_large(), nobody_takes_yet);
}

void BodyPipe::connect(std::function<void()> wake) {
  std::lock_guard const lock{mutex_};
  wake_ = std::move(wake);
}

BodyPipe::Taken BodyPipe::take(std::span<char> into) {
  std::lock_guard const lock{mutex_};
  if (failure_ || disconnected_) return {Flow::Failed};
  auto const left = unsent_.size() - sent_of_it_;
  if (left == 0 && finished_) return {Flow::End};
  connector_waits_ = left == 0;
  if (left == 0) return {Flow::Later};
  auto const count = std::min(left, into.size());
  std::copy_n(unsent_.data() + sent_of_it_, count, into.data());
  sent_of_it_ += count;
  taken_ += count;
  if (sent_of_it_ == unsent_.size()) {
    unsent_.clear();
    sent_of_it_ = 0;
  }
  if (unsent_.size() - sent_of_it_ < kEnoughUnsent) wake_writer();
  return {Flow::Bytes, count};
}

void BodyPipe::disconnect(Error why) {
  std::lock_guard const lock{mutex_};
  wake_ = nullptr;
  if (disconnected_) return;
  disconnected_ = std::move(why);
  unsent_ = {};
  sent_of_it_ = 0;
  wake_writer();
}

std::uint64_t BodyPipe::taken() const {
  std::lock_guard const lock{mutex_};
  return taken_;
}

std::optional<Error> BodyPipe::failure() const {
  std::lock_guard const lock{mutex_};
  return failure_ ? failure_ : disconnected_;
}

Task<void> BodyPipe::write(std::string piece) {
  auto const wakeup = co_await room();
  if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return put(std::move(piece));
}

Async<Wakeup> BodyPipe::room() {
  std::shared_ptr<OneShotEvent> event;
  {
    std::lock_guard const lock{mutex_};
    bool const full = unsent_.size() - sent_of_it_ >= kEnoughUnsent;
    if (!full || disconnected_ || failure_) co_return Wakeup::Happened;
    event = writer_ = OneShotEvent::make();
  }
  co_return co_await event->wait();
}

Result<void> BodyPipe::put(std::string piece) {
  std::function<void()> wake;
  auto const done = [&]() -> Result<void> {
    std::lock_guard const lock{mutex_};
    if (disconnected_) return *disconnected_;
    if (failure_) return *failure_;
    if (finished_) return fail(Errc::InvalidInput, "The body of the request has ended already.");
    if (size_ && written_ + piece.size() > *size_) {
      return fail_now(
          fail(Errc::InvalidInput,
               fmt::format("The body of the request is longer than the announced {} bytes.",
                           *size_)),
          wake);
    }
    if (written_ + piece.size() > limit_) return fail_now(too_large(), wake);
    written_ += piece.size();
    // Pieces are most often taken as a whole before the next one comes.
    unsent_.erase(0, std::exchange(sent_of_it_, 0));
    if (unsent_.empty()) {
      unsent_ = std::move(piece);
    } else {
      unsent_ += piece;
    }
    wake = waker();
    return {};
  }();
  if (wake) wake();
  return done;
}

Result<void> BodyPipe::finish() {
  std::function<void()> wake;
  auto const done = [&]() -> Result<void> {
    std::lock_guard const lock{mutex_};
    if (disconnected_) return *disconnected_;
    if (failure_) return *failure_;
    if (size_ && written_ < *size_) {
      return fail_now(
          fail(Errc::InvalidInput,
               fmt::format("The body of the request ended after {} of the announced {} bytes.",
                           written_, *size_)),
          wake);
    }
    finished_ = true;
    wake = waker();
    return {};
  }();
  if (wake) wake();
  return done;
}

void BodyPipe::break_off(Error why) {
  std::function<void()> wake;
  {
    std::lock_guard const lock{mutex_};
    if (finished_ || failure_) return;
    fail_now(std::move(why), wake);
  }
  if (wake) wake();
}

Error BodyPipe::too_large() const {
  return fail(Errc::LimitExceeded,
              fmt::format("The request body has more than the {} bytes that are allowed.", limit_));
}

Error BodyPipe::fail_now(Error why, std::function<void()>& wake) {
  wake = wake_;  // also where the connector waits for the origin
  failure_ = std::move(why);
  unsent_ = {};
  sent_of_it_ = 0;
  wake_writer();
  return *failure_;
}

// To be called without the lock: the mailbox of the connector has one of its own.
std::function<void()> BodyPipe::waker() {
  return std::exchange(connector_waits_, false) ? wake_ : nullptr;
}

void BodyPipe::wake_writer() {
  if (auto const writer = std::exchange(writer_, nullptr)) writer->set();
}

BodyWriter::~BodyWriter() {
  if (pipe_) {
    pipe_->break_off(
        sallyport::fail(Errc::Cancelled, "The body of the request was not completed."));
  }
}

BodyWriter& BodyWriter::operator=(BodyWriter&& other) noexcept {
  std::swap(pipe_, other.pipe_);  // the other breaks off what this one had begun
  return *this;
}

BodyEnds make_body_pipe(std::optional<std::uint64_t> size) {
  auto pipe = std::make_shared<BodyPipe>(size);
  return {BodyWriter{pipe}, pipe};
}

}  // namespace sallyport::egress
