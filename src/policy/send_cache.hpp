// Answers that policies get again without asking: http.send with `cache` or `force_cache`.
#pragma once

#include "src/base/task.hpp"
#include "src/http/dates.hpp"
#include "src/http/message.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sallyport::policy {

// How long an answer may be kept by what its fields say (max-age, else Expires). Nothing: not at
// all.
std::optional<std::chrono::seconds> stated_lifetime(http::Headers const& headers,
                                                    http::WallTime now);

// RFC 9110, section 15.1: what may be kept without being told so.
bool is_cacheable_status(int status) noexcept;

// From any thread.
class SendCache {
 public:
  explicit SendCache(std::size_t most_bytes = 16UL * 1024 * 1024, std::size_t most_entries = 1'000)
      : most_bytes_{most_bytes}, most_entries_{most_entries} {}

  // Null: there is none, or not any more.
  std::shared_ptr<http::Response const> find(std::string const& key, Clock::time_point now);
  // What does not fit takes the place of what would end first.
  void keep(std::string const& key, http::Response response, Clock::time_point until);

 private:
  struct Kept {
    std::shared_ptr<http::Response const> response;
    Clock::time_point until;
    std::size_t bytes{0};
  };
  using All = std::map<std::string, Kept, std::less<>>;

  void erase(All::iterator at);

  std::size_t const most_bytes_;
  std::size_t const most_entries_;
  std::mutex mutex_;
  All all_;
  std::size_t bytes_{0};
};

}  // namespace sallyport::policy
