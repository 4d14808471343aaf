// One stream of a view: its frames on the way to the view, its pieces on the way to an origin, and
// the coroutines that carry them.
//
// It is at home on the loop it was opened on, where its coroutines run; calls about it come in on
// all loops. What they share is behind the mutex of the view, which is held for moments only.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/base/task_group.hpp"
#include "src/stream/downlink.hpp"
#include "src/stream/uplink.hpp"

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::stream {

class View;

// Made by Views::open().
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<View> view, Executor home, std::string id);
  ~Stream();
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;

  std::string const& id() const noexcept { return id_; }
  Executor const& home() const noexcept { return home_; }
  std::size_t window() const noexcept;

  // For its coroutines, at home. Once it is closed, frames go nowhere and waits fail with
  // Cancelled.

  // Returns when there is room for another frame: the origin is held back until then.
  Task<void> room();
  void add(Frame frame);
  void fail_with(Error const& error);
  // The next piece to send; nothing when none will come. Then sent() or end_uplink().
  Task<std::optional<Piece>> next_piece();
  void sent(std::size_t cost);
  void end_uplink(Error why);

  // From any loop:

  // Before it is published: it will take pushes.
  void open_uplink(Uplink::Takes what);
  std::size_t uplink_credit() const;
  struct Pushed {
    std::uint64_t ack{0};
    std::size_t credit{0};
  };
  // Waits before and after while the origin has yet to take more than a push's worth, so that there
  // is credit when it returns. Giving up loses nothing: what was taken in stays, and the number
  // tells. Fails with what Uplink fails with, with DeadlineExceeded and with Cancelled.
  Task<Pushed> push(std::uint64_t seq, std::vector<Piece> pieces, Deadline deadline);
  // As the last thing that it sends. Fails with InvalidInput where it is no WebSocket.
  Result<void> say_goodbye(Piece piece);

  // Makes it one of its view's; until then it is its opener's alone. Fails with LimitExceeded.
  Result<void> publish();
  // Until it is complete, or has more than `bytes`, or the deadline. Fails with Cancelled.
  Task<void> settled(std::size_t bytes, Deadline deadline);
  // Of a stream that nobody else knows: all of its body, if it is complete and no more than that.
  // One that broke has a head and a beginning, which are for its frames to tell.
  std::optional<std::string> take_whole(std::size_t bytes);

  // Ends it and its coroutines; nobody hears of it any more.
  void close();

  // At home, for Views: a coroutine of it. `started` as in TaskGroup.
  void run(TaskGroup& group, std::string_view name, Task<void> task);

 private:
  friend class View;

  struct Running {
    std::optional<TaskGroup::Child> child;
    bool* ended{nullptr};
  };
  using Children = std::list<Running>;

  Task<void> run_child(Children::iterator place, Task<void> task);
  void cancel_children();

  // With the lock of the view held:
  bool has_room_in_view() const;
  bool has_room() const;
  void wake_pump();
  void wake_sender();
  void wake_pushers();
  void end_uplink_locked(Error why);

  std::shared_ptr<View> const view_;
  Executor const home_;
  std::string const id_;

  Children children_;  // at home

  // Behind the lock of the view:
  Downlink down_;
  std::optional<Uplink> up_;
  bool failed_{false};
  bool listed_{false};
  bool closed_{false};
  std::shared_ptr<OneShotEvent> room_;     // while a pump waits
  std::shared_ptr<OneShotEvent> unsent_;   // while a sender waits
  std::shared_ptr<OneShotEvent> pushed_;   // while pushes wait
  std::shared_ptr<OneShotEvent> settled_;  // while its opener waits
};

// Closes a stream that its opener gave up on before it was published.
class Opening {
 public:
  explicit Opening(std::shared_ptr<Stream> stream) : stream_{std::move(stream)} {}
  ~Opening() {
    if (stream_) stream_->close();
  }
  Opening(Opening&&) noexcept = default;
  Opening& operator=(Opening&&) = delete;

  std::shared_ptr<Stream> const& operator*() const noexcept { return stream_; }
  Stream* operator->() const noexcept { return stream_.get(); }
  Result<void> publish() {
    SP_CHECK(stream_->publish());
    stream_.reset();
    return {};
  }

 private:
  std::shared_ptr<Stream> stream_;
};

}  // namespace sallyport::stream
