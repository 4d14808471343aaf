#include "src/oauth/upstream/grant.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/oauth/upstream/scopes.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::chrono::seconds kTokenTimeout{10};
constexpr std::chrono::seconds kRefreshReserve{300};

json::Object to_object(Client const& client) {
  return {{"id", client.id},
          {"auth", static_cast<std::int64_t>(client.auth)},
          {"secret", client.secret.reveal()},
          {"secret_expires_at", client.secret_expires_at}};
}

// Reads members; remembers whether one was missing or of another type.
class Members {
 public:
  explicit Members(json::Object const& object) : object_{object} {}

  std::string text(std::string_view name) {
    auto const* const found = json::find_string(object_, name);
    complete_ &= found != nullptr;
    return found == nullptr ? std::string{} : std::string{json::view(*found)};
  }
  Secret secret(std::string_view name) { return Secret{text(name)}; }
  std::int64_t number(std::string_view name) {
    auto const* const found = json::find(object_, name);
    bool const good = found != nullptr && found->is_int64();
    complete_ &= good;
    return good ? found->get_int64() : 0;
  }
  bool complete() const noexcept { return complete_; }

 private:
  json::Object const& object_;
  bool complete_{true};
};

Error damaged() {
  return fail(Errc::InvalidInput, "A stored grant cannot be read.");
}

Result<Client> client_in(json::Object const& object) {
  Members members{object};
  Client client{.id = members.text("id"), .secret = members.secret("secret")};
  client.secret_expires_at = members.number("secret_expires_at");
  auto const auth = members.number("auth");
  bool const known = auth >= 0 && auth <= static_cast<std::int64_t>(ClientAuth::None);
  if (!members.complete() || !known) return damaged();
  client.auth = static_cast<ClientAuth>(auth);
  return client;
}

Result<json::Object> object_in(std::string_view text) {
  auto document = json::parse(text, {}, {.depth = 4});
  if (!document || !document->is_object()) return damaged();
  return std::move(document->get_object());
}

}  // namespace

std::int64_t unix_seconds(WallClock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

bool is_fresh(Grant const& grant, WallClock::time_point now) {
  auto const reserve =
      std::min<std::int64_t>(kRefreshReserve.count(), (grant.expires_at - grant.issued_at) / 2);
  return unix_seconds(now) < grant.expires_at - reserve;
}

bool is_expired(Grant const& grant, WallClock::time_point now) {
  return unix_seconds(now) >= grant.expires_at;
}

std::string to_text(Client const& client) {
  return json::to_text(to_object(client));
}

std::string to_text(Grant const& grant) {
  return json::to_text(json::Object{{"server_url", grant.server_url},
                                    {"issuer", grant.issuer},
                                    {"resource", grant.resource},
                                    {"token_endpoint", grant.token_endpoint},
                                    {"revocation_endpoint", grant.revocation_endpoint},
                                    {"client", to_object(grant.client)},
                                    {"requested_scope", grant.requested_scope},
                                    {"scope", grant.scope},
                                    {"header_value", grant.header_value.reveal()},
                                    {"refresh_token", grant.refresh_token.reveal()},
                                    {"dpop_key", grant.dpop_key.reveal()},
                                    {"issued_at", grant.issued_at},
                                    {"expires_at", grant.expires_at}});
}

Result<Client> client_of(std::string_view text) {
  SP_TRY(auto const object, object_in(text));
  return client_in(object);
}

Result<Grant> grant_of(std::string_view text) {
  SP_TRY(auto const object, object_in(text));
  Members members{object};
  Grant grant{.server_url = members.text("server_url"),
              .issuer = members.text("issuer"),
              .resource = members.text("resource"),
              .token_endpoint = members.text("token_endpoint"),
              .revocation_endpoint = members.text("revocation_endpoint"),
              .requested_scope = members.text("requested_scope"),
              .scope = members.text("scope"),
              .header_value = members.secret("header_value"),
              .refresh_token = members.secret("refresh_token"),
              .dpop_key = members.secret("dpop_key"),
              .issued_at = members.number("issued_at"),
              .expires_at = members.number("expires_at")};
  auto const* const client = json::find_object(object, "client");
  if (!members.complete() || client == nullptr) return damaged();
  SP_TRY(grant.client, client_in(*client));
  return grant;
}

TokenOptions token_options(Grant const& grant, ClientSettings const& settings) {
  TokenOptions options{.token_url = grant.token_endpoint,
                       .client_id = grant.client.id,
                       .client_auth = grant.client.auth,
                       .client_secret = grant.client.secret,
                       .assertion_audience = grant.issuer,
                       .resources = {grant.resource},
                       .accepts_dpop = !grant.dpop_key.empty(),
                       .timeout = kTokenTimeout};
  if (settings.client_id == grant.client.id) {
    // It may have been changed since.
    if (!settings.client_secret.empty()) options.client_secret = settings.client_secret;
    options.private_key = settings.private_key;
    options.key_id = settings.key_id;
  }
  return options;
}

std::string_view bare_token(Secret const& header_value) noexcept {
  std::string_view const value = header_value.reveal();
  return value.substr(std::min(value.find(' '), value.size() - 1) + 1);
}

Grant renewed(Grant old, IssuedToken issued, WallClock::time_point now) {
  old.header_value = std::move(issued.header_value);
  // RFC 6749, section 6: without a new one the old one goes on.
  if (!issued.refresh_token.empty()) old.refresh_token = std::move(issued.refresh_token);
  old.issued_at = unix_seconds(now);
  old.expires_at = unix_seconds(now + issued.lifetime);
  if (is_scope_list(issued.scope)) {
    old.scope = issued.scope;
  } else if (old.scope.empty()) {
    old.scope = old.requested_scope;
  }
  return old;
}

}  // namespace sallyport::oauth::upstream
