#include "src/oauth/upstream/discovery.hpp"

#include "src/oauth/upstream/metadata_reader.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

Error unusable(std::string message, std::string detail) {
  return fail(Errc::CredentialUnavailable, std::move(message), std::move(detail));
}

Task<std::optional<json::Object>> first_of(MetadataReader& reader, std::vector<url::Url> places) {
  for (auto const& place : places) {
    SP_CO_TRY(auto document, co_await reader.read(place));
    if (document) co_return document;
  }
  co_return std::nullopt;
}

Task<std::optional<ProtectedResource>> resource_of_challenge(MetadataReader& reader,
                                                             url::Url const& server,
                                                             std::string const& text) {
  SP_CO_TRY(auto const address, secure_url(text, "resource_metadata"));
  SP_CO_TRY(auto const document, co_await reader.read(address));
  if (!document) {
    co_return unusable("The server names protected resource metadata that is not there.",
                       reader.absence());
  }
  SP_CO_TRY(auto resource, read_protected_resource(*document, server));
  co_return std::optional{std::move(resource)};
}

Task<std::optional<ProtectedResource>> find_resource(MetadataReader& reader, url::Url const& server,
                                                     ServerChallenge const& challenge) {
  if (!challenge.resource_metadata.empty()) {
    co_return co_await resource_of_challenge(reader, server, challenge.resource_metadata);
  }
  SP_CO_TRY(auto const document, co_await first_of(reader, resource_metadata_places(server)));
  if (!document) co_return std::nullopt;
  SP_CO_TRY(auto resource, read_protected_resource(*document, server));
  co_return std::optional{std::move(resource)};
}

Task<AuthorizationServer> find_issuer(MetadataReader& reader, std::string const& issuer) {
  SP_CO_TRY(auto places, issuer_metadata_places(issuer));
  SP_CO_TRY(auto const document, co_await first_of(reader, std::move(places)));
  if (!document) {
    co_return unusable("The authorization server has no metadata.", reader.absence());
  }
  co_return read_authorization_server(*document, issuer);
}

// Of a server from before protected resource metadata.
Task<AuthorizationServer> server_itself(MetadataReader& reader, url::Url const& server) {
  auto const issuer = server.origin();
  SP_CO_TRY(auto places, issuer_metadata_places(issuer));
  SP_CO_TRY(auto const document, co_await first_of(reader, std::move(places)));
  if (!document) co_return assumed_authorization_server(server);
  // An issuer that is an origin is often written with the slash of its path.
  auto const* const stated = json::find_string(*document, "issuer");
  bool const slashed = stated != nullptr && json::view(*stated) == issuer + "/";
  co_return read_authorization_server(*document, slashed ? issuer + "/" : issuer);
}

bool does_dpop(AuthorizationServer const& server) {
  return std::ranges::count(server.dpop_algorithms, "ES256") > 0;
}

Result<Discovery> stated_discovery(StatedEndpoints const& stated, url::Url const& server) {
  SP_CHECK(secure_url(server.without_fragment().href(), "address"));
  SP_TRY(auto const token_url, secure_url(stated.token_url, "token_url"));
  AuthorizationServer issuer{.issuer = stated.issuer.empty() ? token_url.origin() : stated.issuer,
                             .token_endpoint = token_url.href(),
                             // Nobody says whether it does PKCE; it is asked for in any case.
                             .challenge_methods = {"S256"}};
  if (!stated.authorization_url.empty()) {
    SP_TRY(auto const url, secure_url(stated.authorization_url, "authorization_url"));
    issuer.authorization_endpoint = url.href();
  }
  return Discovery{.resource = stated.resource.empty() ? resource_name(server) : stated.resource,
                   .authorization_server = std::move(issuer)};
}

}  // namespace

Task<Discovery> discover(http::Client& client, url::Url server, ServerChallenge challenge,
                         Deadline deadline) {
  // SECURITY: a token must not go over an open wire, so there is no use in asking for one.
  SP_CO_CHECK(secure_url(server.without_fragment().href(), "address"));
  MetadataReader reader{client, deadline};
  Discovery found{.resource = resource_name(server)};
  SP_CO_TRY(auto resource, co_await find_resource(reader, server, challenge));
  if (!resource) {
    SP_CO_TRY(found.authorization_server, co_await server_itself(reader, server));
    found.use_dpop = challenge.offers_dpop && does_dpop(found.authorization_server);
    co_return found;
  }
  found.resource = std::move(resource->resource);
  found.resource_scopes = std::move(resource->scopes);
  auto const& issuer = resource->authorization_servers.front();
  SP_CO_TRY(found.authorization_server, co_await find_issuer(reader, issuer));
  found.use_dpop =
      (challenge.offers_dpop || resource->wants_dpop) && does_dpop(found.authorization_server);
  co_return found;
}

Task<Discovery> discover_for(http::Client& client, ServerSettings settings,
                             ServerChallenge challenge, Deadline deadline) {
  SP_CO_TRY(auto const server, url::Url::parse(settings.url));
  auto const& stated = settings.endpoints;
  bool const is_stated = !stated.token_url.empty();
  if (is_stated && !stated.in_need_only) co_return stated_discovery(stated, server);
  SP_CO_TRY(auto found, co_await discover(client, server, std::move(challenge), deadline));
  if (is_stated && found.authorization_server.assumed) co_return stated_discovery(stated, server);
  co_return found;
}

}  // namespace sallyport::oauth::upstream
