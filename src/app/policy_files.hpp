// Reads the files of a Rego policy.
#pragma once

#include "src/policy/rego_source.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace sallyport::app {

// The path of a source's URL ("file:///etc/policy"). Fails with InvalidInput.
Result<std::filesystem::path> path_of_file_url(std::string_view url);

// What a policy is called where its folder is nobody's business: "fetch.rego".
std::string name_of_policy(std::filesystem::path const& path);

// A file, or a folder: its *.rego files in the order of their names, without those of folders below
// and without tests (*_test.rego), and its data.json. Fails with InvalidInput, naming what cannot
// be read; in the detail without its folder.
Result<policy::RegoFiles> read_policy_files(std::filesystem::path const& path);

}  // namespace sallyport::app
