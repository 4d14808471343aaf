// A legacy session: what `initialize` agreed on.
//
// Requests of one session arrive on any event loop. What was agreed never changes, so every loop
// reads it freely; the few things that do change are atomic, or rare and behind a lock.
#pragma once

#include "src/base/task.hpp"
#include "src/json/value.hpp"
#include "src/mcp/log_level.hpp"
#include "src/mcp/revision.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace sallyport::mcp {

// A client wants to hear of a resource, for as long as this is kept.
using Interest = std::shared_ptr<void const>;

class Session {
 public:
  struct Agreement {
    Revision revision{kLatestLegacy};
    json::Object capabilities;
    json::Object client_info;
    std::string principal;  // of the request that opened it; others are refused
  };

  Session(std::string id, Agreement agreement);

  std::string const& id() const noexcept { return id_; }
  Agreement const& agreement() const noexcept { return agreement_; }

  LogLevel log_level() const noexcept { return log_level_.load(std::memory_order_relaxed); }
  void set_log_level(LogLevel level) noexcept { log_level_ = level; }

  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  void close() noexcept { closed_.store(true, std::memory_order_release); }

  void touch() noexcept;
  Clock::time_point last_used() const noexcept;

  // A session has one standing stream; the newest one counts.
  std::uint64_t open_stream() noexcept { return ++stream_; }
  bool is_current_stream(std::uint64_t stream) const noexcept { return stream_ == stream; }

  void subscribe(std::string uri, Interest interest = {});
  void unsubscribe(std::string const& uri);
  bool is_subscribed(std::string const& uri) const;

 private:
  std::string const id_;
  Agreement const agreement_;
  std::atomic<LogLevel> log_level_{LogLevel::Info};
  std::atomic<bool> closed_{false};
  std::atomic<Clock::rep> last_used_;
  std::atomic<std::uint64_t> stream_{0};
  mutable std::mutex subscriptions_mutex_;
  std::map<std::string, Interest> subscriptions_;
};

// All sessions of the process. Each loop keeps what it found here (SessionCache), so the lock is
// taken when a session is first seen by a loop, not per request.
class SessionDirectory {
 public:
  struct Limits {
    std::size_t sessions{10'000};
    std::chrono::seconds idle_timeout{3600};
  };

  explicit SessionDirectory(Limits limits) : limits_{limits} {}

  // Never fails: at the limit the session that was idle longest makes room.
  std::shared_ptr<Session> open(Session::Agreement agreement);
  std::shared_ptr<Session> find(std::string const& id) const;
  void close(Session& session);
  void close_idle(Clock::time_point now);
  std::size_t size() const;

 private:
  void remove_longest_idle();

  Limits limits_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
};

// One loop's view of the directory. Use it from that loop only.
class SessionCache {
 public:
  explicit SessionCache(SessionDirectory const& directory) : directory_{directory} {}

  // nullptr when there is no such session, or no longer.
  std::shared_ptr<Session> const& find(std::string const& id);
  void drop_closed();

 private:
  SessionDirectory const& directory_;
  std::unordered_map<std::string, std::shared_ptr<Session>> known_;
  std::shared_ptr<Session> none_;
};

}  // namespace sallyport::mcp
