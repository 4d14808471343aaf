#include "src/oauth/upstream/grant_store.hpp"

#include "src/base/log.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/store/digest.hpp"

#include <fmt/format.h>

#include <chrono>
#include <initializer_list>
#include <thread>

namespace sallyport::oauth::upstream {
namespace {

// `changed` counts up: of several grants the newest is the one in use.
constexpr auto* kSchema = R"(
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS items (
    kind TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL,
    sealed TEXT NOT NULL, changed INTEGER NOT NULL,
    PRIMARY KEY (kind, key, name)) WITHOUT ROWID;
)";
constexpr std::chrono::seconds kOpenPatience{5};
constexpr std::chrono::milliseconds kOpenInterval{10};
constexpr std::size_t kMostGrants = 16;  // of one server and owner

// One text of several, such that no two lists give the same.
std::string joined(std::initializer_list<std::string_view> parts) {
  json::Array array;
  for (auto const part : parts) array.emplace_back(part);
  return json::to_text(json::Value{std::move(array)});
}

std::string key_of(ServerSettings const& server) {
  return joined({server.id, server.owner});
}

Result<store::Database> opened_database(std::filesystem::path const& file) {
  SP_TRY(auto database, store::Database::open(file, store::Database::Mode::Create));
  SP_CHECK(database.execute(kSchema));
  return database;
}

// Whoever is the last to close it has it for themselves for a moment.
Result<store::Database> patiently_opened(std::filesystem::path const& file) {
  auto const end = std::chrono::steady_clock::now() + kOpenPatience;
  while (true) {
    auto database = opened_database(file);
    bool const busy = !database && store::failure_of(database.error()) == store::Failure::Busy;
    if (!busy || std::chrono::steady_clock::now() >= end) return database;
    std::this_thread::sleep_for(kOpenInterval);
  }
}

// Two that make the file at once would be in each other's way.
Result<store::Database> opened_alone(std::filesystem::path const& file) {
  SP_TRY(auto const lock, store::FileLock::take(file.string() + "-lock-open", kOpenPatience));
  return patiently_opened(file);
}

}  // namespace

Result<bool> GrantStore::holds_something(std::filesystem::path const& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  SP_TRY(auto database, opened_alone(file));
  SP_TRY(auto const items,
         database.number("SELECT count(*) FROM items WHERE kind IN ('grant', 'client')"));
  return items > 0;
}

Result<std::unique_ptr<GrantStore>> GrantStore::open(std::filesystem::path file,
                                                     std::unique_ptr<Sealer const> sealer) {
  SP_CHECK(store::make_private_directory(file.parent_path()));
  SP_TRY(auto database, opened_alone(file));
  return std::unique_ptr<GrantStore>{
      new GrantStore{std::move(file), std::move(database), std::move(sealer)}};
}

std::optional<std::string> GrantStore::opened(Row const& row, std::string_view sealed) const {
  // SECURITY: the context holds each text to its place, so that rows cannot be exchanged.
  auto text = sealer_->open(sealed, joined({"grant store", row.kind, row.key, row.name}));
  if (text) return *std::move(text);
  log::warn("a stored grant cannot be opened with this key", {{"kind", row.kind}});
  return std::nullopt;
}

Result<void> GrantStore::write(Row const& row, std::string_view text) {
  auto const sealed = sealer_->seal(text, joined({"grant store", row.kind, row.key, row.name}));
  std::lock_guard const lock{mutex_};
  SP_TRY(auto statement,
         database_.prepare("INSERT OR REPLACE INTO items (kind, key, name, sealed, changed) VALUES "
                           "(?1, ?2, ?3, ?4, (SELECT coalesce(max(changed), 0) + 1 FROM items))"));
  statement.bind(1, std::string_view{row.kind});
  statement.bind(2, std::string_view{row.key});
  statement.bind(3, std::string_view{row.name});
  statement.bind(4, std::string_view{sealed});
  return statement.run();
}

Result<std::vector<std::string>> GrantStore::read(Row const& row) {
  std::lock_guard const lock{mutex_};
  SP_TRY(auto statement,
         database_.prepare("SELECT name, sealed FROM items WHERE kind = ?1 AND key = ?2 AND (?3 = "
                           "'' OR name = ?3) ORDER BY changed DESC"));
  statement.bind(1, std::string_view{row.kind});
  statement.bind(2, std::string_view{row.key});
  statement.bind(3, std::string_view{row.name});
  std::vector<std::string> texts;
  while (texts.size() < kMostGrants) {
    SP_TRY(bool const more, statement.step());
    if (!more) break;
    Row const found{row.kind, row.key, std::string{statement.text(0)}};
    if (auto text = opened(found, statement.text(1))) texts.push_back(*std::move(text));
  }
  return texts;
}

