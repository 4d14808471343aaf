#include "src/config/item_checks.hpp"
#include "src/config/loader.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace sallyport::config {
namespace {

// Wrong rights are better found before the program is started than while it runs.
void check_readable(std::string_view key, std::string const& path, Draft& draft) {
  if (path.empty() || access(path.c_str(), R_OK) == 0) return;
  note(key, fmt::format("the file {} cannot be read", path), draft);
}

void check_tls(net::TlsOptions const& tls, Draft& draft) {
  if (!tls.certificate_file.empty() && tls.key_file.empty()) {
    note("listen.tls.certificate_file", "also needs listen.tls.key_file", draft);
  }
  if (tls.certificate_file.empty() && !tls.key_file.empty()) {
    note("listen.tls.key_file", "also needs listen.tls.certificate_file", draft);
  }
  check_readable("listen.tls.certificate_file", tls.certificate_file, draft);
  check_readable("listen.tls.key_file", tls.key_file, draft);
}

void check_jwt(oauth::JwtOptions const& jwt, Draft& draft) {
  if (jwt.issuer.empty()) note("auth.jwt.issuer", "is missing", draft);
  // SECURITY: without it, a token that was made for another service would open this one.
  if (jwt.audiences.empty()) {
    note("auth.jwt.audiences", "is missing; name at least the public URL of this server", draft);
  }
  if (jwt.jwks_url.empty() == jwt.jwks_file.empty()) {
    note(jwt.jwks_url.empty() ? "auth.jwt" : "auth.jwt.jwks_url",
         "needs exactly one of auth.jwt.jwks_url and auth.jwt.jwks_file", draft);
  }
  if (jwt.algorithms.empty()) note("auth.jwt.algorithms", "must not be empty", draft);
  check_readable("auth.jwt.jwks_file", jwt.jwks_file, draft);
}

void check_tokens(std::vector<oauth::StaticToken> const& tokens, Draft& draft) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!tokens[i].token.matches(tokens[j].token.reveal())) continue;
      note("auth.tokens",
           fmt::format("{} and {} have the same token", tokens[j].principal, tokens[i].principal),
           draft);
    }
  }
}

void check_auth(oauth::InboundOptions const& auth, Draft& draft) {
  check_tokens(auth.tokens, draft);
  if (auth.jwt) check_jwt(*auth.jwt, draft);
  if (auth.forward && auth.forward->proxies.empty()) {
    note("auth.forward.proxies", "is missing; only their headers are believed", draft);
  }
  if (auth.forward && auth.forward->user_header.empty()) {
    note("auth.forward.user_header", "must not be empty", draft);
  }
}

// A default above its ceiling would make every call without a word about it fail.
void check_js(JsSettings const& js, Draft& draft) {
  if (js.run.limits.wall > js.run.max_wall) {
    note("js.timeout", "is above js.max_timeout", draft);
  }
  if (js.run.limits.heap_mb > js.run.max_heap_mb) {
    note("js.heap_mb", "is above js.max_heap_mb", draft);
  }
}

void check_exposure(Settings const& settings, Draft& draft) {
  bool const open = settings.listen.insecure_no_auth;
  if (settings.auth.configured()) {
    if (open) note("listen.insecure_no_auth", "contradicts the settings in auth", draft);
    return;
  }
  // SECURITY: who can reach the port can use our network. On loopback that is this machine.
  if (open || is_loopback_host(settings.listen.host)) return;
  note("listen.host",
       fmt::format("{} can be reached by others, and nobody is asked for a token; set "
                   "auth.tokens, auth.token, auth.jwt or auth.forward, listen on 127.0.0.1, or "
                   "say --insecure-no-auth",
                   settings.listen.host),
       draft);
}

}  // namespace

void cross_check(Purpose purpose, Draft& draft) {
  auto const settings = draft.settings;
  if (settings.fetch.allowed_schemes.empty()) {
    note("fetch.allowed_schemes", "must not be empty", draft);
  }
  check_js(settings.js, draft);
  if (purpose == Purpose::Stdio) return;
  check_tls(settings.listen.tls, draft);
  check_auth(settings.auth, draft);
  check_exposure(settings, draft);
}

}  // namespace sallyport::config
