#include "src/app/setting_flags.hpp"

#include "src/json/write.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sallyport::app {
namespace {

// On stdio there is no port to open and nobody to authenticate.
bool belongs_to(config::Setting const& setting, config::Purpose purpose) {
  return purpose == config::Purpose::Serve ||
         (setting.section() != "listen" && setting.section() != "auth");
}

// Also read by the completion: FILE completes to files, a|b to its words.
std::string placeholder(config::Setting const& setting) {
  if (setting.key.ends_with("_file") || setting.key.ends_with(".file")) return "FILE";
  if (setting.entries() != nullptr) return "RULE";
  std::string name{type_name(setting)};
  if (name == "choice") {
    name = allowed_range(setting);
    for (auto at = name.find(", "); at != std::string::npos; at = name.find(", ")) {
      name.replace(at, 2, "|");
    }
    return name;
  }
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string default_text(config::Setting const& setting, config::Settings const& defaults) {
  if (!setting.default_note.empty()) return {};
  auto const value = shown_value(setting, defaults);
  if (auto const* text = value.if_string()) return std::string{json::view(*text)};
  if (auto const* list = value.if_array()) {
    std::string joined;
    for (auto const& item : *list) {
      joined += (joined.empty() ? "" : ",") + std::string{json::view(item.as_string())};
    }
    return joined;
  }
  return json::to_text(value);
}

std::string heading(std::string_view section) {
  return section.empty() ? "Settings without a section"
                         : fmt::format("Settings in section {}", section);
}

}  // namespace

void SettingFlags::add(CLI::App& command, config::Purpose purpose) {
  config::Settings const defaults;
  for (auto const& setting : config::setting_table()) {
    auto const name = flag_name(setting);
    if (name.empty() || !belongs_to(setting, purpose)) continue;
    std::string const help{setting.help};
    auto* option =
        setting.is_switch() ? command.add_flag(name, help) : command.add_option(name, help);
    option->group(heading(setting.section()));
    if (!setting.is_switch()) {
      option->type_name(placeholder(setting));
      option->default_str(default_text(setting, defaults));
      option->multi_option_policy(setting.takes_many() ? CLI::MultiOptionPolicy::TakeAll
                                                       : CLI::MultiOptionPolicy::TakeLast);
    }
    flags_.emplace_back(option, &setting);
  }
}

std::vector<config::GivenFlag> SettingFlags::given() const {
  std::vector<config::GivenFlag> given;
  for (auto const& [option, setting] : flags_) {
    if (option->count() == 0) continue;
    // CLI11 keeps every occurrence; of a single value the last one counts.
    auto values = option->results();
    if (!setting->takes_many()) values = {values.back()};
    given.push_back({setting, std::move(values)});
  }
  return given;
}

}  // namespace sallyport::app
