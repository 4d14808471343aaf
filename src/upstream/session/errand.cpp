#include "src/upstream/session/errand.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::client::Answers;
using mcp::client::Inquiry;
using mcp::client::Outcome;

// Said on the stream of some request, meant for all.
constexpr std::array<std::string_view, 4> kForEverybody{
    "notifications/tools/list_changed", "notifications/prompts/list_changed",
    "notifications/resources/list_changed", "notifications/resources/updated"};

Error over() {
  return fail(Errc::Cancelled, "The request is over.");
}

}  // namespace

void Inbox::put(Said said) {
  said_.push_back(std::move(said));
  came_.raise();
}

Task<Said> Inbox::next() {
  while (said_.empty()) SP_CO_CHECK(co_await came_.wait());
  auto said = std::move(said_.front());
  said_.pop_front();
  co_return std::move(said);
}

Errand::Errand(Job job, mcp::client::Observer& observer, Executor home)
    : job_{std::move(job)}, observer_{observer}, home_{home}, changed_{home} {
  job_.ask.about = &job_.about;
}

void Errand::attach(std::shared_ptr<Inbox> inbox) {
  asio::dispatch(home_, [self = shared_from_this(), inbox = std::move(inbox)]() mutable {
    self->inbox_ = std::move(inbox);
    if (auto said = std::exchange(self->unheard_, std::nullopt)) self->say(std::move(*said));
  });
}

void Errand::settle(Result<Answers> answers) {
  asio::dispatch(home_, [self = shared_from_this(), answers = std::move(answers)]() mutable {
    self->settled_ = std::move(answers);
    self->changed_.raise();
  });
}

void Errand::give_up() {
  asio::dispatch(home_, [self = shared_from_this()] {
    self->inbox_.reset();
    self->given_up_ = true;
    self->changed_.raise();
    if (self->child_ && !self->ended_) (*self->child_)->emit(asio::cancellation_type::terminal);
  });
}

void Errand::run_in(TaskGroup& group, Task<Outcome> request) {
  if (given_up_) return;
  auto const child =
      group.spawn("a request to a server", run(shared_from_this(), std::move(request)));
  if (!ended_) child_ = child;
}

Task<void> Errand::run(std::shared_ptr<Errand> self, Task<Outcome> request) {
  auto outcome = co_await capture(std::move(request));
  self->ended_ = true;
  self->changed_.raise();  // its questions are over as well
  self->say(Ended{std::move(outcome)});
  co_return Result<void>{};
}

void Errand::heard(mcp::NotificationMessage const& message) {
  if (std::ranges::count(kForEverybody, std::string_view{message.method}) > 0) {
    observer_.heard(message);
  } else {
    say(message);
  }
}

Task<Answers> Errand::answer(Inquiry inquiry) {
  while (asking_ && !is_over()) SP_CO_CHECK(co_await changed_.wait());
  if (is_over()) co_return over();
  asking_ = true;
  settled_.reset();
  say(std::move(inquiry));
  while (!settled_ && !is_over()) {
    if (auto const waited = co_await changed_.wait(); !waited) {
      settled_ = waited.error();
    }
  }
  asking_ = false;
  changed_.raise();  // for the next question
  if (!settled_) co_return over();
  co_return std::move(*settled_);
}

void Errand::say(Said said) {
  if (inbox_ == nullptr) {
    // News that nobody hears are of no use to anybody later.
    if (std::holds_alternative<Ended>(said)) unheard_ = std::move(said);
    return;
  }
  auto const executor = inbox_->executor();
  asio::dispatch(executor, [inbox = inbox_, said = std::move(said)]() mutable {
    inbox->put(std::move(said));
  });
}

}  // namespace sallyport::upstream
