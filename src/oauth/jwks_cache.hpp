// The keys of an authorization server, fetched when they are needed and kept for a while.
//
// One cache serves all loops. Keys are an immutable snapshot; the lock is held for the copy of a
// pointer, beside a signature check that takes a thousand times longer. One fetch is under way at a
// time, and who needs its outcome waits for it, on whatever loop. A peer that invents key ids
// cannot cause more than one fetch per `minimum_refresh_interval`.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/jwk_set.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sallyport::oauth {

struct JwksCacheOptions {
  std::string url;
  Clock::duration lifetime{std::chrono::hours{1}};
  Clock::duration minimum_refresh_interval{std::chrono::seconds{30}};
  Clock::duration maximum_age{std::chrono::hours{24}};      // when no refresh succeeds
  Clock::duration retry_interval{std::chrono::seconds{1}};  // while there are no keys at all
  Clock::duration fetch_timeout{std::chrono::seconds{5}};
};

class JwksCache {
 public:
  using Keys = std::shared_ptr<JwkSet const>;

  // `client` must outlive the cache.
  JwksCache(JwksCacheOptions options, http::Client& client,
            std::function<Clock::time_point()> now = &Clock::now);

  // nullptr when there are none to be had now. Waits only when there are none yet, or for the one
  // request that finds them too old. An old set is served when a refresh fails.
  Async<Keys> current();

  // For a token whose key is not in `seen`: what a fetch brings, if one is due.
  Async<Keys> newer_than(Keys seen);

 private:
  // What a caller is to do, decided under the lock.
  enum class Step { Take, Wait, Fetch };
  struct Plan {
    Step step{Step::Take};
    Keys keys;                             // Take
    std::shared_ptr<OneShotEvent> landed;  // of the fetch to wait for, or to make
  };
  class Landing;

  Plan plan_for_current();
  Plan plan_for_newer(Keys const& seen);
  Plan plan_a_fetch();
  bool is_due(Clock::duration interval) const;
  Keys usable() const;

  Async<Keys> follow(Plan plan);
  Task<Keys> fetch();
  Keys land(Result<Keys> const& fetched);

  JwksCacheOptions options_;
  http::Client& client_;
  std::function<Clock::time_point()> now_;

  std::mutex mutex_;  // guards the rest
  Keys keys_;
  Clock::time_point fetched_at_;
  std::optional<Clock::time_point> last_attempt_;
  std::shared_ptr<OneShotEvent> landed_;  // of the fetch under way; nullptr when there is none
};

}  // namespace sallyport::oauth
