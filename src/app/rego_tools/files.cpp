#include "src/app/rego_tools/files.hpp"

#include "src/app/rego_tools/merge.hpp"
#include "src/rego/json.hpp"
#include "src/rego/yaml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace sallyport::app::rego_tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::size_t kMostFiles = 10'000;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

struct Found {
  fs::path file;
  std::vector<std::string> under;  // the place of its data
};

Error wrong(fs::path const& path, std::string_view why) {
  return fail(Errc::InvalidInput, fmt::format("{}: {}", path.string(), why));
}

bool is_yaml(fs::path const& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

bool is_module(fs::path const& file) {
  return file.extension() == ".rego";
}

bool is_known(fs::path const& file) {
  return is_module(file) || is_yaml(file) || file.extension() == ".json";
}

// Kubernetes mounts a ConfigMap as links to files in a folder named "..data": without this rule
// each file would be read twice.
bool is_entered(fs::directory_entry const& entry) {
  std::error_code failed;
  return fs::is_directory(entry.symlink_status(failed)) &&
         !entry.path().filename().string().starts_with("..");
}

Result<void> walk(fs::path const& folder, std::vector<std::string> const& under,
                  std::vector<Found>& found) {
  std::vector<fs::directory_entry> entries;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}; !failed && at != fs::directory_iterator{};
       at.increment(failed)) {
    entries.push_back(*at);
  }
  if (failed) return wrong(folder, failed.message());
  std::ranges::sort(entries, {}, [](auto const& entry) { return entry.path(); });
  for (auto const& entry : entries) {
    if (is_entered(entry)) {
      auto deeper = under;
      deeper.push_back(entry.path().filename().string());
      SP_CHECK(walk(entry.path(), deeper, found));
    } else if (is_known(entry.path()) && entry.is_regular_file(failed)) {
      found.push_back({entry.path(), under});
    }
    if (found.size() > kMostFiles) return wrong(folder, "has more than 10000 files");
  }
  return {};
}

// "x.y:data.json": the file, and x, y.
Found split_prefix(std::string const& path) {
  std::error_code failed;
  auto const colon = path.find(':');
  if (colon == std::string::npos || colon == 0 || fs::exists(path, failed)) return {path, {}};
  Found result{path.substr(colon + 1), {}};
  auto prefix = std::string_view{path}.substr(0, colon);
  for (auto dot = prefix.find('.'); dot != std::string_view::npos; dot = prefix.find('.')) {
    result.under.emplace_back(prefix.substr(0, dot));
    prefix.remove_prefix(dot + 1);
  }
  result.under.emplace_back(prefix);
  return result;
}

Result<std::vector<Found>> find_files(std::vector<std::string> const& paths) {
  std::vector<Found> found;
  for (auto const& path : paths) {
    auto const given = split_prefix(path);
    std::error_code failed;
    auto const status = fs::status(given.file, failed);
    if (!fs::exists(status)) return wrong(given.file, "no such file or folder");
    if (fs::is_directory(status)) {
      SP_CHECK(walk(given.file, given.under, found));
    } else {
      found.push_back(given);
    }
  }
  return found;
}

rego::Value placed(rego::Value value, std::vector<std::string> const& under, rego::Arena& arena) {
  for (auto name = under.rbegin(); name != under.rend(); ++name) {
    rego::ObjectBuilder object{arena, 1};
    object.add(arena.copy(*name), value);
    value = object.finish();
  }
  return value;
}

Result<void> add_data(Found const& found, Files& files) {
  SP_TRY(auto const document, read_document(found.file.string(), files.arena));
  if (!document.is(rego::Kind::Object)) {
    return wrong(found.file, fmt::format("data must be an object; this is of type {}",
                                         name_of(document.kind())));
  }
  auto const value = placed(document, found.under, files.arena);
  auto const merged = merge(files.data, value, files.arena);
  if (!merged) {
    return wrong(found.file,
                 fmt::format("data.{} is already defined by another file", merged.error().message));
  }
  files.data = *merged;
  return {};
}

}  // namespace

Result<std::string> read_text(fs::path const& path) {
  std::error_code failed;
  bool const standard_input = path == "-";
  if (!standard_input && fs::is_directory(path, failed)) return wrong(path, "is a folder");
  std::ifstream stream{standard_input ? fs::path{"/dev/stdin"} : path, std::ios::binary};
  if (!stream.is_open()) return wrong(path, std::generic_category().message(errno));
  std::string text;
  std::string piece(kReadAtOnce, '\0');
  while (stream && text.size() <= kLargestFile) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return wrong(path, "cannot be read");
  if (text.size() > kLargestFile) return wrong(path, "is larger than 64 MiB");
  return text;
}

Result<rego::Value> read_document(std::string const& path, rego::Arena& arena) {
  SP_TRY(auto const text, read_text(path));
  auto value = is_yaml(path) ? rego::parse_yaml(text, arena) : rego::parse_json(text, arena);
  if (!value) return wrong(path, value.error().message);
  return *value;
}

Result<Files> read_files(std::vector<std::string> const& paths, Wanted wanted) {
  SP_TRY(auto const found, find_files(paths));
  Files files;
  for (auto const& each : found) {
    if (is_module(each.file)) {
      SP_TRY(auto text, read_text(each.file));
      files.modules.push_back({each.file.string(), std::move(text)});
    } else if (wanted == Wanted::ModulesAndData) {
      if (!is_known(each.file)) {
        return wrong(each.file, "must end in .rego, .json, .yaml or .yml");
      }
      SP_CHECK(add_data(each, files));
    } else if (!is_known(each.file)) {
      return wrong(each.file, "must end in .rego");
    }
  }
  return files;
}

Result<std::vector<std::string>> find_modules(std::vector<std::string> const& paths) {
  SP_TRY(auto const found, find_files(paths));
  std::vector<std::string> modules;
  for (auto const& each : found) {
    auto const file = each.file.string();
    bool const named = std::ranges::find(paths, file) != paths.end();
    if (named || is_module(each.file)) modules.push_back(file);
  }
  return modules;
}

}  // namespace sallyport::app::rego_tools
