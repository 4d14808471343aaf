// A setting that is a list of sections: tokens, rules, backends. Each kind of entry has a small
// table of fields of its own, and is written in the file only.
#pragma once

#include "src/config/settings.hpp"
#include "src/json/value.hpp"

#include <span>
#include <string>
#include <string_view>

namespace YAML {  // NOLINT(readability-identifier-naming): not our name
class Node;
}

namespace sallyport::config {

struct Draft;

struct EntryField {
  std::string_view key;
  std::string_view type;  // for the reference: "text", "list", "secret"
  std::string_view help;
};

struct EntryList {
  std::string_view noun;  // "tokens": what it is a list of
  std::span<EntryField const> fields;
  // Reads the list into draft.settings. SECURITY: no problem it notes holds a secret.
  void (*read)(YAML::Node const& list, std::string const& file, Draft& draft);
  // The entries as the file would have them, secrets masked.
  json::Value (*shown)(Settings const& settings);
};

extern EntryList const kTokenList;
extern EntryList const kBackendList;
extern EntryList const kAllowList;
extern EntryList const kDenyList;
extern EntryList const kInjectList;
extern EntryList const kRateList;

}  // namespace sallyport::config
