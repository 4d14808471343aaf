#include "src/oauth/token_source.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"
#include "src/base/one_shot_event.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration kFirstPause = 1s;
constexpr Clock::duration kLongestPause = 60s;
constexpr Clock::duration kRenewalInterval = 10s;

// A token as it is kept. Immutable: loops share it.
struct Held {
  Secret value;
  Clock::time_point stale_at;    // from here on it is renewed,
  Clock::time_point expires_at;  // and from here on it is worthless
};
using Token = std::shared_ptr<Held const>;

// One call to the token endpoint, or two where a refresh fails.
struct Flight {
  Secret refresh_token;
  std::shared_ptr<OneShotEvent> landed = OneShotEvent::make();
  // Written before it has landed, read after.
  Result<Token> outcome{fail(Errc::Cancelled, "The request was cancelled.")};
};

// What the endpoint brought, or how long it is to be left alone.
struct Brought {
  Result<IssuedToken> token;
  std::chrono::seconds pause{0};
};

Error no_credential(Error cause) {
  cause.code = Errc::CredentialUnavailable;
  return cause;
}

}  // namespace

class TokenSource::State {
 public:
  State(TokenOptions options, Clocks clocks)
      : options_{std::move(options)}, clocks_{std::move(clocks)} {}

  TokenOptions const& options() const noexcept { return options_; }
  void measure(TokenMetrics metrics) noexcept { metrics_ = metrics; }
  TokenMetrics const& metrics() const noexcept { return metrics_; }

  // A token; another one than `refused`, where that is given.
  static Task<Token> token(std::shared_ptr<State> state, Secret const* refused,
                           http::Client& client, Deadline deadline) {
    Executor const executor = co_await asio::this_coro::executor;
    auto plan = refused == nullptr ? state->plan() : state->plan_renewal(*refused);
    // Nothing may come between: a flight that is planned and never starts has no end.
    if (plan.starts) start_on(executor, fly(state, client, plan.flight));
    if (plan.token) co_return std::move(plan.token);
    if (!plan.flight) co_return std::move(plan.error);
    auto const wakeup = co_await plan.flight->landed->wait(deadline);
    if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (wakeup == Wakeup::DeadlinePassed) {
      co_return fail(Errc::DeadlineExceeded, "The token endpoint did not answer in time.");
    }
    co_return state->after(*plan.flight);
  }

 private:
  // What a caller is to do, decided under the lock: take the token, wait for the flight (after
  // starting it, where `starts`), or fail.
  struct Plan {
    Token token;
    std::shared_ptr<Flight> flight;
    bool starts{false};
    Error error;
  };

  Plan plan() {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    if (token_ && now < token_->stale_at) return at_hand(token_);
    if (flight_) return {.flight = flight_};
    if (now < pause_until_) return while_left_alone(now);
    return start_flight();
  }

  Plan plan_renewal(Secret const& refused) {
    std::lock_guard const lock{mutex_};
    auto const now = clocks_.steady();
    if (token_ && token_->value.reveal() != refused.reveal()) return {.token = token_};
    if (flight_) return {.flight = flight_};
    bool const too_soon = last_renewal_ && now - *last_renewal_ < kRenewalInterval;
    if (too_soon || now < pause_until_) return {.error = last_error_};
    last_renewal_ = now;
    // Still better than none while no other can be had: other sites, or paths, may accept it.
    if (token_) token_ = std::make_shared<Held const>(Held{token_->value, now, token_->expires_at});
    return start_flight();
  }

  Plan at_hand(Token token) const {
    metrics_.from_cache->add();
    return {.token = std::move(token)};
  }

  Plan while_left_alone(Clock::time_point now) const {
    if (auto old = unexpired(now)) return at_hand(std::move(old));
    metrics_.left_alone->add();
    return {.error = last_error_};
  }

  // Ends the flight for everyone who waits, also when its coroutine is destroyed with its loop.
  class Landing {
   public:
    Landing(State& state, Flight& flight) : state_{state}, flight_{flight} {}
    ~Landing() {
      if (!landed_) state_.land(flight_, {.token = flight_.outcome.error()});
    }
    Landing(Landing const&) = delete;
    Landing& operator=(Landing const&) = delete;

    void finish(Brought brought) {
      landed_ = true;
      state_.land(flight_, std::move(brought));
    }

   private:
    State& state_;
    Flight& flight_;
    bool landed_{false};
  };

  // Keeps itself and the flight alive; `client` lives as long as the loop.
  static Task<void> fly(std::shared_ptr<State> state, http::Client& client,
                        std::shared_ptr<Flight> flight) {
    Landing landing{*state, *flight};
    auto brought = co_await state->obtain(client, flight->refresh_token);
    landing.finish(std::move(brought));
    co_return Result<void>{};
  }

  Plan start_flight() {
    flight_ = std::make_shared<Flight>();
    flight_->refresh_token = refresh_token_;
    return {.flight = flight_, .starts = true};
  }

  Token unexpired(Clock::time_point now) const {
    return token_ && now < token_->expires_at ? token_ : nullptr;
  }