Result<void> GrantStore::erase(Row const& row) {
  std::lock_guard const lock{mutex_};
  SP_TRY(auto statement, database_.prepare("DELETE FROM items WHERE kind = ?1 AND key = ?2 AND (?3 "
                                           "= '' OR name = ?3)"));
  statement.bind(1, std::string_view{row.kind});
  statement.bind(2, std::string_view{row.key});
  statement.bind(3, std::string_view{row.name});
  return statement.run();
}

Result<std::vector<Grant>> GrantStore::grants(ServerSettings const& server) {
  SP_TRY(auto const texts, read({.kind = "grant", .key = key_of(server), .name = {}}));
  std::vector<Grant> grants;
  for (auto const& text : texts) {
    SP_TRY(auto grant, grant_of(text));
    grants.push_back(std::move(grant));
  }
  return grants;
}

Result<std::optional<Grant>> GrantStore::grant(ServerSettings const& server) {
  SP_TRY(auto all, grants(server));
  for (auto& grant : all) {
    if (grant.server_url == server.url) return std::optional{std::move(grant)};
  }
  return std::optional<Grant>{};
}

Result<void> GrantStore::put(ServerSettings const& server, Grant const& grant) {
  return write({"grant", key_of(server), joined({grant.issuer, grant.resource})}, to_text(grant));
}

Result<void> GrantStore::forget(ServerSettings const& server) {
  return erase({.kind = "grant", .key = key_of(server), .name = {}});
}

Result<std::optional<Client>> GrantStore::client(std::string_view issuer,
                                                 std::string_view redirect_uri) {
  SP_TRY(auto const texts, read({"client", joined({issuer}), joined({redirect_uri})}));
  if (texts.empty()) return std::optional<Client>{};
  SP_TRY(auto client, client_of(texts.front()));
  return std::optional{std::move(client)};
}

Result<void> GrantStore::put_client(ServerSettings const& server, std::string_view issuer,
                                    std::string_view redirect_uri, Client const& client) {
  SP_CHECK(write({"issuer", key_of(server), joined({issuer})}, issuer));
  return write({"client", joined({issuer}), joined({redirect_uri})}, to_text(client));
}

Result<void> GrantStore::forget_client(std::string_view issuer, std::string_view redirect_uri) {
  return erase({"client", joined({issuer}), joined({redirect_uri})});
}

Result<void> GrantStore::forget_clients(ServerSettings const& server) {
  Row const all{.kind = "issuer", .key = key_of(server), .name = {}};
  SP_TRY(auto const issuers, read(all));
  for (auto const& issuer : issuers) {
    SP_CHECK(erase({.kind = "client", .key = joined({issuer}), .name = {}}));
  }
  return erase(all);
}

Result<std::optional<ServerChallenge>> GrantStore::challenge(ServerSettings const& server) {
  SP_TRY(auto const texts, read({"challenge", key_of(server), joined({server.url})}));
  if (texts.empty()) return std::optional<ServerChallenge>{};
  auto const document = json::parse(texts.front(), {}, {.depth = 2});
  if (!document || !document->is_object()) return std::optional<ServerChallenge>{};
  auto const& object = document->get_object();
  auto const text = [&](std::string_view name) {
    auto const* const found = json::find_string(object, name);
    return found == nullptr ? std::string{} : std::string{json::view(*found)};
  };
  auto const* const dpop = json::find(object, "offers_dpop");
  return std::optional{
      ServerChallenge{.resource_metadata = text("resource_metadata"),
                      .scope = text("scope"),
                      .error = text("error"),
                      .offers_dpop = dpop != nullptr && dpop->is_bool() && dpop->get_bool()}};
}

Result<void> GrantStore::put_challenge(ServerSettings const& server,
                                       ServerChallenge const& challenge) {
  json::Object const object{{"resource_metadata", challenge.resource_metadata},
                            {"scope", challenge.scope},
                            {"error", challenge.error},
                            {"offers_dpop", challenge.offers_dpop}};
  return write({"challenge", key_of(server), joined({server.url})}, json::to_text(object));
}

Result<void> GrantStore::forget_challenge(ServerSettings const& server) {
  return erase({"challenge", key_of(server), joined({server.url})});
}

Result<store::FileLock> GrantStore::lock(ServerSettings const& server) const {
  // A few files for all servers: those that share one only wait for each other.
  auto const digest = store::sha256_hex(key_of(server));
  return store::FileLock::take(fmt::format("{}-lock-{}", file_.string(), digest.substr(0, 1)));
}

}  // namespace sallyport::oauth::upstream
