// The views of all principals, with their streams.
//
// SECURITY: a view is found together with its principal, and a stream in its view alone: for
// everybody else they do not exist.
#pragma once

#include "src/stream/pull.hpp"
#include "src/stream/view.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::stream {

// Who asks: Principal::key() and the name of the view.
struct ViewKey {
  std::string principal;
  std::string view;
};

// From any thread, unless it says otherwise.
class Views {
 public:
  explicit Views(Limits limits, View::Now now = &Clock::now);
  ~Views();  // after stop(), if anything was opened
  Views(Views const&) = delete;
  Views& operator=(Views const&) = delete;

  Limits const& limits() const noexcept { return limits_; }

  // Whether the view may have one more stream: for whoever would trouble an origin in vain. Fails
  // with LimitExceeded.
  Result<void> check_place(ViewKey const& key) const;
  // A stream at home on the loop of the caller, not published yet. Fails with LimitExceeded.
  Result<Opening> open(ViewKey const& key, Executor home);
  // On the stream's home loop: starts a coroutine of it. It ends with the stream; what it fails
  // with is the stream's last frame. Fails at the end of the program.
  Result<void> start(std::shared_ptr<Stream> const& stream, std::string_view name, Task<void> task);

  // Fails with NotFound.
  Result<std::shared_ptr<Stream>> find(ViewKey const& key, std::string_view id) const;
  // Those of them that there were. Without a view there are none.
  std::vector<std::string> close(ViewKey const& key, std::vector<std::string> const& ids);
  std::vector<std::string> close_all(ViewKey const& key);

  // Ends the view's pull before it, if there is one. Fails with InvalidInput.
  Result<Pull> pull(ViewKey const& key, PullRequest request);

  // Ends what nobody has pulled for too long. Call it now and then.
  void sweep();

  // Ends every stream, and returns when the last coroutine has ended. Nothing starts afterwards.
  Task<void> stop();

  std::size_t size() const;

 private:
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<View>> views;
  };

  Shard& shard_of(std::string const& key) const;
  std::shared_ptr<View> find_view(ViewKey const& key) const;
  Result<std::shared_ptr<View>> find_or_make(ViewKey const& key);
  // One more; gives what all of them may hold.
  Result<std::shared_ptr<Budget>> count_view(std::string const& principal);
  void forget_view(std::string const& key);

  Limits const limits_;
  View::Now const now_;
  mutable std::array<Shard, 16> shards_;

  std::mutex mutex_;  // of what follows; never held together with a shard's
  bool stopping_{false};
  struct Holder {
    std::size_t views{0};
    std::shared_ptr<Budget> budget;
  };
  std::unordered_map<std::string, Holder> holders_;                           // by principal
  std::unordered_map<asio::io_context*, std::unique_ptr<TaskGroup>> groups_;  // one for each loop
};

}  // namespace sallyport::stream
