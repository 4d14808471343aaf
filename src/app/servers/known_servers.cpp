#include "src/app/servers/known_servers.hpp"

#include "src/app/servers/servers_file.hpp"
#include "src/json/parse.hpp"
#include "src/store/private_file.hpp"

#include <fstream>
#include <sstream>

namespace sallyport::app::servers {
namespace {

std::string known_text(json::Object const& object, std::string_view key) {
  auto const* const text = json::find_string(object, key);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

KnownServer read_known(json::Object const& object) {
  KnownServer known{.where = known_text(object, "where"),
                    .tested_at = known_text(object, "tested_at"),
                    .error = known_text(object, "error"),
                    .seen_at = known_text(object, "seen_at"),
                    .server = known_text(object, "server"),
                    .revision = known_text(object, "revision")};
  if (auto const* const tools = json::find_array(object, "tools")) {
    for (auto const& tool : *tools) {
      if (tool.is_object()) known.tools.push_back(tool.get_object());
    }
  }
  return known;
}

json::Object written(KnownServer const& known) {
  json::Array tools;
  for (auto const& tool : known.tools) tools.push_back(tool);
  return {{"where", known.where},     {"tested_at", known.tested_at}, {"error", known.error},
          {"seen_at", known.seen_at}, {"server", known.server},       {"revision", known.revision},
          {"tools", std::move(tools)}};
}

}  // namespace

std::filesystem::path KnownServers::file_beside(std::filesystem::path const& servers_file) {
  return servers_file.parent_path() / "known-servers.json";
}

KnownServers KnownServers::open(std::filesystem::path file) {
  KnownServers known{std::move(file)};
  std::ifstream stream{known.file_, std::ios::binary};
  std::ostringstream text;
  text << stream.rdbuf();
  auto const value = json::parse(text.str());
  auto const* const servers = value && value->is_object()
                                  ? json::find_object(value->get_object(), "servers")
                                  : nullptr;
  if (servers == nullptr) return known;
  for (auto const& [name, entry] : *servers) {
    if (entry.is_object()) {
      known.servers_.emplace(std::string_view{name}, read_known(entry.get_object()));
    }
  }
  return known;
}

KnownServer const* KnownServers::find(std::string_view name, std::string_view where) const {
  auto const found = servers_.find(name);
  return found == servers_.end() || found->second.where != where ? nullptr : &found->second;
}

void KnownServers::passed(std::string const& name, KnownServer seen) {
  servers_.insert_or_assign(name, std::move(seen));
}

void KnownServers::failed(std::string const& name, std::string const& where, std::string tested_at,
                          std::string error) {
  auto& known = servers_[name];
  if (known.where != where) known = {.where = where};
  known.tested_at = std::move(tested_at);
  known.error = std::move(error);
}

void KnownServers::forget(std::string_view name) {
  auto const found = servers_.find(name);
  if (found != servers_.end()) servers_.erase(found);
}

Result<void> KnownServers::save() const {
  if (file_.empty()) return {};
  SP_CHECK(store::make_private_directory(file_.parent_path()));
  json::Object servers;
  for (auto const& [name, known] : servers_) servers[name] = written(known);
  return store::replace_file(file_, indented(json::Object{{"servers", std::move(servers)}}) + "\n");
}

}  // namespace sallyport::app::servers
