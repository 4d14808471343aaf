#include "src/pipeline/limiter.hpp"

#include "src/pipeline/limit_table.hpp"
#include "src/policy/allowlist.hpp"

#include <fmt/format.h>

#include <atomic>

namespace sallyport::pipeline {
namespace {

bool applies(std::size_t concurrent, Rate const& rate) noexcept {
  return concurrent != 0 || rate.count != 0;
}

// A name with the root's dot at its end is the same host, and must not have a bucket of its own.
std::string_view host_of(url::Url const& url) noexcept {
  if (!url.host()) return {};
  std::string_view host = *url.host();
  if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  return host;
}

struct PathLimit {
  policy::Reach reach;
  Limit limit;
};

std::vector<PathLimit> path_limits(std::vector<PathRate> const& rates) {
  std::vector<PathLimit> limits;
  for (auto const& rate : rates) {
    if (rate.rate.count == 0) continue;
    PathLimit made{.reach = {},
                   .limit = {.key = fmt::format("path {}", limits.size()),
                             .subject = fmt::format("to {}{}", rate.host, rate.path_prefix),
                             .rate = rate.rate}};
    if (!rate.host.empty()) made.reach.hosts.push_back(rate.host);
    if (!rate.path_prefix.empty()) made.reach.path_prefixes.push_back(rate.path_prefix);
    limits.push_back(std::move(made));
  }
  return limits;
}

}  // namespace

struct Limiter::State {
  explicit State(LimiterOptions given)
      : options{std::move(given)}, paths{path_limits(options.per_path)}, table{options.keys} {}

  std::vector<Limit> limits_for(Ask const& ask) const;
  void add_site_limits(Ask const& ask, std::vector<Limit>& limits) const;

  LimiterOptions const options;
  std::vector<PathLimit> const paths;
  LimitTable table;
  std::atomic<std::size_t> inside{0};
};

std::vector<Limit> Limiter::State::limits_for(Ask const& ask) const {
  std::vector<Limit> limits;
  if (applies(options.concurrent_per_principal, options.per_principal)) {
    limits.push_back({.key = fmt::format("principal {}", ask.principal),
                      .subject = "by this caller",
                      .rate = options.per_principal,
                      .concurrent = options.concurrent_per_principal});
  }
  if (options.per_tool.count != 0) {
    limits.push_back({.key = fmt::format("tool {}", ask.tool),
                      .subject = fmt::format("of the tool {}", ask.tool),
                      .rate = options.per_tool});
  }
  add_site_limits(ask, limits);
  return limits;
}

void Limiter::State::add_site_limits(Ask const& ask, std::vector<Limit>& limits) const {
  if (applies(options.concurrent_per_host, options.per_host)) {
    auto const host = host_of(ask.url);
    limits.push_back({.key = fmt::format("host {}", host),
                      .subject = fmt::format("to {}", host),
                      .rate = options.per_host,
                      .concurrent = options.concurrent_per_host});
  }
  for (auto const& path : paths) {
    if (path.reach.may_hold(ask.url, {})) limits.push_back(path.limit);
  }
}

class Limiter::Slot::Held {
 public:
  explicit Held(std::shared_ptr<State> state) : state_{std::move(state)} {}
  ~Held() {
    state_->table.leave(limits_);
    if (counted_) state_->inside.fetch_sub(1, std::memory_order_relaxed);
  }
  Held(Held const&) = delete;
  Held& operator=(Held const&) = delete;

  Result<void> enter(Ask const& ask) {
    auto const most = state_->options.concurrent;
    if (most != 0) {
      counted_ = true;
      if (state_->inside.fetch_add(1, std::memory_order_relaxed) >= most) {
        return fail(Errc::LimitExceeded,
                    fmt::format("Too many calls at once: at most {}. Try again when one of them "
                                "has ended.",
                                most));
      }
    }
    auto limits = state_->limits_for(ask);
    if (limits.empty()) return {};
    SP_CHECK(state_->table.enter(limits, ask.now));
    limits_ = std::move(limits);
    return {};
  }

 private:
  std::shared_ptr<State> state_;
  std::vector<Limit> limits_;
  bool counted_{false};
};

Limiter::Slot::Slot() = default;
Limiter::Slot::Slot(Slot&&) noexcept = default;
Limiter::Slot& Limiter::Slot::operator=(Slot&&) noexcept = default;
Limiter::Slot::~Slot() = default;
Limiter::Slot::Slot(std::unique_ptr<Held> held) : held_{std::move(held)} {}

Limiter::Limiter(LimiterOptions options) : state_{std::make_shared<State>(std::move(options))} {}

Result<Limiter::Slot> Limiter::enter(Ask const& ask) {
  auto held = std::make_unique<Slot::Held>(state_);
  SP_CHECK(held->enter(ask));
  return Slot{std::move(held)};
}

void Limiter::count(Ask const& ask) {
  std::vector<Limit> limits;
  state_->add_site_limits(ask, limits);
  if (!limits.empty()) state_->table.count(limits, ask.now);
}

}  // namespace sallyport::pipeline
