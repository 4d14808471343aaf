// Other MCP servers behind us.
#include "src/config/table/places.hpp"

namespace sallyport::config {
namespace {

constexpr Setting kTable[] = {
    {.key = "mcp_servers",
     .place = EntriesAt{&kMcpServerList},
     .help = "MCP servers whose tools, resources and prompts are offered (docs/gateway.md)"},
    {.key = "gateway.servers_files",
     .place = SP_AT(gateway.servers_files),
     .help = "JSON files with `mcpServers`, as other programs have them; read, never written",
     .check = &not_empty},
    {.key = "gateway.servers_file",
     .place = SP_AT(gateway.servers_file),
     .help = "The one that `sallyport servers add` writes; read where it exists",
     .default_note = "`servers.json` in the state folder, beside the audit log's default"},
    {.key = "gateway.server_names",
     .place = SP_AT(gateway.server_names),
     .help = "Names and URIs at /mcp/{server}: as at /mcp, or as the server itself has them"},
    {.key = "gateway.search",
     .place = SP_AT(gateway.search),
     .help =
         "Let clients search for tools instead of listing them all; `auto`: when there are many"},
    {.key = "gateway.search_above",
     .place = SP_AT(gateway.search_above),
     .help = "How many tools are many",
     .minimum = 1,
     .maximum = 100'000},
    {.key = "gateway.approval",
     .place = SP_AT(gateway.approval),
     .help = "Tools that must be approved before they are offered: those that differ from what was "
             "seen first, all, or none"},
    {.key = "gateway.approvals_file",
     .place = SP_AT(gateway.approvals_file),
     .help = "SQLite file with the definitions of tools that are approved",
     .default_note = "`approvals.db` in the state folder"},
    {.key = "gateway.grants_file",
     .place = SP_AT(gateway.grants_file),
     .help = "SQLite file of the tokens of other servers, sealed",
     .default_note = "`grants.db` in the state folder"},
    {.key = "gateway.grants_key",
     .place = SP_AT(gateway.grants_key),
     .help = "Seals those tokens; made up where it is unset, in a file beside them",
     .check = &long_enough_key},
    {.key = "gateway.grants_key_file",
     .place = SP_AT(sources.grants_key_file),
     .help = "File whose first line is that key"},
    {.key = "gateway.grants_key_keyring",
     .place = SP_AT(gateway.grants_key_keyring),
     .help = "Entry of the user's keyring (Secret Service) that has that key; made where there is "
             "none",
     .check = &keyring_entry},
};

}  // namespace

std::span<Setting const> gateway_settings() noexcept {
  return kTable;
}

}  // namespace sallyport::config
