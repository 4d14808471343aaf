// Which tools of a server are offered.
#pragma once

#include "src/upstream/server_settings.hpp"

#include <string_view>

namespace sallyport::upstream {

// `*` stands for any characters, `?` for one (not one byte). Takes at most the product of both
// lengths, whatever the pattern.
bool matches_glob(std::string_view pattern, std::string_view name);

// By its original name.
bool offers(ToolFilter const& filter, std::string_view name);

}  // namespace sallyport::upstream
