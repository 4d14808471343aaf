#include "src/oauth/upstream/renewal.hpp"

#include "src/base/log.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::oauth::upstream {
namespace {

using namespace std::chrono_literals;

constexpr auto kLockInterval = 25ms;
constexpr auto kLockPatience = 20s;  // longer than a request to a token endpoint may take

// Whether `grant` will do without being renewed.
bool will_do(Grant const& grant, Secret const& known, WallClock::time_point now) {
  if (grant.refresh_token.empty()) return true;
  return !known.matches(grant.header_value.reveal()) && is_fresh(grant, now);
}

Error must_sign_in(ServerSettings const& settings, Error const& cause) {
  return fail(Errc::CredentialUnavailable,
              "The sign-in to " + settings.id + " has ended: " + how_to_sign_in(settings) + ".",
              cause.detail);
}

Error not_now(ServerSettings const& settings, Error const& cause) {
  return fail(Errc::CredentialUnavailable,
              "The access to " + settings.id + " could not be renewed now. Try again later.",
              cause.message + " " + cause.detail);
}

// About who we are or what we asked, not about the token: an operator can mend it.
Error not_so(ServerSettings const& settings, TokenOutcome const& outcome) {
  return fail(
      Errc::CredentialUnavailable,
      fmt::format("The access to {} could not be renewed: the token endpoint answers {}. If "
                  "it stays so: {}.",
                  settings.id, outcome.error, how_to_sign_in(settings)),
      outcome.token.error().detail);
}

// Of no use any more, so that nobody should try it again. Everything else that an endpoint can
// refuse leaves a refresh token as good as before (RFC 6749, section 5.2).
bool is_dead(TokenOutcome const& outcome) {
  return outcome.refused && outcome.error == "invalid_grant";
}

// The next sign-in begins with a registration, where the client was registered by us.
bool is_unknown(TokenOutcome const& outcome) {
  return outcome.error == "invalid_client" || outcome.error == "unauthorized_client";
}

Task<std::optional<Grant>> refresh(RenewalParts const& parts, Grant grant) {
  std::optional<DpopKey> key;
  if (!grant.dpop_key.empty()) {
    SP_CO_TRY(key, DpopKey::from_pem(grant.dpop_key));
  }
  TokenCaller const caller{parts.client, parts.nonces, parts.now, key ? &*key : nullptr};
  FormFields fields{{"grant_type", "refresh_token"},
                    {"refresh_token", grant.refresh_token.reveal()}};
  auto outcome =
      co_await caller.ask(token_options(grant, parts.settings.client), std::move(fields));
  if (!outcome.token) {
    if (!outcome.refused) co_return not_now(parts.settings, outcome.token.error());
    if (is_unknown(outcome)) SP_CO_CHECK(parts.store.forget_clients(parts.settings));
    if (!is_dead(outcome)) co_return not_so(parts.settings, outcome);
    grant.refresh_token = {};
    SP_CO_CHECK(parts.store.put(parts.settings, grant));
    co_return must_sign_in(parts.settings, outcome.token.error());
  }
  grant = renewed(std::move(grant), *std::move(outcome.token), parts.now);
  // SECURITY: the old refresh token may be dead from here on; the new one must not be lost with
  // this process.
  if (auto const kept = parts.store.put(parts.settings, grant); !kept) {
    log::error("a renewed grant could not be stored; it lasts as long as this process",
               {{"server", parts.settings.id}, {"error", kept.error().message}});
  }
  co_return std::optional{std::move(grant)};
}

}  // namespace

Task<store::FileLock> lock_grant(GrantStore& store, ServerSettings const& settings) {
  auto const executor = co_await asio::this_coro::executor;
  auto const end = Clock::now() + kLockPatience;
  while (true) {
    auto lock = store.lock(settings);
    if (lock || Clock::now() >= end) co_return lock;
    Timer timer{executor, kLockInterval};
    co_await timer.async_wait(use_tuple);
  }
}

Task<std::optional<Grant>> renew_grant(RenewalParts parts, Secret known) {
  SP_CO_TRY(auto stored, parts.store.grant(parts.settings));
  if (!stored || will_do(*stored, known, parts.now)) co_return stored;
  SP_CO_TRY(auto const lock, co_await lock_grant(parts.store, parts.settings));
  // Who held the lock before may have renewed it.
  SP_CO_TRY(stored, parts.store.grant(parts.settings));
  if (!stored || will_do(*stored, known, parts.now)) co_return stored;
  co_return co_await refresh(parts, *std::move(stored));
}

}  // namespace sallyport::oauth::upstream
