// Opens the file of grants: who signed in to which server.
#pragma once

#include "src/config/settings.hpp"
#include "src/oauth/upstream/grant_store.hpp"

#include <functional>
#include <iosfwd>
#include <memory>

namespace sallyport::app::servers {

// Told before the user is asked to unlock the keyring.
using OnLocked = std::function<void()>;
void log_locked_keyring();
OnLocked say_locked_keyring(std::ostream& err);

// The key is the one of the settings; else that of an entry in the user's keyring, where they name
// one; else a random one in a file beside the grants. Entry and file are made when there are none.
// Not on an event loop: a locked keyring waits for its user. Fails with InvalidInput, as
// store::Keyring does, and as GrantStore::open() does.
Result<std::unique_ptr<oauth::upstream::GrantStore>> open_grants(
    config::GatewaySettings const& settings, OnLocked on_locked = &log_locked_keyring);

}  // namespace sallyport::app::servers
