#include "src/app/servers/grants.hpp"

#include "src/base/log.hpp"
#include "src/base/random_id.hpp"
#include "src/store/aead_sealer.hpp"
#include "src/store/keyring.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace sallyport::app::servers {
namespace {

constexpr std::size_t kKeyBytes = 32;

// Made when there is none. Of two who make it at the same time, one has it and both read it.
Result<Secret> key_in(std::filesystem::path const& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    auto const made = store::write_new_file(file, random_id(kKeyBytes) + "\n");
    if (!made && !std::filesystem::exists(file, ignored)) return made.error();
  }
  SP_TRY(auto text, store::read_small_file(file, store::Readers::OwnerOnly));
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  return Secret{std::move(text)};
}

Error keyring_failure(Error error) {
  error.message += " gateway.grants_key_file names a file instead, for machines without a keyring.";
  return error;
}

Error entry_is_gone(std::string const& entry, std::filesystem::path const& grants) {
  return fail(
      Errc::InvalidInput,
      fmt::format("The keyring has no entry {0}, but there are grants, which another key has "
                  "sealed. Bring the key back (from a file: `secret-tool store "
                  "--label=Sallyport application sallyport entry {0} < FILE`), or take "
                  "gateway.grants_file away and sign in anew.",
                  entry),
      grants.string());
}

// As in a file, the first line counts: `secret-tool store` keeps the end of the line, too.
Secret first_line(Secret const& text) {
  auto const& line = text.reveal();
  return Secret{line.substr(0, line.find_first_of("\r\n"))};
}

Result<Secret> key_in_keyring(std::string const& entry, std::filesystem::path const& grants,
                              OnLocked on_locked) {
  // Before the keyring is asked: whoever makes the entry at the same time seals only after that.
  SP_TRY(bool const sealed, oauth::upstream::GrantStore::holds_something(grants));
  auto keyring = store::Keyring::open({.on_locked = std::move(on_locked)});
  if (!keyring) return keyring_failure(std::move(keyring).error());
  // SECURITY: a new key where there are grants would take them away without a word.
  if (sealed) {
    auto const known = keyring->find(entry);
    if (!known) return keyring_failure(known.error());
    auto const& secret = *known;
    if (!secret) return entry_is_gone(entry, grants);
    return first_line(*secret);
  }
  auto const key = keyring->find_or_add(entry, Secret{random_id(kKeyBytes)});
  if (!key) return keyring_failure(key.error());
  return first_line(*key);
}

Result<Secret> key_of(config::GatewaySettings const& settings, OnLocked on_locked) {
  if (!settings.grants_key.empty()) return settings.grants_key;
  std::filesystem::path file = settings.grants_file;
  auto const& entry = settings.grants_key_keyring;
  if (!entry.empty()) return key_in_keyring(entry, file, std::move(on_locked));
  return key_in(file.replace_extension(".key"));
}

}  // namespace

void log_locked_keyring() {
  log::warn("the keyring is locked and asks to be unlocked");
}

OnLocked say_locked_keyring(std::ostream& err) {
  return [&err] {
    err << "The keyring is locked: unlock it in the window that it opens. (Ctrl+C ends it)\n"
        << std::flush;
  };
}

Result<std::unique_ptr<oauth::upstream::GrantStore>> open_grants(
    config::GatewaySettings const& settings, OnLocked on_locked) {
  std::filesystem::path const file = settings.grants_file;
  if (file.empty()) {
    return fail(Errc::InvalidInput,
                "There is no folder for state; say where with gateway.grants_file.");
  }
  SP_CHECK(store::make_private_directory(file.parent_path()));
  SP_TRY(auto const secret, key_of(settings, std::move(on_locked)));
  SP_TRY(auto const key, store::SealingKey::derive(secret));
  return oauth::upstream::GrantStore::open(file, std::make_unique<store::AeadSealer const>(key));
}

}  // namespace sallyport::app::servers
