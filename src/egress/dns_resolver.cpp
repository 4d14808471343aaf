#include "src/egress/dns_resolver.hpp"

#include "src/egress/ares_channel.hpp"
#include "src/egress/dns_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace sallyport::egress {
namespace {

// Once one family has addresses, the other gets this long: servers that never answer AAAA are real.
constexpr std::chrono::milliseconds kPatienceForTheOther{1'000};

// RFC 6761, section 6.3: nobody asks DNS for these. They reach a socket only where an operator
// opened them.
bool is_localhost(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost");
}

Addresses loopback() {
  url::IpAddress::V6Bytes v6{};
  v6.back() = 1;
  return {url::IpAddress::v4({127, 0, 0, 1}), url::IpAddress::v6(v6)};
}

Error failure(std::string const& host, DnsAnswer const& v4, DnsAnswer const& v6) {
  auto const either = [&](DnsStatus status) { return v4.status == status || v6.status == status; };
  auto const detail = fmt::format("A: {}; AAAA: {}", v4.why, v6.why);
  auto const because = [&](fmt::format_string<std::string const&> text) {
    return fail(Errc::UpstreamFailed, fmt::format(text, host), detail);
  };
  if (either(DnsStatus::Cancelled)) return fail(Errc::Cancelled, "The request was cancelled.");
  if (either(DnsStatus::NoSuchName)) return because("The name {} does not exist.");
  if (either(DnsStatus::TimedOut)) return because("DNS did not answer for {} in time.");
  if (either(DnsStatus::Failed)) return because("DNS could not answer for {}.");
  return because("The name {} has no address.");
}

// Whether a second question could bring what this one did not.
bool is_final(DnsAnswer const& answer) {
  return answer.status == DnsStatus::Answered || answer.status == DnsStatus::NoAddress;
}

}  // namespace

// One name that DNS is being asked for, and who waits for it.
struct DnsResolver::Lookup {
  Lookup(std::string name, Executor const& executor) : host{std::move(name)}, limit{executor} {}

  // A place among the waiters, as long as a coroutine waits: also when it is destroyed.
  class Waiting {
   public:
    Waiting(Lookup& lookup, Timer& timer)
        : lookup_{lookup}, place_{lookup.waiters.insert(lookup.waiters.end(), &timer)} {}
    ~Waiting() { lookup_.waiters.erase(place_); }
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;

   private:
    Lookup& lookup_;
    std::list<Timer*>::iterator place_;
  };

  std::string host;
  Timer limit;
  std::optional<DnsAnswer> v4;
  std::optional<DnsAnswer> v6;
  std::optional<Result<Addresses>> answer;
  std::list<Timer*> waiters;
};

class DnsResolver::Core {
 public:
  Core(Executor executor, DnsOptions options, std::unique_ptr<AresChannel> channel)
      : executor_{executor},
        options_{std::move(options)},
        cache_{options_.cache_entries},
        channel_{std::move(channel)} {}
  ~Core() { stop(); }
  Core(Core const&) = delete;
  Core& operator=(Core const&) = delete;

  // Ends every look-up, while the rest of us is still there.
  void stop() { channel_.reset(); }
  bool stopped() const noexcept { return channel_ == nullptr; }

  Result<Addresses> const* known(std::string const& host) {
    return cache_.find(host, Clock::now());
  }

  // The look-up of `host` that is under way, or a new one.
  std::shared_ptr<Lookup> look_up(std::string const& host) {
    if (auto const found = lookups_.find(host); found != lookups_.end()) return found->second;
    auto lookup = std::make_shared<Lookup>(host, executor_);
    lookups_.emplace(host, lookup);
    limit(lookup, options_.timeout);
    for (auto const family : {Family::V4, Family::V6}) {
      channel_->ask(host, family, [this, lookup, family](DnsAnswer answer) {
        take(lookup, family, std::move(answer));
      });
    }
    return lookup;
  }

