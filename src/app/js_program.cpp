#include "src/app/js_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace sallyport::app {
namespace {

bool is_program(std::string const& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_js_program(std::string const& named,
                                    std::vector<std::string> const& folders) {
  if (!named.empty()) {
    if (is_program(named)) return named;
    return fail(Errc::NotFound, fmt::format("js.program: {} is not a program", named));
  }
  for (auto const& folder : folders) {
    auto path = fmt::format("{}/{}", folder, kJsProgram);
    if (is_program(path)) return path;
  }
  return fail(Errc::NotFound,
              fmt::format("there is no {} in {}", kJsProgram, fmt::join(folders, " or ")));
}

std::vector<std::string> js_program_folders() {
  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  auto const folder = self.parent_path();
  return {folder.string(), (folder.parent_path() / "libexec" / "sallyport").string()};
}

}  // namespace sallyport::app
