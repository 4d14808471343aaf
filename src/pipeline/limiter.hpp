// How often and how many at once: token buckets and counts, shared by all loops.
//
// A bucket is one point in time (GCRA: when it will be full again), so that forgetting a full one
// changes nothing, and only full ones are forgotten.
#pragma once

#include "src/base/result.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

// `count` calls per `period`, all of which may come at once. 0: no limit.
struct Rate {
  std::size_t count{0};
  std::chrono::milliseconds period{1'000};

  static Result<Rate> parse(std::string_view text);  // "100/s", "20/min", "5000/h", "9/day"
  std::string to_string() const;                     // "100 per second"
  std::string as_setting() const;                    // as parse() reads it
};

// One bucket for all that the rule reaches.
struct PathRate {
  std::string host;         // exact or "*.suffix"; empty: any
  std::string path_prefix;  // by whole segments
  Rate rate;
};

// A count of 0: no limit.
struct LimiterOptions {
  std::size_t concurrent{512};  // calls at once, all together
  std::size_t concurrent_per_principal{128};
  std::size_t concurrent_per_host{64};
  Rate per_principal;
  Rate per_tool;
  Rate per_host;
  std::vector<PathRate> per_path;
  // Callers, tools and hosts remembered. When so many are busy or have used their rate a moment
  // ago, new ones have to wait.
  std::size_t keys{100'000};
};

class Limiter {
 public:
  explicit Limiter(LimiterOptions options);

  // A place among the calls under way; gives it back when destroyed. From any thread.
  class Slot {
   public:
    Slot();
    Slot(Slot&&) noexcept;
    Slot& operator=(Slot&&) noexcept;
    ~Slot();

   private:
    friend class Limiter;
    class Held;
    explicit Slot(std::unique_ptr<Held> held);
    std::unique_ptr<Held> held_;
  };

  struct Ask {
    std::string_view principal;
    std::string_view tool;
    url::Url const& url;
    std::chrono::steady_clock::time_point now;
  };

  // From any thread. Takes a token from every bucket that applies, or from none. Fails with
  // LimitExceeded: "Too many calls to api.example.com: at most 10 per second. Try again in 0.4 s."
  Result<Slot> enter(Ask const& ask);

  // From any thread. Counts a request that belongs to a call which is already in: it takes tokens
  // from the buckets of the host and the path, if need be ahead of time, so that later calls wait
  // longer. It takes no place and is never refused.
  void count(Ask const& ask);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace sallyport::pipeline
