#include "src/config/show.hpp"

#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sallyport::config {
namespace {

// An empty list of sections and an unset secret cannot be written in a file: they are left out.
bool is_shown(Setting const& setting, json::Value const& value, Settings const& settings) {
  if (!is_present(setting, settings) || value.is_null()) return false;
  if (setting.entries() == nullptr) return true;
  return value.is_object() ? !value.get_object().empty() : !value.as_array().empty();
}

std::string shown_origin(Setting const& setting, Loaded const& loaded) {
  auto const found = loaded.origins.find(setting.key);
  return describe(found == loaded.origins.end() ? Origin{} : found->second);
}

// Writes nested sections for keys with dots; the table keeps the keys of a section together.
class YamlWriter {
 public:
  void add(std::string_view key, json::Value const& value, std::string_view origin) {
    std::vector<std::string_view> path;
    for (auto dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
      path.push_back(key.substr(0, dot));
      key.remove_prefix(dot + 1);
    }
    open(path);
    auto const line = fmt::format("{:{}}{}: {}", "", 2 * path.size(), key, json::to_text(value));
    fmt::format_to(std::back_inserter(text_), "{:<48}  # {}\n", line, origin);
  }

  std::string text() && { return std::move(text_); }

 private:
  void open(std::vector<std::string_view> const& path) {
    auto const [left, right] = std::ranges::mismatch(open_, path);
    for (auto section = right; section != path.end(); ++section) {
      auto const depth = static_cast<std::size_t>(section - path.begin());
      fmt::format_to(std::back_inserter(text_), "{:{}}{}:\n", "", 2 * depth, *section);
    }
    open_ = path;
  }

  std::vector<std::string_view> open_;
  std::string text_;
};

}  // namespace

std::string show(Loaded const& loaded, ShowFormat format) {
  YamlWriter yaml;
  json::Object object;
  for (auto const& setting : setting_table()) {
    auto value = shown_value(setting, loaded.settings);
    if (!is_shown(setting, value, loaded.settings)) continue;
    auto const origin = shown_origin(setting, loaded);
    if (format == ShowFormat::Yaml) {
      yaml.add(setting.key, value, origin);
    } else {
      object[setting.key] = json::Object{{"value", std::move(value)}, {"from", origin}};
    }
  }
  if (format == ShowFormat::Yaml) return std::move(yaml).text();
  return json::to_text(object) + "\n";
}

}  // namespace sallyport::config
