// An MCP server while it is read, whether from YAML or from the JSON of another program: what both
// check in the same way. Private to this module.
#pragma once

#include "src/config/entry_reader.hpp"
#include "src/config/loader.hpp"
#include "src/config/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

struct McpServerEntry {
  McpServerSettings settings;  // all but `http`, `program` and what `finish` derives from them
  std::optional<url::Url> url;
  std::vector<std::pair<std::string, Secret>> headers;
  bool private_network{false};
  upstream::Program program;
  bool has_oauth{false};

  // Adds one; fails with InvalidInput where it cannot be one, or is there in another case.
  Result<void> add_header(std::string_view name, Secret value);
  Result<void> add_variable(std::string_view name, Secret value);

  // What no single field can know: the field, which may be empty, and what is wrong with it.
  struct Misfit {
    std::string_view field;
    std::string_view message;
  };
  std::optional<Misfit> misfit() const;

  // Only of one without a misfit.
  McpServerSettings finish() &&;
};

// What is wrong with the name of a server, or an empty text.
std::string mcp_server_name(std::string_view name);

// An http or https URL; a query is allowed, a user, a password and a fragment are not. Fails with
// InvalidInput.
Result<url::Url> mcp_server_url(std::string_view text);

// Adds it, unless another has its name, also once both are part of a tool's name: then that is
// noted as a problem of `key` at `origin`.
void add_mcp_server(McpServerSettings server, Origin const& origin, std::string key, Draft& draft);

// A member `oauth` of an entry in YAML.
std::span<EntryField const> mcp_oauth_fields();
std::span<EntryField const> identity_provider_fields();
void read_mcp_oauth(YAML::Node const& node, EntryReader& parent,
                    oauth::upstream::ServerSettings& oauth);
// Where a field of `oauth` belongs that states an endpoint; nullptr for all others.
std::string* stated_endpoint(std::string_view field, oauth::upstream::StatedEndpoints& endpoints);
// What is wrong with its value, and which field the endpoints lack; empty: nothing, none.
std::string endpoint_problem(std::string_view field, std::string_view text);
std::string_view endpoints_lack(oauth::upstream::ServerSettings const& oauth);

// As the file would have it, secrets masked; empty where nothing is set.
json::Object shown_mcp_oauth(oauth::upstream::ServerSettings const& oauth);

// Adds the servers of gateway.servers_files and gateway.servers_file.
void read_servers_files(Draft& draft);

}  // namespace sallyport::config
