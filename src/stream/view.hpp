// The streams of one page, and its pulls: one at a time, all streams together.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/stream/budget.hpp"
#include "src/stream/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::stream {

struct PullRequest {
  using Numbers = std::vector<std::pair<std::string, std::uint64_t>>;
  Numbers acks;    // by stream: the first frame that the view does not have
  Numbers credit;  // by stream: bytes it takes from there on
};

// From any thread.
class View : public std::enable_shared_from_this<View> {
 public:
  using Now = std::function<Clock::time_point()>;

  // `budget` is its principal's.
  View(Limits limits, std::shared_ptr<Budget> budget, Now now)
      : limits_{limits}, now_{std::move(now)}, budget_{std::move(budget)}, last_pull_{now_()} {}

  Limits const& limits() const noexcept { return limits_; }

  // A stream that is not published yet; nothing when the view is gone.
  std::shared_ptr<Stream> make_stream(Executor home);
  std::shared_ptr<Stream> find(std::string_view id) const;
  std::vector<std::string> ids() const;
  std::size_t open() const;
  // Whether one more stream can be published. Fails with LimitExceeded.
  Result<void> check_place() const;

  // Whether it is gone now: nothing is open, or nobody has pulled for too long. Its streams are
  // closed then.
  bool expire(Clock::time_point now);
  void close_all();

  // For Pull:

  struct Begun {
    std::uint64_t turn{0};
    bool names_unknown{false};
  };
  // Ends the pull before it. Fails with InvalidInput, and changes nothing then.
  Result<Begun> begin_pull(PullRequest const& request);
  void end_pull();
  std::vector<NumberedFrame> take(std::uint64_t turn, std::size_t max_bytes);
  // Until there may be something for that turn to do.
  Async<Wakeup> wait(std::uint64_t turn, Deadline deadline);
  struct State {
    bool superseded{false};
    bool may_send{false};  // any stream, with the credit it has
    std::size_t open{0};
  };
  State state(std::uint64_t turn) const;

 private:
  friend class Stream;

  // With the lock held:
  Result<void> check_place_locked() const;
  Result<void> check(PullRequest const& request) const;
  bool has_frames() const;
  void wake_puller();
  void wake_pumps();
  void drop(Stream& stream);  // from the list, its cost and its waits
  void take_cost(std::size_t bytes);
  void give_back_cost(std::size_t bytes);

  Limits const limits_;
  Now const now_;
  std::shared_ptr<Budget> const budget_;

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Stream>, std::less<>> streams_;
  std::size_t unpublished_{0};
  std::size_t cost_{0};  // of all frames of all streams
  std::uint64_t turn_{0};
  std::size_t pulls_{0};  // under way
  Clock::time_point last_pull_;
  std::string last_served_;  // so that no stream is always first
  bool gone_{false};
  std::shared_ptr<OneShotEvent> puller_;  // while one waits
};

}  // namespace sallyport::stream
