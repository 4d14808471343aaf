// Children that wait for the next script of their session.
#pragma once

#include "src/base/task.hpp"
#include "src/js/zygote.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace sallyport::js {

struct SessionLimits {
  std::size_t all{64};
  std::size_t per_owner{8};
  std::chrono::milliseconds idle{600'000};
};

// From any thread.
class Sessions {
 public:
  explicit Sessions(SessionLimits limits) : limits_{limits} {}

  // Reserves the session for one script; no child: it is new. Fails with LimitExceeded while
  // another runs in it, or when there is no room: sessions of `owner` that wait make room for its
  // new ones.
  Result<std::unique_ptr<Child>> take(std::string const& session, std::string const& owner);
  // Without a child the session has ended.
  void put_back(std::string const& session, std::unique_ptr<Child> child);

  std::size_t count();

  void end(std::string_view session);
  void sweep(Clock::time_point now);

 private:
  struct Session {
    std::string owner;
    std::unique_ptr<Child> child;  // none while a script runs
    Clock::time_point last_used;
    bool ends{false};  // once its script has ended
  };
  using Table = std::map<std::string, Session, std::less<>>;

  bool make_room(std::string const& owner);

  SessionLimits const limits_;
  std::mutex mutex_;
  Table sessions_;
};

}  // namespace sallyport::js
