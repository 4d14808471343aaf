// Whether a site's robots.txt lets us ask for a page, remembered per origin (RFC 9309).
//
// A file that cannot be had because the site says so (4xx) allows everything; one that cannot be
// had because the site is broken (5xx, no connection) disallows everything, until it can be asked
// again.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/base/task.hpp"
#include "src/pipeline/robots_rules.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sallyport::pipeline {

// What came back from /robots.txt, redirects followed. A 3xx that is left counts like a 4xx.
struct RobotsAnswer {
  int status{0};
  std::string body;
  std::string cache_control;
  bool unreachable{false};  // no answer at all
};

struct RobotsCacheOptions {
  std::size_t entries{1024};
  std::size_t bytes{16UL * 1024 * 1024};
  std::chrono::milliseconds timeout{10'000};  // for asking once
  std::chrono::seconds keep{3'600};           // without a max-age
  std::chrono::seconds keep_at_least{300};
  std::chrono::seconds keep_at_most{86'400};  // section 2.4
  std::chrono::seconds keep_failure{60};
  std::function<Clock::time_point()> now{&Clock::now};
};

// One per loop; use it from there only.
class RobotsCache {
 public:
  // UpstreamFailed and DeadlineExceeded count as unreachable; other failures are handed to whoever
  // asked and not remembered.
  using Fetch = std::function<Task<RobotsAnswer>(url::Url robots_url)>;

  explicit RobotsCache(RobotsCacheOptions options = {}) : options_{std::move(options)} {}

  // Fails with PolicyDenied when the site does not want it, with DeadlineExceeded or Cancelled, and
  // with what `fetch` failed with. One fetch at a time per origin: others wait for it. The
  // arguments and the cache must outlive the task.
  Task<void> check(url::Url const& url, std::string_view user_agent, Deadline deadline,
                   Fetch const& fetch);

  std::size_t size() const noexcept { return entries_.size(); }

 private:
  // How the rules came to be, for the message.
  enum class Origin { Read, Unavailable, Broken };

  struct Entry {
    std::string origin;
    Origin kind{Origin::Read};
    RobotsRules rules;
    Clock::time_point until;
    std::size_t bytes{0};
  };
  using Entries = std::list<Entry>;  // the last used first
  class Flight;

  Entry const* find(std::string const& origin);
  void keep(Entry entry);
  void drop(Entries::iterator entry);
  Entry entry_of(std::string origin, RobotsAnswer const& answer) const;
  Task<void> ask(url::Url const& url, Deadline deadline, Fetch const& fetch);

  RobotsCacheOptions options_;
  Entries entries_;
  std::unordered_map<std::string, Entries::iterator> by_origin_;
  std::unordered_map<std::string, std::shared_ptr<OneShotEvent>> flights_;
  std::size_t bytes_{0};
};

}  // namespace sallyport::pipeline
