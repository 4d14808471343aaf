// The JSON files with servers: those of other programs, and the one of `sallyport servers add`.
#include "src/config/mcp_server_entry.hpp"
#include "src/config/servers_json.hpp"
#include "src/config/yaml_node.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace sallyport::config {
namespace {

void read_one(std::string const& file, Draft& draft) {
  Origin const origin{Origin::Kind::File, file};
  auto const text = text_of(file);
  if (!text) return draft.problems.push_back({origin, {}, text.error().message});
  auto read = read_servers_json(*text, draft.environment);
  for (auto& [path, message] : read.problems) {
    draft.problems.push_back({origin, std::move(path), std::move(message)});
  }
  for (auto& [path, message] : read.notices) {
    draft.notices.push_back({origin, std::move(path), std::move(message)});
  }
  for (auto& server : read.servers) {
    auto path = server.origin;
    server.origin = fmt::format("{}: {}", file, path);
    add_mcp_server(std::move(server), origin, std::move(path), draft);
  }
}

}  // namespace

void read_servers_files(Draft& draft) {
  auto const& gateway = draft.settings.gateway;
  for (auto const& file : gateway.servers_files) read_one(file, draft);
  std::error_code ignored;
  auto const& ours = gateway.servers_file;
  if (!ours.empty() && std::filesystem::exists(ours, ignored)) read_one(ours, draft);
}

}  // namespace sallyport::config
