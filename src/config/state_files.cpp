#include "src/config/loader.hpp"

#include <algorithm>
#include <filesystem>

namespace sallyport::config {
namespace {

namespace fs = std::filesystem;

std::string variable(Variables const& variables, std::string_view name) {
  auto const found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? std::string{} : found->second;
}

// Empty: nobody says where.
fs::path state_directory(Variables const& variables) {
  // systemd's own for a service; it may list several, separated by colons.
  auto const of_service = variable(variables, "STATE_DIRECTORY");
  if (!of_service.empty()) return of_service.substr(0, of_service.find(':'));
  // XDG Base Directory Specification: a path that is not absolute is to be ignored.
  fs::path const of_user = variable(variables, "XDG_STATE_HOME");
  if (of_user.is_absolute()) return of_user / "sallyport";
  fs::path const home = variable(variables, "HOME");
  return home.is_absolute() ? home / ".local/state/sallyport" : fs::path{};
}

}  // namespace

void resolve_state_files(Draft& draft) {
  auto const folder = state_directory(draft.environment);
  if (folder.empty()) return;
  auto const default_to = [&](std::string& file, char const* name) {
    if (file.empty()) file = (folder / name).string();
  };
  default_to(draft.settings.audit.file, "audit.db");
  auto& gateway = draft.settings.gateway;
  default_to(gateway.servers_file, "servers.json");
  default_to(gateway.grants_file, "grants.db");
  default_to(gateway.approvals_file, "approvals.json");
}

}  // namespace sallyport::config
