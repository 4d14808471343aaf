// Rules that are written as one text, in a flag or a variable. Private to this module.
#pragma once

#include "src/config/entry_list.hpp"
#include "src/config/load.hpp"

#include <span>
#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {

// The entries in a text, which is one of
//
//   [{"host": …}, …]  or  {"host": …}          JSON (or YAML in braces)
//   host=api.example.com,header=X-Key,value=…  one rule; `;` between the items of a list, `\\,` for
//                                              a comma, fields of `auth` beside the others
//   rules.json                                 a file with a list of rules, JSON or YAML
//
// Fails with InvalidInput; `origin` then names the place. SECURITY: the message has no value.
Result<std::vector<YAML::Node>> entries_in(std::string const& text, Origin& origin,
                                           std::span<EntryField const> auth_fields,
                                           std::span<EntryField const> fields);

}  // namespace sallyport::config
