#include "src/oauth/upstream/sign_in.hpp"

#include "src/base/log.hpp"
#include "src/base/random_id.hpp"
#include "src/oauth/upstream/registration.hpp"
#include "src/oauth/upstream/renewal.hpp"
#include "src/oauth/upstream/scopes.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <algorithm>

namespace sallyport::oauth::upstream {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10min;
constexpr std::size_t kMostPending = 256;
constexpr std::size_t kStateBytes = 32;

// What a client of any revision may say first; all that matters is whether it is refused.
constexpr auto* kProbe =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"sallyport","version":"0"}}})";

http::ClientRequest probe(ServerSettings const& server, Deadline deadline) {
  return {.method = "POST",
          .url = server.url,
          .headers = {{"Accept", "application/json, text/event-stream"},
                      {"Content-Type", "application/json"}},
          .body = kProbe,
          .deadline = deadline,
          .max_response_bytes = 64UL * 1024};
}

Error refused(std::string message) {
  return fail(Errc::CredentialUnavailable, std::move(message));
}

}  // namespace

Task<ServerChallenge> SignIn::what_it_wants(ServerSettings const& server, Deadline deadline) {
  SP_CO_TRY(auto const known, store_.challenge(server));
  if (known) co_return *known;
  SP_CO_TRY(auto const answer, co_await client_.send(probe(server, deadline)));
  // Anything else than 401 says nothing about how to sign in; the well-known places may.
  co_return answer.status == 401 ? read_challenge(answer.headers) : ServerChallenge{};
}

// After `insufficient_scope`, what was asked for before as well: else each step up would take away
// what the one before had brought.
Result<std::string> SignIn::scope_for(ServerSettings const& server,
                                      ServerChallenge const& challenge,
                                      Discovery const& discovery) {
  auto scope = choose_scope(server, challenge, discovery);
  if (challenge.error != "insufficient_scope") return scope;
  SP_TRY(auto const before, store_.grant(server));
  if (before) scope = scope_union(before->requested_scope, scope);
  return scope_union(scope, challenge.scope);
}

// With all that a browser needs to be sent there.
Task<Discovery> SignIn::find(ServerSettings const& server, ServerChallenge challenge,
                             Deadline deadline) {
  SP_CO_TRY(auto found, co_await discover_for(client_, server, std::move(challenge), deadline));
  if (found.authorization_server.authorization_endpoint.empty()) {
    co_return refused("The authorization server has no authorization_endpoint.");
  }
  SP_CO_CHECK(check_pkce(found.authorization_server));
  co_return found;
}

Task<Discovery> SignIn::look(ServerSettings server, Deadline deadline) {
  SP_CO_CHECK(secure_url(server.url, "address"));
  SP_CO_TRY(auto challenge, co_await what_it_wants(server, deadline));
  co_return co_await find(server, std::move(challenge), deadline);
}

Task<SignInStart> SignIn::begin(ServerSettings server, std::string redirect_uri,
                                Deadline deadline) {
  SP_CO_CHECK(secure_url(redirect_uri, "redirect URI"));
  SP_CO_CHECK(secure_url(server.url, "address"));
  SP_CO_TRY(auto const challenge, co_await what_it_wants(server, deadline));
  auto const found = co_await find(server, challenge, deadline);
  if (!found) {
    // It may be out of date; the next attempt asks the server again.
    SP_CO_CHECK(store_.forget_challenge(server));
    co_return found.error();
  }
  auto const& discovery = *found;
  auto const& issuer = discovery.authorization_server;
  RegistrationParts const parts{client_, store_, server, issuer, clock_()};
  SP_CO_TRY(auto client, co_await client_for(parts, redirect_uri, deadline));
  auto const pkce = Pkce::make();
  SignInStart start{.state = random_id(kStateBytes)};
  Pending pending{.server = server,
                  .grant = {.server_url = server.url,
                            .issuer = issuer.issuer,
                            .resource = discovery.resource,
                            .token_endpoint = issuer.token_endpoint,
                            .revocation_endpoint = issuer.revocation_endpoint,
                            .client = std::move(client)},
                  .verifier = pkce.verifier,
                  .redirect_uri = redirect_uri,
                  .issuer_required = issuer.names_itself_in_answers,
                  .until = clock_() + kPatience};
  SP_CO_TRY(pending.grant.requested_scope, scope_for(server, challenge, discovery));
  if (discovery.use_dpop) {
    SP_CO_TRY(auto const key, DpopKey::generate());
    pending.grant.dpop_key = key.pem();
  }
  start.authorization_url =
      authorization_url(issuer.authorization_endpoint, {.client_id = pending.grant.client.id,
                                                        .redirect_uri = redirect_uri,
                                                        .scope = pending.grant.requested_scope,
                                                        .state = start.state,
                                                        .code_challenge = pkce.challenge,
                                                        .resource = discovery.resource});
  keep(start.state, std::move(pending));
  co_return start;
}

