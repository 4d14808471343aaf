// Where the program is that runs scripts.
#pragma once

#include "src/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app {

inline constexpr std::string_view kJsProgram = "sallyport-js";

// The program that the settings name; else the first that exists in `folders`. Fails with NotFound,
// and says where it was looked for. SECURITY: never looked for in PATH, which belongs to whoever
// starts us.
Result<std::string> find_js_program(std::string const& named,
                                    std::vector<std::string> const& folders);

// Beside this program, and where its package puts helpers.
std::vector<std::string> js_program_folders();

}  // namespace sallyport::app
