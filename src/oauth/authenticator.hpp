// Decides who a request comes from, before anything else looks at it.
#pragma once

#include "src/base/task.hpp"
#include "src/http/message.hpp"
#include "src/oauth/inbound_options.hpp"

#include <string>
#include <variant>

namespace sallyport::oauth {

// Why a request is turned away: 400 (malformed), 401 (no or bad token) or 403 (scope missing).
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
  virtual Async<Verdict> authenticate(http::ServerRequest const& request) = 0;

  // The protected resource metadata document (RFC 9728, section 3.2) for that request.
  virtual std::string resource_metadata(http::ServerRequest const& request) const = 0;
};

}  // namespace sallyport::oauth
