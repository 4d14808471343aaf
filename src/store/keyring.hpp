// The user's keyring: secrets that the desktop keeps, and opens when its user signs in.
//
// Speaks the Secret Service API (org.freedesktop.secrets), which GNOME Keyring, KWallet and
// KeePassXC offer. An entry is an item with the attributes `application` (sallyport) and `entry`
// (its name), as `secret-tool lookup application sallyport entry NAME` finds it.
//
// One thread at a time, and never on an event loop: a call waits for the service, and where the
// keyring is locked, for the user.
#pragma once

#include "src/base/secret.hpp"
#include "src/store/session_bus.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::store {

class Keyring {
 public:
  struct Options {
    std::chrono::milliseconds answer{10'000};  // how long the service may take for one call
    std::chrono::milliseconds unlock{60'000};  // how long the user may take
    std::function<void()> on_locked;           // before the user is asked; may be empty
  };

  // Fails as SessionBus does; with NotFound where nothing on it is a keyring.
  static Result<Keyring> open(Options options);

  // The secret of the entry, which may have to be unlocked; of several the oldest. Fails with
  // InvalidInput for a name that is_entry_name() refuses, DeadlineExceeded and
  // CredentialUnavailable.
  Result<std::optional<Secret>> find(std::string const& entry);

  // The same; makes an entry of `fresh` where there is none. Of those who make one at the same
  // time, all get the same secret.
  Result<Secret> find_or_add(std::string const& entry, Secret const& fresh);

  // 1 to 64 letters, digits, `_`, `.` and `-`.
  static bool is_entry_name(std::string_view name) noexcept;

 private:
  using Paths = std::vector<std::string>;
  struct Found {
    Paths unlocked;
    Paths locked;
  };

  Keyring(SessionBus bus, Options options) : bus_{std::move(bus)}, options_{std::move(options)} {}

  Result<void> open_session();
  Result<Found> search(std::string const& entry);
  Result<Paths> unlocked_items(std::string const& entry);
  Result<std::string> default_collection();
  Result<void> unlock(Paths const& objects);
  Result<void> ask_user(std::string const& prompt);
  Result<std::string> oldest(Paths const& items);
  Result<std::uint64_t> created(std::string const& item);
  Result<Secret> secret_of(std::string const& item);
  Result<std::string> add(std::string const& entry, Secret const& fresh);
  void remove(std::string const& item);

  SessionBus bus_;
  Options options_;
  std::string session_;  // a path, by which the service knows how secrets are passed
};

}  // namespace sallyport::store
