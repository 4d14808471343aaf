#include "src/oauth/upstream/grant_keeper.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"
#include "src/base/one_shot_event.hpp"
#include "src/oauth/upstream/machine_grant.hpp"
#include "src/oauth/upstream/renewal.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration kFirstPause = 1s;
constexpr Clock::duration kLongestPause = 60s;
constexpr Clock::duration kRenewalInterval = 10s;
// Somebody may sign in elsewhere; the store is not read more often for that.
constexpr Clock::duration kLookInterval = 1s;
// Or out, while the token at hand would be good for long.
constexpr Clock::duration kHeldLookInterval = 30s;

struct Flight {
  Secret known;  // the token at hand when it began
  std::shared_ptr<OneShotEvent> landed = OneShotEvent::make();
  // Written before it has landed, read after.
  Result<Held> outcome{fail(Errc::Cancelled, "The request was cancelled.")};
};

// What a caller is to do, decided under the lock.
struct Plan {
  Result<Held> now{Held{}};        // without a flight: the outcome
  std::shared_ptr<Flight> flight;  // else wait for it
  bool starts{false};              // after starting it
};

Secret token_of(Held const& held) {
  return held ? held->grant.header_value : Secret{};
}

Result<Held> hold(Grant grant) {
  std::optional<DpopKey> key;
  if (!grant.dpop_key.empty()) {
    SP_TRY(key, DpopKey::from_pem(grant.dpop_key));
  }
  return std::make_shared<HeldGrant const>(HeldGrant{std::move(grant), std::move(key)});
}

}  // namespace

class GrantKeeper::State {
 public:
  State(ServerSettings settings, http::Client& client, GrantStore& store, Clocks clocks)
      : settings_{std::move(settings)},
        client_{client},
        store_{store},
        clocks_{std::move(clocks)} {}

  // A grant; another one than of the token `refused`, where that is given.
  static Task<Held> get(std::shared_ptr<State> state, Secret const* refused, Deadline deadline) {
    Executor const executor = co_await asio::this_coro::executor;
    state->look_again();
    auto plan = refused == nullptr ? state->plan() : state->plan_another(*refused);
    // Nothing may come between: a flight that is planned and never starts has no end.
    if (plan.starts) start_on(executor, fly(state, plan.flight));
    if (!plan.flight) co_return plan.now;
    auto const wakeup = co_await plan.flight->landed->wait(deadline);
    if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (wakeup == Wakeup::DeadlinePassed) {
      co_return fail(Errc::DeadlineExceeded, "The token endpoint did not answer in time.");
    }
    co_return state->after(*plan.flight, refused);
  }

  void use(Discovery discovery, std::string scope) {
    std::lock_guard const lock{mutex_};
    discovery_ = std::make_shared<Discovery const>(std::move(discovery));
    if (scope != scope_) last_renewal_.reset();
    scope_ = std::move(scope);
  }
  // What is there is held at once: should a renewal fail, it may be good for a few minutes yet.
  Result<Held> load() {
    SP_TRY(auto stored, store_.grant(settings_));
    Held held;
    if (stored) {
      SP_TRY(held, hold(*std::move(stored)));
    }
    std::lock_guard const lock{mutex_};
    // What was renewed while the store was read, or could not be stored, is better.
    bool const older = held && held_ && held->grant.issued_at < held_->grant.issued_at;
    if (!older) held_ = std::move(held);
    return held_;
  }
  Held at_hand() const {
    std::lock_guard const lock{mutex_};
    return held_;
  }
  DpopNonces& nonces() noexcept { return nonces_; }

  bool would_ask(Secret const& refused) const {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    bool const has_another = held_ && held_->grant.header_value.reveal() != refused.reveal();
    if (has_another || flight_ || now < pause_until_ || is_too_soon(now)) return false;
    return by_machine() || can_renew();  // by machine: once it is known where
  }

 private:
  bool by_machine() const noexcept { return settings_.kind != GrantKind::AuthorizationCode; }
  bool is_usable(Held const& held) const {
    return held && !is_expired(held->grant, clocks_.wall());
  }
  bool can_renew() const {
    return by_machine() ? discovery_ != nullptr : held_ && !held_->grant.refresh_token.empty();
  }

  bool is_look_due() {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    bool const lately = last_look_ && now - *last_look_ < kHeldLookInterval;
    if (by_machine() || !held_ || flight_ || lately) return false;
    last_look_ = now;
    return true;
  }

  void look_again() {
    if (!is_look_due()) return;
    if (auto const seen = load(); !seen) {
      log::warn("grants cannot be read",
                {{"server", settings_.id}, {"error", seen.error().message}});
    }
  }

  Plan plan() {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    if (held_ && is_fresh(held_->grant, clocks_.wall())) return {.now = held_};
    if (flight_) return {.flight = flight_};
    if (now < pause_until_) return is_usable(held_) ? Plan{.now = held_} : Plan{.now = last_error_};
    if (can_renew()) return start_flight();
    bool const looked = last_look_ && now - *last_look_ < kLookInterval;
    return by_machine() || looked ? Plan{.now = held_} : start_flight();
  }

  Plan plan_another(Secret const& refused) {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    if (held_ && held_->grant.header_value.reveal() != refused.reveal()) return {.now = held_};
    if (flight_) return {.flight = flight_};
    if (now < pause_until_) return {.now = last_error_};
    // What did not ask for a token does not make the next request for one wait.
    if (!can_renew() || is_too_soon(now)) return {.now = Held{}};
    last_renewal_ = now;
    return start_flight();
  }