void SignIn::keep(std::string const& state, Pending pending) {
  auto const now = clock_();
  std::lock_guard const lock{mutex_};
  std::erase_if(pending_, [&](auto const& each) { return each.second.until <= now; });
  if (pending_.size() >= kMostPending) {
    auto const oldest =
        std::ranges::min_element(pending_, {}, [](auto const& each) { return each.second.until; });
    pending_.erase(oldest);
  }
  pending_.emplace(state, std::move(pending));
}

// SECURITY: once, whatever becomes of it.
std::optional<SignIn::Pending> SignIn::extract(std::string const& state) {
  std::lock_guard const lock{mutex_};
  auto node = pending_.extract(state);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

std::optional<SignIn::Pending> SignIn::take(std::string const& state) {
  auto pending = extract(state);
  if (pending && pending->until <= clock_()) return std::nullopt;
  return pending;
}

Result<bool> SignIn::give_up(std::string const& state) {
  auto const pending = extract(state);
  if (!pending) return false;
  auto const& issuer = pending->grant.issuer;
  SP_TRY(auto const registered, store_.client(issuer, pending->redirect_uri));
  if (!registered || registered->id != pending->grant.client.id) return false;
  SP_CHECK(store_.forget_client(issuer, pending->redirect_uri));
  return true;
}

Task<SignedIn> SignIn::finish(std::string owner, std::string query) {
  SP_CO_TRY(auto const callback, Callback::parse(query));
  auto pending = take(callback.state);
  if (!pending || pending->server.owner != owner) {
    co_return refused("This sign-in was not begun here, or too long ago. Begin again.");
  }
  auto& grant = pending->grant;
  SP_CO_TRY(auto const code, code_in(callback, grant.issuer, pending->issuer_required));
  std::optional<DpopKey> key;
  if (!grant.dpop_key.empty()) {
    SP_CO_TRY(key, DpopKey::from_pem(grant.dpop_key));
  }
  TokenCaller const caller{client_, nonces_, clock_(), key ? &*key : nullptr};
  FormFields fields{{"grant_type", "authorization_code"},
                    {"code", code.reveal()},
                    {"redirect_uri", pending->redirect_uri},
                    {"code_verifier", pending->verifier.reveal()}};
  auto outcome =
      co_await caller.ask(token_options(grant, pending->server.client), std::move(fields));
  if (outcome.error == "invalid_client" || outcome.error == "unauthorized_client") {
    // The server has forgotten us; the next sign-in begins with a registration.
    SP_CO_CHECK(store_.forget_client(grant.issuer, pending->redirect_uri));
  }
  SP_CO_TRY(auto issued, std::move(outcome.token));
  auto const signed_in = renewed(std::move(grant), std::move(issued), clock_());
  // Without it after all that time: a sign-in is not lost for somebody who does not end.
  auto const lock = co_await lock_grant(store_, pending->server);
  SP_CO_CHECK(store_.put(pending->server, signed_in));
  SP_CO_CHECK(store_.forget_challenge(pending->server));
  co_return SignedIn{.server = pending->server.id,
                     .issuer = signed_in.issuer,
                     .scope = signed_in.scope,
                     .lasting = !signed_in.refresh_token.empty()};
}

Task<void> SignIn::revoke(ServerSettings const& server, Grant const& grant) {
  if (grant.revocation_endpoint.empty()) co_return Result<void>{};
  TokenCaller const caller{client_, nonces_, clock_()};
  auto const options = token_options(grant, server.client);
  // The refresh token first: with it, servers also end the access tokens that came of it.
  if (!grant.refresh_token.empty()) {
    FormFields fields{{"token", grant.refresh_token.reveal()},
                      {"token_type_hint", "refresh_token"}};
    SP_CO_CHECK(co_await caller.revoke(options, grant.revocation_endpoint, std::move(fields)));
  }
  FormFields fields{{"token", std::string{bare_token(grant.header_value)}},
                    {"token_type_hint", "access_token"}};
  co_return co_await caller.revoke(options, grant.revocation_endpoint, std::move(fields));
}

Task<void> SignIn::sign_out(ServerSettings server) {
  auto const lock = co_await lock_grant(store_, server);
  SP_CO_TRY(auto const grants, store_.grants(server));
  SP_CO_CHECK(store_.forget(server));
  SP_CO_CHECK(store_.forget_challenge(server));
  SP_CO_CHECK(store_.forget_clients(server));
  Result<void> outcome;
  for (auto const& grant : grants) {
    auto const revoked = co_await revoke(server, grant);
    if (!revoked) outcome = revoked.error();
  }
  co_return outcome;
}

}  // namespace sallyport::oauth::upstream
