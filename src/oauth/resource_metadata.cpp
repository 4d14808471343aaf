#include "src/oauth/resource_metadata.hpp"

#include "src/json/write.hpp"
#include "src/oauth/resource_url.hpp"

#include <utility>

namespace sallyport::oauth {
namespace {

json::Array to_array(std::vector<std::string> const& texts) {
  json::Array array;
  for (auto const& text : texts) array.emplace_back(text);
  return array;
}

}  // namespace

Result<ResourceMetadata> ResourceMetadata::create(InboundOptions const& options) {
  if (!options.resource.empty() && !split_url(options.resource)) {
    return fail(Errc::InvalidInput,
                "resource: must be the http or https URL of the MCP endpoint, without query and "
                "fragment");
  }
  ResourceMetadata metadata;
  metadata.resource_ = options.resource;
  metadata.authorization_servers_ = options.authorization_servers;
  metadata.scopes_ = options.scopes_supported;
  if (options.jwt) {
    if (metadata.authorization_servers_.empty()) {
      metadata.authorization_servers_.push_back(options.jwt->issuer);
    }
    if (metadata.scopes_.empty()) metadata.scopes_ = options.jwt->required_scopes;
  }
  // Whether a client wants refresh tokens is between it and its authorization server; MCP asks not
  // to list this scope.
  std::erase(metadata.scopes_, "offline_access");
  return metadata;
}

std::string ResourceMetadata::url(http::ServerRequest const& request) const {
  if (authorization_servers_.empty()) return {};
  return metadata_url_of(resource(request));
}

std::string ResourceMetadata::document(http::ServerRequest const& request) const {
  json::Object document;
  document["resource"] = resource(request);
  if (!authorization_servers_.empty()) {
    document["authorization_servers"] = to_array(authorization_servers_);
  }
  if (!scopes_.empty()) document["scopes_supported"] = to_array(scopes_);
  document["bearer_methods_supported"] = json::Array{"header"};
  return json::to_text(document);
}

std::string ResourceMetadata::resource(http::ServerRequest const& request) const {
  if (!resource_.empty()) return resource_;
  return resource_of(request).value_or(std::string{});
}

}  // namespace sallyport::oauth
