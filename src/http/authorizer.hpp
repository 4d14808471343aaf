// Port: what requests to one server carry to be let in. `oauth` implements it.
#pragma once

#include "src/base/task.hpp"
#include "src/http/message.hpp"

#include <string>
#include <string_view>

namespace sallyport::http {

class Authorizer {
 public:
  virtual ~Authorizer() = default;

  // The headers for one request: Authorization, and a proof where the token needs one (DPoP). None
  // where nothing is known yet: the server is then asked without. Fails with CredentialUnavailable,
  // DeadlineExceeded or Cancelled. From any loop.
  virtual Task<Headers> headers_for(std::string_view method, std::string_view url,
                                    Deadline deadline) = 0;

  // The server answered 401 or 403 to a request that carried `sent`: whether it is worth another
  // try now. Fails with CredentialUnavailable where a person has to sign in first; its message says
  // how. Whoever asks gives up after a few times.
  virtual Task<bool> refused(int status, Headers const& answer, Headers const& sent,
                             Deadline deadline) = 0;
};

}  // namespace sallyport::http
