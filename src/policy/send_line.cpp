#include "src/policy/send_line.hpp"

#include "src/base/assert.hpp"

#include <utility>

namespace sallyport::policy {

Result<http::Response> SendLine::ask(SendRequest request, Deadline patience) {
  std::unique_lock lock{mutex_};
  answer_.reset();
  if (!closed_) {
    question_ = std::move(request);
    asked_->set();
    changed_.wait_until(lock, patience.at, [this] { return closed_ || answer_.has_value(); });
  }
  if (answer_) return *std::exchange(answer_, std::nullopt);
  if (closed_) return fail(Errc::Cancelled, "The request was cancelled.");
  // The answer to this question must not be taken for that to the next one.
  closed_ = true;
  return fail(Errc::DeadlineExceeded, "The request took too long.");
}

Async<void> SendLine::serve(Sender& sender, Question judged) {
  for (;;) {
    auto const asked = next_question();
    auto const wakeup = co_await asked->wait();
    if (wakeup != Wakeup::Happened) co_return;
    auto came = co_await capture(sender.send(take_question(), judged));
    bool const given_up = !came && came.error().code == Errc::Cancelled;
    answer(std::move(came));
    if (given_up) co_return;
  }
}

void SendLine::close() {
  {
    std::lock_guard const lock{mutex_};
    closed_ = true;
  }
  changed_.notify_all();
}

std::shared_ptr<OneShotEvent> SendLine::next_question() {
  std::lock_guard const lock{mutex_};
  return asked_;
}

SendRequest SendLine::take_question() {
  std::lock_guard const lock{mutex_};
  SP_ASSERT(question_.has_value(), "who asks has written the question");
  asked_ = OneShotEvent::make();
  return *std::exchange(question_, std::nullopt);
}

void SendLine::answer(Result<http::Response> answer) {
  {
    std::lock_guard const lock{mutex_};
    answer_ = std::move(answer);
  }
  changed_.notify_all();
}

}  // namespace sallyport::policy
