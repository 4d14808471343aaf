// What a rule reaches, as the entries of several lists write it. Private to this module.
#pragma once

#include "src/config/entry_reader.hpp"
#include "src/policy/allowlist.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

// `field` is `hosts`, `methods`, `schemes`, `ports` or `path_prefixes`.
Result<void> take_reach(std::string const& field, FieldValue const& value, policy::Reach& reach);

void show_list(json::Object& entry, std::string_view key, std::vector<std::string> const& items);
void show_reach(json::Object& entry, policy::Reach const& reach);

}  // namespace sallyport::config
