// A setting that is a list of sections: tokens, rules, backends. Each kind of entry has a small
// table of fields of its own, and is written in the file only.
#pragma once

#include "src/config/settings.hpp"
#include "src/json/value.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {  // NOLINT(readability-identifier-naming): not our name
class Node;
}

namespace sallyport::config {

struct Draft;
struct Origin;

struct EntryField {
  std::string_view key;
  // "text", "list", "text or list"; "secret", "switch" and the like are texts; "map", "section" and
  // "list of …" are for the reader of the entry to look into.
  std::string_view type;
  std::string_view help;
};

// A section inside an entry, for the reference.
struct EntrySection {
  std::string_view key;
  std::span<EntryField const> fields;
};

struct EntryList {
  std::string_view noun;  // "tokens": what it is a list of
  std::span<EntryField const> fields;
  // Reads the list into draft.settings. SECURITY: no problem it notes holds a secret.
  void (*read)(YAML::Node const& list, std::string const& file, Draft& draft);
  // The entries as the file would have them, secrets masked.
  json::Value (*shown)(Settings const& settings);
  // Of a list that also comes from a variable and a flag, which may be repeated: reads entries that
  // are written as texts, at `origin`, and puts them before those that are there.
  void (*read_texts)(std::vector<std::string> const& texts, Origin const& origin,
                     Draft& draft){nullptr};
  std::span<EntrySection const> sections{};
};

extern EntryList const kTokenList;
extern EntryList const kBackendList;
extern EntryList const kMcpServerList;
extern EntryList const kAllowList;
extern EntryList const kDenyList;
extern EntryList const kInjectList;
extern EntryList const kRateList;
extern EntryList const kPolicyList;

}  // namespace sallyport::config
