// Between a policy that is evaluated in a thread of its own and the coroutine that waits for its
// judgement: the thread asks and blocks, the coroutine sends and answers.
//
// So whatever a policy sends is part of the call that it judges: on the same loop, and ended with
// it.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/policy/sender.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace sallyport::policy {

class SendLine {
 public:
  // In the thread: blocks until there is an answer. Fails as the sender does, with Cancelled once
  // the line is closed, and with DeadlineExceeded at `patience`, which closes it.
  Result<http::Response> ask(SendRequest request, Deadline patience);

  // On the loop: sends one request after another until it is cancelled. `judged` outlives it.
  Async<void> serve(Sender& sender, Question judged);

  // From any thread: nobody answers any more.
  void close();

 private:
  std::shared_ptr<OneShotEvent> next_question();
  SendRequest take_question();
  void answer(Result<http::Response> answer);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<SendRequest> question_;
  std::shared_ptr<OneShotEvent> asked_ = OneShotEvent::make();  // for the next question
  std::optional<Result<http::Response>> answer_;
  bool closed_{false};
};

}  // namespace sallyport::policy
