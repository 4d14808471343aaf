#include "src/config/show.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <iterator>

namespace sallyport::config {
namespace {

constexpr std::string_view kIntroduction = R"(# Settings

<!-- Made by `sallyport config reference`. Do not edit: change src/config/table/. -->

Settings come from, the later winning over the earlier: defaults, one YAML file (`--config FILE`, else the
variable `SALLYPORT_CONFIG`), environment variables, flags. A key such as `listen.port` is the member `port` of
the section `listen` in the file. `sallyport config show` prints what is in effect and where it came from;
`sallyport config check` says what is wrong.

Durations are written as `250ms`, `15s`, `5m`, `1h`, `2d`; sizes as `100000`, `16KiB`, `4MiB`, `1GiB`. A list is a
YAML list in the file; in a variable or a flag it is `a,b` or `["a","b"]`, and a flag may be repeated. An empty
variable counts as unset; a secret must not be empty. Secrets have no flag, because every user of the machine can read
the command line of a process. Where a secret stands in a rule, `env:NAME` takes it from a variable and `file:PATH` from
the first line of a file.

An unknown key, flag, or variable that starts with `SALLYPORT_` or `MCP_FETCH_` is an error.
)";

std::string code(std::string_view text) {
  return text.empty() ? std::string{} : fmt::format("`{}`", text);
}

std::string default_of(Setting const& setting, Settings const& defaults) {
  if (!setting.default_note.empty()) return std::string{setting.default_note};
  auto const value = shown_value(setting, defaults);
  if (value.is_null()) return {};
  if (auto const* text = value.if_string()) return code(json::view(*text));
  if (auto const* list = value.if_array(); list != nullptr && list->empty()) return {};
  return code(json::to_text(value));
}

std::string type_of(Setting const& setting) {
  auto const range = allowed_range(setting);
  return range.empty() ? std::string{type_name(setting)}
                       : fmt::format("{}: {}", type_name(setting), range);
}

void append_section(std::string_view section, Settings const& defaults, std::string& out) {
  auto const heading = section.empty() ? std::string{"Without a section"} : code(section);
  fmt::format_to(std::back_inserter(out),
                 "\n## {}\n\n| Key | What it is | Type | Default | Variable | Flag |\n"
                 "|---|---|---|---|---|---|\n",
                 heading);
  for (auto const& setting : setting_table()) {
    if (setting.section() != section) continue;
    fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {} | {} | {} |\n", code(setting.key),
                   setting.help, type_of(setting), default_of(setting, defaults),
                   code(environment_name(setting)), code(flag_name(setting)));
  }
}

void append_fields(std::string_view title, std::span<EntryField const> fields, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\n{}:\n\n| Key | What it is | Type |\n|---|---|---|\n",
                 title);
  for (auto const& field : fields) {
    fmt::format_to(std::back_inserter(out), "| {} | {} | {} |\n", code(field.key), field.help,
                   field.type);
  }
}

void append_entry_tables(std::string_view section, std::string& out) {
  for (auto const& setting : setting_table()) {
    auto const* list = setting.entries();
    if (list == nullptr || setting.section() != section) continue;
    append_fields(fmt::format("Each entry of {}", code(setting.key)), list->fields, out);
    for (auto const& inner : list->sections) {
      append_fields(fmt::format("{} of such an entry", code(inner.key)), inner.fields, out);
    }
  }
}

}  // namespace

std::string reference() {
  Settings const defaults;
  std::string out{kIntroduction};
  std::vector<std::string_view> done;
  for (auto const& setting : setting_table()) {
    auto const section = setting.section();
    if (std::ranges::find(done, section) != done.end()) continue;
    done.push_back(section);
    append_section(section, defaults, out);
    append_entry_tables(section, out);
  }
  return out;
}

}  // namespace sallyport::config