 private:
  void take(std::shared_ptr<Lookup> const& lookup, Family family, DnsAnswer answer) {
    if (lookup->answer) return;  // too late
    auto const has_addresses = answer.status == DnsStatus::Answered;
    (family == Family::V4 ? lookup->v4 : lookup->v6) = std::move(answer);
    if (lookup->v4 && lookup->v6) {
      finish(*lookup);
    } else if (has_addresses && lookup->limit.expiry() > Clock::now() + kPatienceForTheOther) {
      limit(lookup, kPatienceForTheOther);
    }
  }

  void limit(std::shared_ptr<Lookup> const& lookup, std::chrono::milliseconds time) {
    lookup->limit.expires_after(time);
    // Without an answer there is a Core: it gives every look-up one before it goes.
    lookup->limit.async_wait([this, lookup](boost::system::error_code moved) {
      if (moved || lookup->answer || lookup->limit.expiry() > Clock::now()) return;
      finish(*lookup);
    });
  }

  void finish(Lookup& lookup) {
    DnsAnswer const silence{.status = DnsStatus::TimedOut, .why = "no answer in time"};
    auto const& v4 = lookup.v4 ? *lookup.v4 : silence;
    auto const& v6 = lookup.v6 ? *lookup.v6 : silence;
    Addresses addresses = v4.addresses;
    addresses.insert(addresses.end(), v6.addresses.begin(), v6.addresses.end());
    Result<Addresses> answer = std::move(addresses);
    if (answer->empty()) answer = failure(lookup.host, v4, v6);
    cache_.store(lookup.host, answer, lifetime(answer, v4, v6), Clock::now());
    lookup.answer = std::move(answer);
    lookup.limit.cancel();
    for (auto* const timer : lookup.waiters) timer->cancel();
    lookups_.erase(lookups_.find(lookup.host));
  }

  std::chrono::seconds lifetime(Result<Addresses> const& answer, DnsAnswer const& v4,
                                DnsAnswer const& v6) const {
    auto time = options_.longest_ttl;
    for (auto const* const part : {&v4, &v6}) {
      if (part->status == DnsStatus::Answered) time = std::min(time, part->ttl);
      // Half an answer, or none, is asked for again soon.
      if (!is_final(*part)) time = std::min(time, options_.failure_ttl);
    }
    return answer ? time : std::min(time, options_.failure_ttl);
  }

  Executor executor_;
  DnsOptions options_;
  DnsCache cache_;
  std::unordered_map<std::string, std::shared_ptr<Lookup>> lookups_;
  std::unique_ptr<AresChannel> channel_;
};

DnsResolver::DnsResolver(std::unique_ptr<Core> core) : core_{std::move(core)} {}
DnsResolver::~DnsResolver() = default;

Result<std::unique_ptr<DnsResolver>> DnsResolver::create(Executor executor, DnsOptions options) {
  SP_TRY(auto channel, AresChannel::create(executor, options));
  auto core = std::make_unique<Core>(executor, std::move(options), std::move(channel));
  return std::unique_ptr<DnsResolver>{new DnsResolver{std::move(core)}};
}

Task<Addresses> DnsResolver::resolve(std::string host, Deadline deadline) {
  if (host.ends_with('.')) host.pop_back();
  if (is_localhost(host)) co_return loopback();
  if (auto const* const known = core_->known(host)) co_return *known;
  if (core_->stopped()) co_return fail(Errc::Cancelled, "The request was cancelled.");
  auto lookup = core_->look_up(host);
  // From here on the resolver may go: the look-up then ends with Cancelled.
  co_return co_await wait_for(std::move(lookup), deadline);
}

void DnsResolver::stop() {
  core_->stop();
}

Task<Addresses> DnsResolver::wait_for(std::shared_ptr<Lookup> lookup, Deadline deadline) {
  auto const& answer = lookup->answer;
  if (answer) co_return *answer;
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, deadline.at};
  Lookup::Waiting const waiting{*lookup, timer};
  auto const [interrupted] = co_await timer.async_wait(use_tuple);
  if (answer) co_return *answer;
  if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return fail(Errc::DeadlineExceeded,
                 fmt::format("DNS did not answer for {} in time.", lookup->host));
}

}  // namespace sallyport::egress
