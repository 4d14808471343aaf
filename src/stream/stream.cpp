#include "src/stream/stream.hpp"

#include "src/base/assert.hpp"
#include "src/stream/view.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace sallyport::stream {
namespace {

Error stream_closed() {
  return fail(Errc::Cancelled, "The stream was closed.");
}

void wake(std::shared_ptr<OneShotEvent>& event) {
  if (auto const waiting = std::exchange(event, nullptr)) waiting->set();
}

std::shared_ptr<OneShotEvent> waiting_on(std::shared_ptr<OneShotEvent>& event) {
  if (!event) event = OneShotEvent::make();
  return event;
}

}  // namespace

Stream::Stream(std::shared_ptr<View> view, Executor home, std::string id)
    : view_{std::move(view)}, home_{home}, id_{std::move(id)}, down_{view_->limits().window} {}

Stream::~Stream() = default;

std::size_t Stream::window() const noexcept {
  return view_->limits().window;
}

// A stream that has nothing may always read something: those that nobody reads must not stop the
// others of their view and of their principal.
bool Stream::has_room_in_view() const {
  auto const& limits = view_->limits();
  return down_.cost() == 0 || (down_.cost() < limits.window && view_->cost_ < limits.view_bytes);
}

bool Stream::has_room() const {
  return has_room_in_view() && (down_.cost() == 0 || view_->budget_->has_room());
}

void Stream::wake_pump() {
  wake(room_);
}

void Stream::wake_sender() {
  wake(unsent_);
}

void Stream::wake_pushers() {
  wake(pushed_);
}

Task<void> Stream::room() {
  for (;;) {
    std::shared_ptr<OneShotEvent> event;
    {
      std::lock_guard const lock{view_->mutex_};
      if (closed_) co_return stream_closed();
      if (has_room()) {
        view_->budget_->forget(this);
        co_return Result<void>{};
      }
      // Of its own each time: the budget may have set the one before.
      event = room_ = OneShotEvent::make();
      if (has_room_in_view()) view_->budget_->wake_with_room(this, event);
    }
    if (co_await event->wait() == Wakeup::Cancelled) co_return stream_closed();
  }
}

void Stream::add(Frame frame) {
  std::lock_guard const lock{view_->mutex_};
  if (closed_) return;
  view_->take_cost(down_.add(std::move(frame)));
  if (down_.is_complete() && up_) {
    end_uplink_locked(fail(Errc::UpstreamFailed, "The stream is over: nothing can be sent."));
  }
  wake(settled_);
  if (listed_) view_->wake_puller();
}

void Stream::fail_with(Error const& error) {
  {
    std::lock_guard const lock{view_->mutex_};
    failed_ = failed_ || !down_.is_complete();
  }
  add(error_frame(error));
}

void Stream::open_uplink(Uplink::Takes what) {
  std::lock_guard const lock{view_->mutex_};
  up_.emplace(what, view_->limits().unsent, view_->limits().message_bytes);
}

std::size_t Stream::uplink_credit() const {
  std::lock_guard const lock{view_->mutex_};
  return up_ ? up_->credit() : 0;
}

Task<std::optional<Piece>> Stream::next_piece() {
  for (;;) {
    std::shared_ptr<OneShotEvent> event;
    {
      std::lock_guard const lock{view_->mutex_};
      if (closed_ || !up_ || up_->is_over()) co_return std::optional<Piece>{};
      if (auto piece = up_->take()) co_return piece;
      event = waiting_on(unsent_);
    }
    if (co_await event->wait() == Wakeup::Cancelled) co_return stream_closed();
  }
}

void Stream::sent(std::size_t cost) {
  std::lock_guard const lock{view_->mutex_};
  up_->sent(cost);
  wake_pushers();
}

void Stream::end_uplink(Error why) {
  std::lock_guard const lock{view_->mutex_};
  end_uplink_locked(std::move(why));
}

void Stream::end_uplink_locked(Error why) {
  if (up_) up_->end(std::move(why));
  wake_sender();
  wake_pushers();
}

