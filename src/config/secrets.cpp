#include "src/config/item_checks.hpp"
#include "src/config/loader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace sallyport::config {
namespace {

constexpr std::streamsize kLongestSecret = 64 * 1024;

// Fills `secret` from the file, where one is named.
void read_into(Secret& secret, std::string const& path, std::string const& key,
               std::string (*check)(std::string_view), Draft& draft) {
  if (path.empty()) return;
  auto const file_key = key + "_file";
  if (!secret.empty()) return note(file_key, "cannot be used together with " + key, draft);
  auto read = read_secret_file(path);
  if (!read) return note(file_key, read.error().message, draft);
  auto const problem = check(read->reveal());
  if (!problem.empty()) return note(file_key, "its first line " + problem, draft);
  secret = std::move(*read);
  draft.origins[key] = draft.origins[file_key];
}

// The keyring itself is asked by those who need the key: not by `config check`.
void check_keyring(Settings const& settings, Draft& draft) {
  if (settings.gateway.grants_key_keyring.empty()) return;
  auto const refuse = [&](char const* other) {
    note("gateway.grants_key_keyring", fmt::format("cannot be used together with {}", other),
         draft);
  };
  if (!settings.sources.grants_key_file.empty()) return refuse("gateway.grants_key_file");
  if (!settings.gateway.grants_key.empty()) refuse("gateway.grants_key");
}

}  // namespace

Result<Secret> read_secret_file(std::string const& path, SecretFile part) {
  std::ifstream stream{path, std::ios::binary};
  std::string text(static_cast<std::size_t>(kLongestSecret), '\0');
  if (stream) stream.read(text.data(), kLongestSecret);
  if (!stream.is_open() || stream.bad()) {
    return fail(Errc::InvalidInput, "the file cannot be read");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (part == SecretFile::FirstLine) {
    text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  }
  if (text.empty()) return fail(Errc::InvalidInput, "the file is empty");
  return Secret{std::move(text)};
}

void resolve_secrets(Draft& draft) {
  auto& settings = draft.settings;
  read_into(settings.sources.auth_token, settings.sources.auth_token_file, "auth.token",
            &long_enough_token, draft);
  read_into(settings.state_key, settings.sources.state_key_file, "state_key", &long_enough_key,
            draft);
  read_into(settings.gateway.grants_key, settings.sources.grants_key_file, "gateway.grants_key",
            &long_enough_key, draft);
  check_keyring(settings, draft);
  if (settings.sources.auth_token.empty()) return;
  settings.auth.tokens.push_back({.principal = "default", .token = settings.sources.auth_token});
}

}  // namespace sallyport::config