  bool is_too_soon(Clock::time_point now) const {
    return last_renewal_ && now - *last_renewal_ < kRenewalInterval;
  }

  Plan start_flight() {
    flight_ = std::make_shared<Flight>();
    flight_->known = token_of(held_);
    last_look_ = clocks_.steady();
    return {.flight = flight_, .starts = true};
  }

  // Ends the flight for everyone who waits, also when its coroutine is destroyed with its loop.
  class Landing {
   public:
    Landing(State& state, Flight& flight) : state_{state}, flight_{flight} {}
    ~Landing() {
      if (!landed_) state_.land(flight_, flight_.outcome);
    }
    Landing(Landing const&) = delete;
    Landing& operator=(Landing const&) = delete;

    void finish(Result<Held> outcome) {
      landed_ = true;
      state_.land(flight_, std::move(outcome));
    }

   private:
    State& state_;
    Flight& flight_;
    bool landed_{false};
  };

  // Keeps itself and the flight alive.
  static Task<void> fly(std::shared_ptr<State> state, std::shared_ptr<Flight> flight) {
    Landing landing{*state, *flight};
    auto outcome = co_await capture(state->renew(flight->known));
    landing.finish(std::move(outcome));
    co_return Result<void>{};
  }

  Task<Held> renew(Secret known) {
    if (by_machine()) co_return co_await obtain();
    if (known.empty()) {
      SP_CO_TRY(auto const stored, load());
      if (!stored || is_fresh(stored->grant, clocks_.wall())) co_return stored;
      known = stored->grant.header_value;
    }
    RenewalParts const parts{client_, store_, nonces_, settings_, clocks_.wall()};
    SP_CO_TRY(auto grant, co_await renew_grant(parts, std::move(known)));
    if (!grant) co_return Held{};
    co_return hold(*std::move(grant));
  }

  Task<Held> obtain() {
    auto const [discovery, scope] = what_to_obtain();
    if (!discovery) co_return Held{};
    TokenCaller const caller{client_, nonces_, clocks_.wall()};
    SP_CO_TRY(auto grant, co_await obtain_grant(caller, settings_, *discovery, scope));
    co_return hold(std::move(grant));
  }

  std::pair<std::shared_ptr<Discovery const>, std::string> what_to_obtain() const {
    std::lock_guard const lock{mutex_};
    return {discovery_, scope_};
  }

  void land(Flight& flight, Result<Held> outcome) {
    if (!outcome) {
      log::warn("no access token", {{"server", settings_.id},
                                    {"error", outcome.error().message},
                                    {"detail", outcome.error().detail}});
    }
    {
      std::lock_guard const lock{mutex_};
      outcome ? keep(*outcome) : remember(outcome.error());
      flight.outcome = outcome ? std::move(outcome) : Result<Held>{last_error_};
      flight_ = nullptr;
    }
    flight.landed->set();
  }

  void keep(Held const& held) {
    held_ = held;
    failures_ = 0;
    pause_until_ = {};
  }

  void remember(Error error) {
    constexpr int kMostDoublings = 6;
    auto const pause = kFirstPause * (1 << std::min(failures_++, kMostDoublings));
    pause_until_ = clocks_.steady() + std::min(pause, kLongestPause);
    error.code = Errc::CredentialUnavailable;
    last_error_ = std::move(error);
  }

  Result<Held> after(Flight const& flight, Secret const* refused) const {
    std::lock_guard const lock{mutex_};
    if (refused == nullptr) {
      if (flight.outcome) return held_;
      return is_usable(held_) ? Result<Held>{held_} : flight.outcome;
    }
    if (!flight.outcome) return flight.outcome;
    bool const other = held_ && held_->grant.header_value.reveal() != refused->reveal();
    return other ? held_ : Held{};
  }

  ServerSettings const settings_;
  http::Client& client_;
  GrantStore& store_;
  Clocks const clocks_;
  DpopNonces nonces_;

  mutable std::mutex mutex_;  // guards the rest
  Held held_;
  std::shared_ptr<Discovery const> discovery_;
  std::string scope_;
  std::shared_ptr<Flight> flight_;  // under way; nullptr when there is none
  Clock::time_point pause_until_;
  int failures_{0};
  Error last_error_;
  std::optional<Clock::time_point> last_renewal_;
  std::optional<Clock::time_point> last_look_;
};

GrantKeeper::GrantKeeper(ServerSettings settings, http::Client& client, GrantStore& store,
                         Clocks clocks)
    : state_{std::make_shared<State>(std::move(settings), client, store, std::move(clocks))} {}

GrantKeeper::~GrantKeeper() = default;

Task<Held> GrantKeeper::current(Deadline deadline) {
  co_return co_await State::get(state_, nullptr, deadline);
}

Task<Held> GrantKeeper::another(Secret refused, Deadline deadline) {
  co_return co_await State::get(state_, &refused, deadline);
}

bool GrantKeeper::would_ask(Secret const& refused) const {
  return state_->would_ask(refused);
}

void GrantKeeper::use(Discovery discovery, std::string scope) {
  state_->use(std::move(discovery), std::move(scope));
}

Result<Held> GrantKeeper::look() {
  return state_->load();
}

Held GrantKeeper::at_hand() const {
  return state_->at_hand();
}

DpopNonces& GrantKeeper::nonces() const noexcept {
  return state_->nonces();
}

}  // namespace sallyport::oauth::upstream
