#include "src/oauth/upstream/upstream_authorizer.hpp"

#include "src/base/log.hpp"
#include "src/oauth/upstream/authorization.hpp"
#include "src/oauth/upstream/scopes.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::oauth::upstream {
namespace {

using namespace std::chrono_literals;

constexpr int kMostStepsUp = 3;
// After so long without one, they are counted anew.
constexpr Clock::duration kStepUpMemory = 10min;
// What a server asks for is not written down again and again while it refuses every call.
constexpr Clock::duration kKeptMemory = 10s;

bool is_of_server(std::string_view url, ServerSettings const& settings) {
  auto const target = url::Url::parse(url);
  auto const server = url::Url::parse(settings.url);
  return target && server && url::same_origin(*target, *server);
}

bool wants_nonce(ServerChallenge const& challenge, http::Headers const& answer) {
  return challenge.error == "use_dpop_nonce" && answer.find("DPoP-Nonce") != nullptr;
}

Secret token_in(http::Headers const& sent) {
  auto const* const field = sent.find("Authorization");
  return Secret{field == nullptr ? std::string{} : *field};
}

}  // namespace

UpstreamAuthorizer::UpstreamAuthorizer(ServerSettings settings, http::Client& client,
                                       GrantStore& store, Clocks clocks)
    : settings_{std::move(settings)},
      store_{store},
      clocks_{std::move(clocks)},
      keeper_{settings_, client, store, clocks_},
      discovery_{settings_, client} {}

Task<http::Headers> UpstreamAuthorizer::headers_for(std::string_view method, std::string_view url,
                                                    Deadline deadline) {
  // SECURITY: a server may name other places (endpoints of its own, redirects); its token stays.
  if (!is_of_server(url, settings_)) co_return http::Headers{};
  SP_CO_TRY(auto const held, co_await keeper_.current(deadline));
  if (!held) co_return http::Headers{};
  auto const& grant = held->grant;
  auto const now = clocks_.wall();
  if (is_expired(grant, now)) {
    co_return fail(
        Errc::CredentialUnavailable,
        fmt::format("The sign-in to {} has expired: {}.", settings_.id, how_to_sign_in(settings_)));
  }
  http::Headers headers{{"Authorization", grant.header_value.reveal()}};
  auto const& key = held->key;
  if (key && grant.header_value.reveal().starts_with("DPoP ")) {
    auto const nonce = keeper_.nonces().of(url);
    SP_CO_TRY(auto proof, key->proof({.method = method,
                                      .url = url,
                                      .nonce = nonce,
                                      .access_token = bare_token(grant.header_value)},
                                     now));
    headers.add("DPoP", std::move(proof));
  }
  co_return headers;
}

Task<bool> UpstreamAuthorizer::refused(int status, http::Headers const& answer,
                                       http::Headers const& sent, Deadline deadline) {
  auto const challenge = read_challenge(answer);
  auto const token = token_in(sent);
  if (status == 403) {
    if (challenge.error != "insufficient_scope") co_return false;
    co_return co_await insufficient(challenge, token, deadline);
  }
  if (status != 401) co_return false;
  if (wants_nonce(challenge, answer)) {
    keeper_.nonces().remember(settings_.url, answer);
    auto const* const proof = sent.find("DPoP");
    // Once it is in the proof, the same nonce will not help again.
    if (proof != nullptr && nonce_in(*proof) != keeper_.nonces().of(settings_.url)) co_return true;
  }
  co_return co_await unauthorized(challenge, token, deadline);
}

// A refusal is reason enough to look whether somebody has signed in elsewhere.
Result<Held> UpstreamAuthorizer::newest() {
  if (settings_.kind != GrantKind::AuthorizationCode) return keeper_.at_hand();
  return keeper_.look();
}

Task<bool> UpstreamAuthorizer::unauthorized(ServerChallenge const& challenge, Secret const& token,
                                            Deadline deadline) {
  SP_CO_TRY(auto const held, newest());
  if (held && held->grant.header_value.reveal() != token.reveal()) co_return true;
  if (settings_.kind != GrantKind::AuthorizationCode) {
    co_return co_await obtain(challenge, held ? held->grant.requested_scope : std::string{}, token,
                              deadline);
  }
  if (held && keeper_.would_ask(token)) {
    SP_CO_CHECK(co_await check_issuer(held, challenge, token, deadline));
  }
  auto const another = co_await keeper_.another(token, deadline);
  if (another && *another) co_return true;
  // Whoever was asked may have said that it is over.
  SP_CO_TRY(auto const last, newest());
  if (!last || last->grant.refresh_token.empty()) keep(challenge, token);
  if (!another) co_return another.error();
  co_return person_needed(held ? "does not accept the sign-in any more"
                               : "wants to know who you are");
}

