// Who we are to an authorization server, by the first way that works: registered beforehand, by a
// document of ours that it reads (Client ID Metadata Document), registered by ourselves (RFC 7591),
// or under an id that the operator falls back on.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/server_metadata.hpp"

#include <string>

namespace sallyport::oauth::upstream {

struct RegistrationParts {
  http::Client& client;
  GrantStore& store;
  ServerSettings const& settings;
  AuthorizationServer const& server;
  WallClock::time_point now;
};

// Fails with CredentialUnavailable; the message says what to configure. Registrations are kept, for
// that issuer and redirect URI alone. What `parts` refers to must outlive the task.
Task<Client> client_for(RegistrationParts parts, std::string redirect_uri, Deadline deadline);

// The client of the configuration, for grants in which nobody signs in; fails as above.
Result<Client> configured_client(ServerSettings const& settings, AuthorizationServer const& server);

// How a client with that secret shows it: as it was told to, else as the server supports.
Result<ClientAuth> choose_auth(ClientSettings const& settings, AuthorizationServer const& server);

std::string registration_document(ClientSettings const& settings, AuthorizationServer const& server,
                                  std::string const& redirect_uri);
Result<Client> read_registration(http::Response const& answer, AuthorizationServer const& server);

}  // namespace sallyport::oauth::upstream
