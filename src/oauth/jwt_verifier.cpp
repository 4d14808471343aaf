#include "src/oauth/jwt_verifier.hpp"

#include "src/oauth/jwt_claims.hpp"
#include "src/oauth/resource_url.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace sallyport::oauth {
namespace {

constexpr std::chrono::seconds kMaximumLeeway{600};
constexpr std::chrono::hours kMaximumKeyAge{24};

Error misconfigured(std::string message) {
  return fail(Errc::InvalidInput, std::move(message));
}

Result<std::vector<Algorithm>> parse_algorithms(std::vector<std::string> const& names) {
  if (names.empty()) return misconfigured("jwt.algorithms: name at least one algorithm");
  std::vector<Algorithm> algorithms;
  for (auto const& name : names) {
    auto const algorithm = parse_algorithm(name);
    if (!algorithm) {
      return misconfigured(fmt::format("jwt.algorithms: \"{}\" is not supported; use one of {}",
                                       name, fmt::join(algorithm_names(), ", ")));
    }
    algorithms.push_back(*algorithm);
  }
  return algorithms;
}

Result<void> check_options(JwtOptions const& options, http::Client const* client) {
  if (options.issuer.empty()) return misconfigured("jwt.issuer: must not be empty");
  if (options.audiences.empty() || std::ranges::count(options.audiences, "") > 0) {
    return misconfigured("jwt.audiences: name at least one audience, none of them empty");
  }
  if (options.jwks_url.empty() == options.jwks_file.empty()) {
    return misconfigured("jwt: set one of jwks_url and jwks_file");
  }
  if (!options.jwks_url.empty() && !is_secure_url(options.jwks_url)) {
    return misconfigured("jwt.jwks_url: must be an https URL (http only on this machine)");
  }
  if (!options.jwks_url.empty() && client == nullptr) {
    return misconfigured("jwt.jwks_url: there is no HTTP client to fetch keys with");
  }
  if (options.leeway.count() < 0 || options.leeway > kMaximumLeeway) {
    return misconfigured("jwt.leeway: must be between 0 and 600 seconds");
  }
  if (options.key_lifetime.count() < 1 || options.minimum_refresh_interval.count() < 1) {
    return misconfigured("jwt: key_lifetime and minimum_refresh_interval must be positive");
  }
  return {};
}

Result<JwksCache::Keys> read_keys(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return misconfigured("jwt.jwks_file: cannot be read");
  std::string const text{std::istreambuf_iterator<char>{file}, {}};
  auto keys = JwkSet::parse(text);
  if (!keys) return misconfigured("jwt.jwks_file: " + keys.error().message);
  return std::make_shared<JwkSet const>(std::move(*keys));
}

}  // namespace

Result<std::unique_ptr<JwtVerifier>> JwtVerifier::create(JwtOptions options, http::Client* client,
                                                         Clocks clocks) {
  SP_CHECK(check_options(options, client));
  std::unique_ptr<JwtVerifier> verifier{new JwtVerifier{std::move(options)}};
  auto const& kept = verifier->options_;
  verifier->wall_now_ = std::move(clocks.wall);
  SP_TRY(verifier->algorithms_, parse_algorithms(kept.algorithms));
  if (!kept.jwks_file.empty()) {
    SP_TRY(verifier->fixed_, read_keys(kept.jwks_file));
    return verifier;
  }
  JwksCacheOptions caching{
      .url = kept.jwks_url,
      .lifetime = kept.key_lifetime,
      .minimum_refresh_interval = kept.minimum_refresh_interval,
      .maximum_age = std::max<Clock::duration>(kMaximumKeyAge, 2 * kept.key_lifetime)};
  verifier->cache_.emplace(std::move(caching), *client, std::move(clocks.steady));
  return verifier;
}

Task<Principal> JwtVerifier::verify(std::string token) {
  SP_CO_TRY(auto const jws, parse_jws(token, algorithms_));
  auto principal = check_claims(jws.claims, jws.typ, options_, wall_now_());
  // A token that is refused anyway is not worth a fetch.
  bool const may_fetch = principal || principal.error().code == Errc::PolicyDenied;
  auto keys = co_await this->keys();
  if (!keys) {
    co_return fail(Errc::CredentialUnavailable, "The keys to check tokens with are unavailable.");
  }
  auto const signature = co_await check_signature(jws, std::move(keys), may_fetch);
  // SECURITY: before the claims. What a forged token is told about them is nothing.
  if (signature != Signature::Valid) {
    co_return fail(Errc::InvalidInput, "The token's signature is not valid.");
  }
  co_return principal;
}

Async<JwksCache::Keys> JwtVerifier::keys() {
  if (fixed_) co_return fixed_;
  co_return co_await cache_->current();
}

Async<Signature> JwtVerifier::check_signature(Jws const& jws, JwksCache::Keys keys,
                                              bool may_fetch) {
  auto const signature = oauth::verify(jws, *keys);
  if (signature != Signature::UnknownKey || fixed_ || !may_fetch) co_return signature;
  auto const newer = co_await cache_->newer_than(keys);
  if (!newer || newer == keys) co_return signature;
  co_return oauth::verify(jws, *newer);
}

}  // namespace sallyport::oauth