// SECURITY: what one issuer gave is never shown to another, nor used for another resource.
Task<void> UpstreamAuthorizer::check_issuer(Held const& held, ServerChallenge const& challenge,
                                            Secret const& token, Deadline deadline) {
  SP_CO_TRY(auto const found, co_await discovery_.look(challenge, deadline));
  if (found.authorization_server.issuer == held->grant.issuer &&
      found.resource == held->grant.resource) {
    co_return Result<void>{};
  }
  keep(challenge, token);
  co_return person_needed("has another authorization server now");
}

Task<bool> UpstreamAuthorizer::insufficient(ServerChallenge challenge, Secret const& token,
                                            Deadline deadline) {
  SP_CO_TRY(auto const held, newest());
  if (held && held->grant.header_value.reveal() != token.reveal()) co_return true;
  if (!may_step_up(token)) {
    co_return fail(Errc::CredentialUnavailable,
                   fmt::format("{} asks for more rights again and again; it was not given them.",
                               settings_.id));
  }
  auto const before = held ? held->grant.requested_scope : std::string{};
  if (settings_.kind != GrantKind::AuthorizationCode) {
    auto const wider = scope_union(before, challenge.scope);
    co_return co_await obtain(challenge, wider, token, deadline);
  }
  challenge.scope = scope_union(before, challenge.scope);
  keep(challenge, token);
  co_return person_needed("wants more rights than the sign-in gave");
}

Task<bool> UpstreamAuthorizer::obtain(ServerChallenge const& challenge, std::string const& scope,
                                      Secret const& token, Deadline deadline) {
  bool const wants_more = challenge.error == "insufficient_scope";
  if (wants_more || keeper_.would_ask(token)) {
    SP_CO_CHECK(co_await find_for_machine(challenge, scope, deadline));
  }
  SP_CO_TRY(auto const another, co_await keeper_.another(token, deadline));
  if (another) co_return true;
  co_return fail(Errc::CredentialUnavailable,
                 fmt::format("{} does not accept the tokens that we get for it.", settings_.id));
}

Task<void> UpstreamAuthorizer::find_for_machine(ServerChallenge const& challenge,
                                                std::string const& scope, Deadline deadline) {
  SP_CO_TRY(auto found, co_await discovery_.look(challenge, deadline));
  // Refresh tokens are not for machines (RFC 6749, section 4.4.3).
  auto chosen = settings_.scope.empty() ? scope : settings_.scope;
  if (chosen.empty()) chosen = challenge.scope;
  if (chosen.empty()) chosen = join_scopes(found.resource_scopes);
  if (challenge.error == "insufficient_scope") chosen = scope_union(chosen, scope);
  keeper_.use(std::move(found), std::move(chosen));
  co_return Result<void>{};
}

bool UpstreamAuthorizer::is_kept(ServerChallenge const& challenge, Secret const& token) {
  auto const now = clocks_.steady();
  std::lock_guard const lock{mutex_};
  bool const same = kept_ && kept_->challenge == challenge && kept_->token.matches(token.reveal());
  if (same && now - kept_->at < kKeptMemory) return true;
  kept_ = {challenge, token, now};
  return false;
}

void UpstreamAuthorizer::keep(ServerChallenge const& challenge, Secret const& token) {
  if (is_kept(challenge, token)) return;
  if (auto const kept = store_.put_challenge(settings_, challenge); !kept) {
    log::warn("what a server asked for could not be stored",
              {{"server", settings_.id}, {"error", kept.error().message}});
  }
}

Error UpstreamAuthorizer::person_needed(std::string_view why) const {
  return fail(Errc::CredentialUnavailable,
              fmt::format("{} {}: {}.", settings_.id, why, how_to_sign_in(settings_)));
}

// Requests that are refused with one and the same token are one step.
bool UpstreamAuthorizer::may_step_up(Secret const& token) {
  auto const now = clocks_.steady();
  std::lock_guard const lock{mutex_};
  if (now - last_step_up_ > kStepUpMemory) steps_up_ = 0;
  last_step_up_ = now;
  if (steps_up_ == 0 || !too_little_.matches(token.reveal())) ++steps_up_;
  too_little_ = token;
  return steps_up_ <= kMostStepsUp;
}

}  // namespace sallyport::oauth::upstream