  // A token that came since is as good as the one that was waited for, or better.
  Result<Token> after(Flight const& flight) {
    std::lock_guard const lock{mutex_};
    if (flight.outcome) return token_ ? token_ : *flight.outcome;
    if (auto old = unexpired(clocks_.steady())) return old;
    return flight.outcome.error();
  }

  Async<Brought> obtain(http::Client& client, Secret const& refresh_token) {
    if (!refresh_token.empty()) {
      auto request = refresh_request(options_, refresh_token, clocks_.wall());
      auto refreshed = co_await ask(client, std::move(request));
      if (refreshed.token) {
        metrics_.refreshed->add();
        if (refreshed.token->refresh_token.empty()) {
          refreshed.token->refresh_token = refresh_token;
        }
        co_return refreshed;
      }
      log::info("token not refreshed; asking for a new one",
                {{"token_url", options_.token_url}, {"detail", refreshed.token.error().detail}});
    }
    auto request = client_credentials_request(options_, clocks_.wall());
    co_return co_await ask(client, std::move(request));
  }

  Async<Brought> ask(http::Client& client, Result<http::ClientRequest> request) {
    if (!request) co_return Brought{no_credential(std::move(request).error())};
    request->deadline = Deadline::in(options_.timeout);
    auto const answer = co_await capture(client.send(std::move(*request)));
    if (!answer) {
      metrics_.unreachable->add();
      co_return Brought{fail(Errc::CredentialUnavailable,
                             "The request to the token endpoint failed.",
                             answer.error().message + " " + answer.error().detail)};
    }
    auto token = read_token_answer(*answer, options_, clocks_.wall());
    count_answer(answer->status, token.has_value());
    if (token) co_return Brought{std::move(token)};
    co_return Brought{std::move(token), asked_to_wait(*answer).value_or(0s)};
  }

  void count_answer(int status, bool has_token) const {
    bool const failed = status < 200 || status > 299;
    auto* const refusal = failed ? metrics_.refused : metrics_.unusable;
    (has_token ? metrics_.granted : refusal)->add();
  }

  void land(Flight& flight, Brought brought) {
    if (!brought.token) {
      auto const& error = brought.token.error();
      log::warn(
          "no access token",
          {{"token_url", options_.token_url}, {"error", error.message}, {"detail", error.detail}});
    }
    {
      std::lock_guard const lock{mutex_};
      brought.token ? keep(flight, std::move(*brought.token))
                    : remember(flight, brought.token.error(), brought.pause);
      flight_ = nullptr;
    }
    flight.landed->set();
  }

  void keep(Flight& flight, IssuedToken issued) {
    auto const expires_at = clocks_.steady() + issued.lifetime;
    token_ = std::make_shared<Held const>(Held{.value = std::move(issued.header_value),
                                               .stale_at = expires_at - options_.refresh_buffer,
                                               .expires_at = expires_at});
    flight.outcome = token_;
    refresh_token_ = std::move(issued.refresh_token);
    if (failures_ > 0) metrics_.failing->add(-1);
    failures_ = 0;
    pause_until_ = {};
  }

  void remember(Flight& flight, Error const& error, std::chrono::seconds asked) {
    constexpr int kMostDoublings = 6;
    if (failures_ == 0) metrics_.failing->add(1);
    auto const pause = kFirstPause * (1 << std::min(failures_++, kMostDoublings));
    pause_until_ =
        clocks_.steady() + std::max<Clock::duration>(std::min(pause, kLongestPause), asked);
    last_error_ = no_credential(error);
    flight.outcome = last_error_;
    refresh_token_ = {};  // it was tried, and refused or lost
  }

  TokenOptions const options_;
  Clocks const clocks_;
  // Until it is told where to count; then nobody reads these.
  Metrics unread_;
  TokenMetrics metrics_{unread_, ""};

  std::mutex mutex_;  // guards the rest
  Token token_;
  Secret refresh_token_;
  std::shared_ptr<Flight> flight_;  // under way; nullptr when there is none
  Clock::time_point pause_until_;
  int failures_{0};
  Error last_error_;
  std::optional<Clock::time_point> last_renewal_;
};

TokenSource::TokenSource(TokenOptions options) : TokenSource{std::move(options), Clocks{}} {}

TokenSource::TokenSource(TokenOptions options, Clocks clocks)
    : state_{std::make_shared<State>(std::move(options), std::move(clocks))} {}

TokenSource::~TokenSource() = default;

TokenOptions const& TokenSource::options() const noexcept {
  return state_->options();
}

void TokenSource::measure(TokenMetrics metrics) noexcept {
  state_->measure(metrics);
}

Task<Secret> TokenSource::value(http::Client& client, Deadline deadline) {
  SP_CO_TRY(auto const token, co_await State::token(state_, nullptr, client, deadline));
  co_return token->value;
}

Async<bool> TokenSource::renew(Secret refused, http::Client& client, Deadline deadline) {
  auto const token = co_await State::token(state_, &refused, client, deadline);
  bool const another = token && (*token)->value.reveal() != refused.reveal();
  if (another) state_->metrics().replaced->add();
  co_return another;
}

}  // namespace sallyport::oauth
