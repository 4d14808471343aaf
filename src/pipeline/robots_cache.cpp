#include "src/pipeline/robots_cache.hpp"

#include "src/audit/mask.hpp"
#include "src/base/deadline.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sallyport::pipeline {
namespace {

using std::chrono::seconds;

constexpr std::string_view kHowToTurnOff =
    "The operator can turn this check off with the setting fetch.robots.";

// The message goes into the audit log too.
std::string shown_path(url::Url const& url) {
  auto const masked = audit::masked_url(url).substr(url.origin().size());
  return masked.substr(0, std::min<std::size_t>(masked.find('?'), 200));
}

Error disallowed(url::Url const& url, std::string_view user_agent) {
  return fail(Errc::PolicyDenied,
              fmt::format("{}/robots.txt disallows {} for {}. {}", url.origin(), shown_path(url),
                          product_token(user_agent), kHowToTurnOff));
}

Error unreadable(url::Url const& url) {
  return fail(Errc::PolicyDenied,
              fmt::format("{}/robots.txt could not be read because the site failed to answer, "
                          "which counts as disallowing everything. Try again in a few minutes. {}",
                          url.origin(), kHowToTurnOff));
}

// The value of max-age; 0 where the answer must not be kept.
std::optional<seconds> max_age(std::string_view cache_control) {
  std::optional<seconds> age;
  while (!cache_control.empty()) {
    auto const end = std::min(cache_control.find(','), cache_control.size());
    auto const item = http::trimmed(cache_control.substr(0, end));
    cache_control.remove_prefix(std::min(end + 1, cache_control.size()));
    auto const name = item.substr(0, item.find('='));
    if (http::equals_ignoring_case(name, "no-store") ||
        http::equals_ignoring_case(name, "no-cache")) {
      return seconds{0};
    }
    if (!http::equals_ignoring_case(name, "max-age") || name.size() == item.size()) continue;
    auto const digits = item.substr(name.size() + 1);
    std::int32_t value = 0;
    auto const parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec == std::errc{} && value >= 0) age = seconds{value};
    if (parsed.ec == std::errc::result_out_of_range) age = seconds{INT32_MAX};
  }
  return age;
}

bool counts_as_unreachable(Errc code) noexcept {
  return code == Errc::UpstreamFailed || code == Errc::DeadlineExceeded;
}

}  // namespace

// Others wait for it while it lives; also when its coroutine is destroyed, they are woken.
class RobotsCache::Flight {
 public:
  Flight(RobotsCache& cache, std::string origin) : cache_{cache}, origin_{std::move(origin)} {
    cache_.flights_[origin_] = event_;
  }
  ~Flight() {
    cache_.flights_.erase(origin_);
    event_->set();
  }
  Flight(Flight const&) = delete;
  Flight& operator=(Flight const&) = delete;

 private:
  RobotsCache& cache_;
  std::string origin_;
  std::shared_ptr<OneShotEvent> event_{OneShotEvent::make()};
};

RobotsCache::Entry const* RobotsCache::find(std::string const& origin) {
  auto const found = by_origin_.find(origin);
  if (found == by_origin_.end()) return nullptr;
  if (found->second->until <= options_.now()) {
    drop(found->second);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return &entries_.front();
}

void RobotsCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  by_origin_.erase(entry->origin);
  entries_.erase(entry);
}

void RobotsCache::keep(Entry entry) {
  if (auto const old = by_origin_.find(entry.origin); old != by_origin_.end()) drop(old->second);
  entry.bytes = sizeof(Entry) + entry.origin.size() + entry.rules.bytes();
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  by_origin_[entries_.front().origin] = entries_.begin();
  // The newest stays: somebody is about to read it.
  while (entries_.size() > 1 && (entries_.size() > options_.entries || bytes_ > options_.bytes)) {
    drop(std::prev(entries_.end()));
  }
}

RobotsCache::Entry RobotsCache::entry_of(std::string origin, RobotsAnswer const& answer) const {
  Entry entry{.origin = std::move(origin), .kind = Origin::Unavailable, .rules = {}, .until = {}};
  auto kept = std::clamp(max_age(answer.cache_control).value_or(options_.keep),
                         options_.keep_at_least, options_.keep_at_most);
  if (answer.unreachable || answer.status >= 500 || answer.status < 200) {
    entry.kind = Origin::Broken;
    kept = options_.keep_failure;
  } else if (answer.status < 300) {
    entry.kind = Origin::Read;
    entry.rules = RobotsRules::parse(answer.body);
  }
  entry.until = options_.now() + kept;
  return entry;
}

Task<void> RobotsCache::ask(url::Url const& url, Deadline deadline, Fetch const& fetch) {
  Flight const flight{*this, url.origin()};
  SP_CO_TRY(auto robots_url, url::Url::parse("/robots.txt", &url));
  auto const ours = Deadline::in(options_.timeout);
  auto const first = Deadline{std::min(ours.at, deadline.at)};
  auto answer = co_await with_deadline(first, fetch(std::move(robots_url)));
  if (answer) {
    keep(entry_of(url.origin(), *answer));
    co_return Result<void>{};
  }
  // That the caller has no more time says nothing about the site.
  bool const callers_deadline =
      answer.error().code == Errc::DeadlineExceeded && deadline.at <= ours.at;
  if (!counts_as_unreachable(answer.error().code) || callers_deadline) co_return answer.error();
  RobotsAnswer const nothing{.status = 0, .body = {}, .cache_control = {}, .unreachable = true};
  keep(entry_of(url.origin(), nothing));
  co_return Result<void>{};
}

Task<void> RobotsCache::check(url::Url const& url, std::string_view user_agent, Deadline deadline,
                              Fetch const& fetch) {
  if (url.target() == "/robots.txt") co_return Result<void>{};
  auto const origin = url.origin();
  auto const* entry = find(origin);
  while (entry == nullptr) {
    if (auto const other = flights_.find(origin); other != flights_.end()) {
      auto const landed = other->second;
      auto const woken = co_await landed->wait(deadline);
      if (woken == Wakeup::DeadlinePassed) {
        co_return fail(Errc::DeadlineExceeded, "The request took too long.");
      }
      if (woken == Wakeup::Cancelled) {
        co_return fail(Errc::Cancelled, "The request was cancelled.");
      }
    } else {
      SP_CO_CHECK(co_await ask(url, deadline, fetch));
    }
    entry = find(origin);
  }
  if (entry->kind == Origin::Broken) co_return unreadable(url);
  if (!entry->rules.allows(user_agent, url.target())) co_return disallowed(url, user_agent);
  co_return Result<void>{};
}

}  // namespace sallyport::pipeline
