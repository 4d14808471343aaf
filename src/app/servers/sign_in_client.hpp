// The way to a server's metadata and its authorization server.
#pragma once

#include "src/pipeline/road_client.hpp"
#include "src/upstream/server_settings.hpp"

#include <memory>

namespace sallyport::app::servers {

// Whether tokens let us in: who gives the header for them in the settings brings one already.
bool needs_sign_in(upstream::ServerSettings const& server);

// SECURITY: the server names these URLs, so they must be public, but for the server's own where the
// operator says that it is on a private network. `road` outlives the client.
std::unique_ptr<pipeline::RoadClient> sign_in_client(pipeline::Road& road,
                                                     upstream::ServerSettings const& server);

}  // namespace sallyport::app::servers
