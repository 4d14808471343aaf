// Decides who a request comes from, before anything else looks at it.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/http/message.hpp"
#include "src/oauth/inbound_options.hpp"

#include <memory>
#include <string>
#include <variant>

namespace sallyport::oauth {

// Why a request is turned away: 400 (malformed), 401 (no or bad token), 403 (scope missing) or 503
// (the keys to check a token with cannot be had; then there is no challenge).
struct Refusal {
  int status{401};
  std::string www_authenticate;  // RFC 6750, RFC 9728 section 5.1
  std::string message;           // fit for the peer
};

using Verdict = std::variant<Principal, Refusal>;

class Authenticator {
 public:
  virtual ~Authenticator() = default;

  // Waits only when keys have to be fetched. Never fails otherwise: what is not proven is refused.
  // From any loop; `request` must outlive the task, and the authenticator too.
  virtual Async<Verdict> authenticate(http::ServerRequest const& request) = 0;

  // The protected resource metadata document (RFC 9728, section 3.2) for that request.
  virtual std::string resource_metadata(http::ServerRequest const& request) const = 0;
};

// Looks at an Authorization header first (static tokens, then JWT); without one at the headers of a
// trusted proxy. Fails with InvalidInput when the options make no sense; the message is for the
// operator. `client` fetches keys and must outlive the result; nullptr when no jwks_url is set.
Result<std::unique_ptr<Authenticator>> make_authenticator(InboundOptions options,
                                                          http::Client* client);

}  // namespace sallyport::oauth
