// The Authenticator that the options describe: make_authenticator() of authenticator.hpp.
#include "src/base/log.hpp"
#include "src/oauth/authenticator.hpp"
#include "src/oauth/bearer.hpp"
#include "src/oauth/forward_auth.hpp"
#include "src/oauth/jwt_verifier.hpp"
#include "src/oauth/resource_metadata.hpp"
#include "src/oauth/static_tokens.hpp"
#include "src/oauth/www_authenticate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <utility>

namespace sallyport::oauth {
namespace {

struct Parts {
  StaticTokens tokens;
  std::unique_ptr<JwtVerifier> jwt;
  std::optional<ForwardAuth> forward;
  ResourceMetadata metadata;
  std::string required_scopes;  // as the challenge names them
};

class InboundAuthenticator final : public Authenticator {
 public:
  explicit InboundAuthenticator(Parts parts) : parts_{std::move(parts)} {}

  Async<Verdict> authenticate(http::ServerRequest const& request) override {
    auto const authorization = parse_authorization(request.headers);
    if (auto const* token = std::get_if<BearerToken>(&authorization)) {
      co_return co_await check_token(*token, request);
    }
    if (std::holds_alternative<MalformedHeader>(authorization)) {
      co_return refuse(request, 400, "invalid_request", "The Authorization header is malformed.");
    }
    // A proxy that authenticates does not pass credentials on; next to some we do not believe it.
    if (std::holds_alternative<NoCredentials>(authorization) && parts_.forward) {
      if (auto principal = parts_.forward->principal(request)) co_return *std::move(principal);
    }
    co_return refuse(request, 401, {}, "Authentication is required.");
  }

  std::string resource_metadata(http::ServerRequest const& request) const override {
    return parts_.metadata.document(request);
  }

 private:
  Async<Verdict> check_token(BearerToken const& token, http::ServerRequest const& request) {
    if (auto principal = parts_.tokens.find(token.text)) co_return *std::move(principal);
    if (!parts_.jwt) co_return refuse(request, 401, "invalid_token", "The token is not valid.");
    auto verified = co_await parts_.jwt->verify(token.text);
    if (verified) co_return std::move(*verified);
    co_return refusal_of(request, verified.error());
  }

  Refusal refusal_of(http::ServerRequest const& request, Error const& error) const {
    if (error.code == Errc::PolicyDenied) {
      return refuse(request, 403, "insufficient_scope", error.message);
    }
    if (error.code == Errc::InvalidInput) {
      return refuse(request, 401, "invalid_token", error.message);
    }
    // No verdict on the token: a challenge would make the client throw a good one away.
    return Refusal{.status = 503, .message = "Tokens cannot be checked at the moment."};
  }

  Refusal refuse(http::ServerRequest const& request, int status, std::string_view error,
                 std::string message) const {
    log::debug("request refused", {{"request", request.request_id},
                                   {"peer", request.peer_address},
                                   {"status", status},
                                   {"reason", message}});
    Challenge const challenge{.resource_metadata = parts_.metadata.url(request),
                              .scope = parts_.required_scopes,
                              .error = error,
                              .error_description = error.empty() ? std::string_view{} : message};
    auto header = www_authenticate(challenge);
    return Refusal{
        .status = status, .www_authenticate = std::move(header), .message = std::move(message)};
  }

  Parts parts_;
};

}  // namespace

Result<std::unique_ptr<Authenticator>> make_authenticator(InboundOptions options,
                                                          http::Client* client) {
  if (!options.configured()) {
    return fail(Errc::InvalidInput, "auth: configure tokens, jwt or forward");
  }
  SP_TRY(auto tokens, StaticTokens::create(options.tokens));
  SP_TRY(auto metadata, ResourceMetadata::create(options));
  Parts parts{.tokens = std::move(tokens), .metadata = std::move(metadata)};
  if (options.forward) {
    SP_TRY(parts.forward, ForwardAuth::create(*options.forward));
  }
  if (options.jwt) {
    parts.required_scopes = fmt::format("{}", fmt::join(options.jwt->required_scopes, " "));
    SP_TRY(parts.jwt, JwtVerifier::create(*std::move(options.jwt), client, {}));
  }
  return std::unique_ptr<Authenticator>{new InboundAuthenticator{std::move(parts)}};
}

}  // namespace sallyport::oauth
