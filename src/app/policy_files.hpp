// Reads the files of a Rego policy.
#pragma once

#include "src/policy/rego_source.hpp"

#include <filesystem>
#include <string_view>

namespace sallyport::app {

// The path of a source's URL ("file:///etc/policy"). Fails with InvalidInput.
Result<std::filesystem::path> path_of_file_url(std::string_view url);

// A file, or a folder: its *.rego files in the order of their names, without those of folders below
// and without tests (*_test.rego), and its data.json. Fails with InvalidInput, naming what cannot
// be read.
Result<policy::RegoFiles> read_policy_files(std::filesystem::path const& path);

}  // namespace sallyport::app
