// The protected resource metadata of the gateway (RFC 9728, section 2), and its address.
#pragma once

#include "src/base/result.hpp"
#include "src/http/message.hpp"
#include "src/oauth/inbound_options.hpp"

#include <string>
#include <vector>

namespace sallyport::oauth {

class ResourceMetadata {
 public:
  // Fails with InvalidInput, for the operator. Without `authorization_servers` the issuer of the
  // tokens is named; without `scopes_supported` the required scopes.
  static Result<ResourceMetadata> create(InboundOptions const& options);

  // The URL at which document() is served; empty when there is no authorization server to find
  // there, or the request does not say how we are called.
  std::string url(http::ServerRequest const& request) const;
  std::string document(http::ServerRequest const& request) const;

 private:
  ResourceMetadata() = default;
  std::string resource(http::ServerRequest const& request) const;

  std::string resource_;
  std::vector<std::string> authorization_servers_;
  std::vector<std::string> scopes_;
};

}  // namespace sallyport::oauth
