#include "src/app/rego_tools/fmt.hpp"

#include "src/app/rego_tools/files.hpp"
#include "src/app/rego_tools/line_diff.hpp"
#include "src/app/rego_tools/text.hpp"
#include "src/rego/format.hpp"
#include "src/rego/parser.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace sallyport::app::rego_tools {
namespace {

namespace fs = std::filesystem;

enum class Formatted : std::uint8_t { Same, Changed, Failed };

// Beside the file first and then in its place: whoever reads it meanwhile has the old or the new.
bool replace(fs::path const& file, std::string const& text) {
  std::error_code failed;
  auto const target = fs::canonical(file, failed);
  if (failed) return false;
  auto const beside = fs::path{target.string() + ".formatted"};
  {
    std::ofstream stream{beside, std::ios::binary | std::ios::trunc};
    stream << text;
    stream.close();
    if (!stream) {
      fs::remove(beside, failed);
      return false;
    }
  }
  fs::permissions(beside, fs::status(target, failed).permissions(), failed);
  if (!failed) fs::rename(beside, target, failed);
  if (!failed) return true;
  std::error_code ignored;
  fs::remove(beside, ignored);
  return false;
}

Formatted format_one(FmtRequest const& request, std::string const& file,
                     Surroundings const& surroundings) {
  auto const text = read_text(file);
  if (!text) {
    surroundings.err << "sallyport policy fmt: " << text.error().message << '\n';
    return Formatted::Failed;
  }
  rego::CompileOptions options;
  options.syntax = request.v0_compatible ? rego::Syntax::V0 : rego::Syntax::V1;
  rego::Arena arena;
  rego::Diagnostics errors;
  auto const* const module = rego::parse_module(*text, 0, options, arena, errors);
  if (module == nullptr || !errors.empty()) {
    for (auto& error : errors) error.file = file;
    surroundings.err << errors_text(errors, std::array{rego::Source{file, *text}});
    return Formatted::Failed;
  }
  auto const formatted = rego::format_module(*module, *text);
  bool const changed = formatted != *text;
  if (request.list && changed) surroundings.out << file << '\n';
  if (request.diff && changed) surroundings.out << line_diff(*text, formatted, file);
  if (request.write && changed && !replace(file, formatted)) {
    surroundings.err << "sallyport policy fmt: " << file << ": cannot be written\n";
    return Formatted::Failed;
  }
  if (!request.list && !request.diff && !request.write && !request.fail) {
    surroundings.out << formatted;
  }
  return changed ? Formatted::Changed : Formatted::Same;
}

}  // namespace

int run_fmt(FmtRequest const& request, Surroundings const& surroundings) {
  auto const files = request.paths.empty() || request.paths == std::vector<std::string>{"-"}
                         ? Result<std::vector<std::string>>{std::vector<std::string>{"-"}}
                         : find_modules(request.paths);
  if (!files) {
    surroundings.err << "sallyport policy fmt: " << files.error().message << '\n';
    return 1;
  }
  if (request.write && *files == std::vector<std::string>{"-"}) {
    surroundings.err << "sallyport policy fmt: --write needs the name of a file\n";
    return kUsageError;
  }
  bool failed = false;
  bool changed = false;
  for (auto const& file : *files) {
    auto const result = format_one(request, file, surroundings);
    failed = failed || result == Formatted::Failed;
    changed = changed || result == Formatted::Changed;
  }
  if (failed) return 1;
  if (!request.fail || !changed) return 0;
  surroundings.err << "sallyport policy fmt: not everything is formatted\n";
  return 2;
}

}  // namespace sallyport::app::rego_tools
