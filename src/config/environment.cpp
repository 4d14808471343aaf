#include "src/config/loader.hpp"
#include "src/config/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace sallyport::config {
namespace {

constexpr std::array<std::string_view, 2> kOurPrefixes{"SALLYPORT_", "MCP_FETCH_"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Kubernetes puts SALLYPORT_SERVICE_HOST, SALLYPORT_PORT_3000_TCP_ADDR and so on into every pod
// beside a service that is called `sallyport`. Nobody mistyped those.
bool is_service_variable(std::string_view rest) {
  if (rest == "PORT" || rest == "SERVICE_HOST" || rest.starts_with("SERVICE_PORT")) return true;
  if (!rest.starts_with("PORT_")) return false;
  rest.remove_prefix(5);
  return is_number(rest.substr(0, rest.find('_')));
}

bool is_ours(std::string_view name) {
  return std::ranges::any_of(kOurPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix) && !is_service_variable(name.substr(prefix.size()));
  });
}

using ByName = std::unordered_map<std::string, Setting const*>;

ByName settings_by_variable() {
  ByName by_name;
  for (auto const& setting : setting_table()) by_name.emplace(environment_name(setting), &setting);
  by_name.erase("");
  return by_name;
}

void refuse_unknown(std::string const& name, ByName const& known, Draft& draft) {
  std::vector<std::string> names;
  for (auto const& [candidate, setting] : known) names.push_back(candidate);
  std::ranges::sort(names);
  // Settings whose variable has a name of its own (PORT) are also looked for by their path.
  for (auto const& setting : setting_table()) {
    if (!setting.environment.empty() && variable_of_key(setting.key) == name) {
      draft.problems.push_back({{Origin::Kind::Environment, name},
                                std::string{setting.key},
                                fmt::format("is set by the variable {}", setting.environment)});
      return;
    }
  }
  draft.problems.push_back(
      {{Origin::Kind::Environment, name}, {}, "unknown variable" + did_you_mean(name, names)});
}

void read_variable(Setting const& setting, std::string const& name, std::string const& value,
                   Draft& draft) {
  Origin const origin{Origin::Kind::Environment, name};
  if (value.empty()) {
    // SECURITY: a secret that went missing on its way must not silently turn protection off.
    if (setting.is_secret()) {
      draft.problems.push_back({origin, std::string{setting.key}, "is set but empty"});
    }
    return;  // `NAME=` is how compose files and units say "unset"
  }
  if (auto const* list = setting.entries()) return list->read_texts({value}, origin, draft);
  if (!setting.is_list()) return apply(setting, {{value}, false}, origin, draft);
  auto const written = split_list(value);
  if (written) return apply(setting, *written, origin, draft);
  draft.problems.push_back({origin, std::string{setting.key}, written.error().message});
}

}  // namespace

void read_environment(Draft& draft) {
  auto const known = settings_by_variable();
  for (auto const& [name, value] : draft.environment) {
    auto const found = known.find(name);
    if (found != known.end()) {
      read_variable(*found->second, name, value, draft);
    } else if (is_ours(name) && name != "SALLYPORT_CONFIG" &&
               !draft.variables_in_use.contains(name)) {
      refuse_unknown(name, known, draft);
    }
  }
}

}  // namespace sallyport::config
