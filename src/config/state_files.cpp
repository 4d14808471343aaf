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
  auto& file = draft.settings.audit.file;
  auto const folder = state_directory(draft.environment);
  if (file.empty() && !folder.empty()) file = (folder / "audit.db").string();
}

}  // namespace sallyport::config
