#include "src/oauth/upstream/token_call.hpp"

#include <fmt/format.h>

namespace sallyport::oauth::upstream {
namespace {

Result<http::ClientRequest> make_call(TokenCaller const& caller, TokenOptions const& options,
                                      FormFields const& fields) {
  if (options.client_auth == ClientAuth::PrivateKeyJwt && !options.private_key) {
    return fail(Errc::CredentialUnavailable,
                "The client's private key is not configured any more.");
  }
  SP_TRY(auto request, token_request(options, fields, caller.now));
  request.deadline = Deadline::in(options.timeout);
  if (caller.key == nullptr) return request;
  auto const nonce = caller.nonces.of(options.token_url);
  SP_TRY(auto proof,
         caller.key->proof({.method = request.method, .url = request.url, .nonce = nonce},
                           caller.now));
  request.headers.set("DPoP", std::move(proof));
  return request;
}

// A refusal that another attempt would get as well. Servers that are busy or broken also answer
// with names of errors.
bool is_final(http::Response const& answer) {
  auto const name = known_error_in(answer);
  return answer.status >= 400 && answer.status < 500 && !name.empty() &&
         name != "temporarily_unavailable" && name != "server_error" && name != "use_dpop_nonce";
}

}  // namespace

Async<TokenOutcome> TokenCaller::ask(TokenOptions options, FormFields fields) const {
  for (int attempt = 0;; ++attempt) {
    auto request = make_call(*this, options, fields);
    if (!request) co_return TokenOutcome{.token = std::move(request).error()};
    auto const answer = co_await capture(client.send(std::move(*request)));
    if (!answer) {
      auto error = answer.error();
      error.message = "The request to the token endpoint failed: " + error.message;
      co_return TokenOutcome{.token = std::move(error)};
    }
    nonces.remember(options.token_url, answer->headers);
    bool const wants_nonce = key != nullptr && known_error_in(*answer) == "use_dpop_nonce";
    if (wants_nonce && attempt == 0) continue;
    auto token = read_token_answer(*answer, options, now);
    auto const error = token ? std::string_view{} : known_error_in(*answer);
    co_return TokenOutcome{std::move(token), is_final(*answer), error};
  }
}

Task<void> TokenCaller::revoke(TokenOptions options, std::string endpoint,
                               FormFields fields) const {
  options.token_url = std::move(endpoint);
  options.resources.clear();
  SP_CO_TRY(auto request, make_call(*this, options, fields));
  SP_CO_TRY(auto const answer, co_await capture(client.send(std::move(request))));
  if (answer.status == 200) co_return Result<void>{};
  co_return fail(Errc::CredentialUnavailable, "The authorization server did not revoke the token.",
                 fmt::format("status {}", answer.status));
}

}  // namespace sallyport::oauth::upstream
