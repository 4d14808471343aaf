#include "src/app/servers/grants.hpp"

#include "src/base/random_id.hpp"
#include "src/store/aead_sealer.hpp"

#include <filesystem>

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

}  // namespace

Result<std::unique_ptr<oauth::upstream::GrantStore>> open_grants(
    config::GatewaySettings const& settings) {
  std::filesystem::path const file = settings.grants_file;
  if (file.empty()) {
    return fail(Errc::InvalidInput,
                "There is no folder for state; say where with gateway.grants_file.");
  }
  SP_CHECK(store::make_private_directory(file.parent_path()));
  auto secret = settings.grants_key;
  if (secret.empty()) {
    auto key_file = file;
    SP_TRY(secret, key_in(key_file.replace_extension(".key")));
  }
  SP_TRY(auto const key, store::SealingKey::derive(secret));
  return oauth::upstream::GrantStore::open(file, std::make_unique<store::AeadSealer const>(key));
}

}  // namespace sallyport::app::servers
