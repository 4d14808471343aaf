#include "src/oauth/jwks_cache.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::oauth {

// Ends the fetch for everyone who waits, also when the coroutine that made it is destroyed.
class JwksCache::Landing {
 public:
  explicit Landing(JwksCache& cache) : cache_{cache} {}
  ~Landing() {
    if (!landed_) cache_.land(fail(Errc::Cancelled, "The request was cancelled."));
  }
  Landing(Landing const&) = delete;
  Landing& operator=(Landing const&) = delete;

  Keys finish(Result<Keys> const& fetched) {
    landed_ = true;
    return cache_.land(fetched);
  }

 private:
  JwksCache& cache_;
  bool landed_{false};
};

JwksCache::JwksCache(JwksCacheOptions options, http::Client& client,
                     std::function<Clock::time_point()> now)
    : options_{std::move(options)}, client_{client}, now_{std::move(now)} {}

Async<JwksCache::Keys> JwksCache::current() {
  auto plan = plan_for_current();
  co_return co_await follow(std::move(plan));
}

Async<JwksCache::Keys> JwksCache::newer_than(Keys seen) {
  auto plan = plan_for_newer(seen);
  co_return co_await follow(std::move(plan));
}

JwksCache::Plan JwksCache::plan_for_current() {
  std::lock_guard const lock{mutex_};
  auto keys = usable();
  if (keys && now_() - fetched_at_ < options_.lifetime) return {.keys = std::move(keys)};
  if (landed_) {
    // Old keys are good enough while somebody else fetches new ones.
    if (keys) return {.keys = std::move(keys)};
    return {.step = Step::Wait, .landed = landed_};
  }
  auto const interval = keys ? options_.minimum_refresh_interval : options_.retry_interval;
  if (!is_due(interval)) return {.keys = std::move(keys)};
  return plan_a_fetch();
}

JwksCache::Plan JwksCache::plan_for_newer(Keys const& seen) {
  std::lock_guard const lock{mutex_};
  if (landed_) return {.step = Step::Wait, .landed = landed_};
  // SECURITY: key ids are the peer's to invent; the interval bounds what they make us fetch.
  if (keys_ != seen || !is_due(options_.minimum_refresh_interval)) return {.keys = usable()};
  return plan_a_fetch();
}

JwksCache::Plan JwksCache::plan_a_fetch() {
  last_attempt_ = now_();
  landed_ = OneShotEvent::make();
  return {.step = Step::Fetch, .landed = landed_};
}

bool JwksCache::is_due(Clock::duration interval) const {
  return !last_attempt_ || now_() - *last_attempt_ >= interval;
}

JwksCache::Keys JwksCache::usable() const {
  return keys_ && now_() - fetched_at_ < options_.maximum_age ? keys_ : nullptr;
}

Async<JwksCache::Keys> JwksCache::follow(Plan plan) {
  switch (plan.step) {
    case Step::Take: co_return std::move(plan.keys);
    case Step::Wait: {
      co_await plan.landed->wait();
      std::lock_guard const lock{mutex_};
      co_return usable();
    }
    case Step::Fetch: break;
  }
  Landing landing{*this};
  Executor const executor = co_await asio::this_coro::executor;
  // SECURITY: not interrupted when this one caller hangs up; others wait for the same keys, and a
  // peer could otherwise keep us from ever getting them. fetch() ends by its own deadline.
  auto fetched = co_await run_on(executor, capture(fetch()));
  co_return landing.finish(fetched);
}

Task<JwksCache::Keys> JwksCache::fetch() {
  http::ClientRequest request{.url = options_.url,
                              .headers = {{"Accept", "application/jwk-set+json, application/json"}},
                              .deadline = Deadline::in(options_.fetch_timeout),
                              .max_response_bytes = JwkSet::kMaxBytes};
  SP_CO_TRY(auto const response, co_await client_.send(std::move(request)));
  if (response.status != 200) {
    co_return fail(Errc::UpstreamFailed, "The signing keys could not be fetched.",
                   fmt::format("status {}", response.status));
  }
  SP_CO_TRY(auto keys, JwkSet::parse(response.body));
  co_return std::make_shared<JwkSet const>(std::move(keys));
}

JwksCache::Keys JwksCache::land(Result<Keys> const& fetched) {
  if (!fetched) {
    auto const& error = fetched.error();
    log::warn("signing keys not refreshed",
              {{"url", options_.url}, {"error", error.message}, {"detail", error.detail}});
  }
  std::shared_ptr<OneShotEvent> landed;
  Keys keys;
  {
    std::lock_guard const lock{mutex_};
    if (fetched) {
      keys_ = *fetched;
      fetched_at_ = now_();
    }
    landed = std::exchange(landed_, nullptr);
    keys = usable();
  }
  landed->set();
  return keys;
}

}  // namespace sallyport::oauth
