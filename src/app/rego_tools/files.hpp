// The files that `sallyport policy` is given: modules and data, from files and folders, as OPA's
// `--data` takes them.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/rego.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

enum class Wanted : std::uint8_t { ModulesAndData, Modules };

struct Files {
  std::vector<rego::Source> modules;  // in the order of the paths, folders sorted by name
  rego::Value data;                   // undefined where no file has any; lives in the arena
  rego::Arena arena;
};

// *.rego, and for ModulesAndData also *.json, *.yaml and *.yml. Of a folder everything below it:
// what data/a/b.json holds is put under data.a where `data` was given. "x.y:FILE" puts it under
// data.x.y. Objects of several files are merged. Fails with InvalidInput and a message that names
// the file: files that cannot be read, data that is no object, two values in one place.
Result<Files> read_files(std::vector<std::string> const& paths, Wanted wanted);

// JSON, or YAML where the name says so. "-" is standard input.
Result<rego::Value> read_document(std::string const& path, rego::Arena& arena);

// "-" is standard input.
Result<std::string> read_text(std::filesystem::path const& path);

// All *.rego files among the paths and below the folders; a file that is named is taken whatever
// its name.
Result<std::vector<std::string>> find_modules(std::vector<std::string> const& paths);

}  // namespace sallyport::app::rego_tools
