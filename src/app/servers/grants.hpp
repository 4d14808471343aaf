// Opens the file of grants: who signed in to which server.
#pragma once

#include "src/config/settings.hpp"
#include "src/oauth/upstream/grant_store.hpp"

#include <memory>

namespace sallyport::app::servers {

// The key is the one of the settings; else a random one in a file beside the grants, which is made
// when there is none. Fails with InvalidInput, and as GrantStore::open() does.
Result<std::unique_ptr<oauth::upstream::GrantStore>> open_grants(
    config::GatewaySettings const& settings);

}  // namespace sallyport::app::servers
