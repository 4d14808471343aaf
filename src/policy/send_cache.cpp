#include "src/policy/send_cache.hpp"

#include "src/http/cache_control.hpp"

#include <algorithm>
#include <array>

namespace sallyport::policy {
namespace {

constexpr std::array kCacheableStatuses{200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501};

std::size_t bytes_of(std::string const& key, http::Response const& response) {
  std::size_t bytes = 200 + key.size() + response.body.size();
  for (auto const& field : response.headers) bytes += 60 + field.name.size() + field.value.size();
  return bytes;
}

}  // namespace

bool is_cacheable_status(int status) noexcept {
  return std::ranges::find(kCacheableStatuses, status) != kCacheableStatuses.end();
}

std::optional<std::chrono::seconds> stated_lifetime(http::Headers const& headers,
                                                    http::WallTime now) {
  using std::chrono::seconds;
  auto const control = http::CacheControl::of(headers);
  if (control.no_store || control.no_cache) return std::nullopt;
  auto const* const age = headers.find("age");
  auto const spent =
      age == nullptr ? seconds{0} : http::parse_delta_seconds(*age).value_or(seconds{0});
  std::optional<seconds> left;
  if (control.max_age) {
    left = *control.max_age - spent;
  } else if (auto const* const field = headers.find("expires")) {
    if (auto const at = http::parse_http_date(*field, now)) left = *at - now;
  }
  return left && left->count() > 0 ? left : std::nullopt;
}

std::shared_ptr<http::Response const> SendCache::find(std::string const& key,
                                                      Clock::time_point now) {
  std::lock_guard const lock{mutex_};
  auto const found = all_.find(key);
  if (found == all_.end()) return nullptr;
  if (now < found->second.until) return found->second.response;
  erase(found);
  return nullptr;
}

void SendCache::keep(std::string const& key, http::Response response, Clock::time_point until) {
  auto const bytes = bytes_of(key, response);
  if (bytes > most_bytes_) return;
  std::lock_guard const lock{mutex_};
  if (auto const before = all_.find(key); before != all_.end()) erase(before);
  while (all_.size() >= most_entries_ || bytes_ + bytes > most_bytes_) {
    erase(std::ranges::min_element(all_, {}, [](auto const& entry) { return entry.second.until; }));
  }
  bytes_ += bytes;
  all_.emplace(key,
               Kept{std::make_shared<http::Response const>(std::move(response)), until, bytes});
}

void SendCache::erase(All::iterator at) {
  bytes_ -= at->second.bytes;
  all_.erase(at);
}

}  // namespace sallyport::policy