Task<Stream::Pushed> Stream::push(std::uint64_t seq, std::vector<Piece> pieces, Deadline deadline) {
  for (bool taken = false;;) {
    std::shared_ptr<OneShotEvent> event;
    {
      std::lock_guard const lock{view_->mutex_};
      if (closed_) co_return fail(Errc::NotFound, "There is no such stream.");
      if (!up_) co_return fail(Errc::InvalidInput, "The stream takes nothing from its view.");
      bool const must_wait = up_->is_full() && !up_->is_over();
      if (!taken && (!must_wait || seq != up_->next_seq())) {
        SP_CO_CHECK(up_->push(seq, std::move(pieces)));
        taken = true;
        wake_sender();
        continue;
      }
      if (!must_wait) co_return Pushed{up_->next_seq(), up_->credit()};
      event = waiting_on(pushed_);
    }
    auto const woken = co_await event->wait(deadline);
    if (woken == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (woken == Wakeup::DeadlinePassed) {
      co_return fail(Errc::DeadlineExceeded, "The origin took too long to take what was pushed.");
    }
  }
}

Result<void> Stream::say_goodbye(Piece piece) {
  std::lock_guard const lock{view_->mutex_};
  if (!up_) return fail(Errc::InvalidInput, "The stream is no WebSocket.");
  SP_CHECK(up_->push_last(std::move(piece)));
  wake_sender();
  return {};
}

Result<void> Stream::publish() {
  std::lock_guard const lock{view_->mutex_};
  if (closed_) return fail(Errc::Cancelled, "The request was cancelled.");
  SP_CHECK(view_->check_place_locked());
  SP_ASSERT(!listed_, "a stream is published once");
  listed_ = true;
  --view_->unpublished_;
  view_->streams_.emplace(id_, shared_from_this());
  view_->last_pull_ = view_->now_();
  view_->wake_puller();
  return {};
}

Task<void> Stream::settled(std::size_t bytes, Deadline deadline) {
  for (;;) {
    std::shared_ptr<OneShotEvent> event;
    {
      std::lock_guard const lock{view_->mutex_};
      if (closed_) co_return stream_closed();
      if (down_.is_complete() || down_.payload_bytes() > bytes) co_return Result<void>{};
      event = waiting_on(settled_);
    }
    auto const woken = co_await event->wait(deadline);
    if (woken == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (woken == Wakeup::DeadlinePassed) co_return Result<void>{};
  }
}

std::optional<std::string> Stream::take_whole(std::size_t bytes) {
  std::lock_guard const lock{view_->mutex_};
  SP_ASSERT(!listed_, "nobody else reads it");
  if (failed_ || !down_.is_complete() || down_.payload_bytes() > bytes) return std::nullopt;
  return down_.take_payload();
}

void Stream::close() {
  std::lock_guard const lock{view_->mutex_};
  view_->drop(*this);
}

void Stream::run(TaskGroup& group, std::string_view name, Task<void> task) {
  bool ended = false;
  auto const place = children_.insert(children_.end(), Running{.child = {}, .ended = &ended});
  auto const child = group.spawn(name, run_child(place, std::move(task)));
  if (ended) return;
  place->ended = nullptr;
  place->child = child;
}

Task<void> Stream::run_child(Children::iterator place, Task<void> task) {
  auto const self = shared_from_this();
  // As with calls: what is cancelled while it is about to go on ends at its next wait.
  co_await asio::this_coro::throw_if_cancelled(true);
  auto const outcome = co_await capture(std::move(task));
  co_await asio::this_coro::throw_if_cancelled(false);
  if (!outcome) fail_with(outcome.error());
  if (place->ended != nullptr) *place->ended = true;
  children_.erase(place);
  co_return Result<void>{};
}

void Stream::cancel_children() {
  for (auto running = children_.begin(); running != children_.end();) {
    auto const next = std::next(running);
    if (running->child) (*running->child)->emit(asio::cancellation_type::terminal);
    running = next;
  }
}

}  // namespace sallyport::stream
