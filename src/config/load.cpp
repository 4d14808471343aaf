#include "src/config/load.hpp"

#include "src/config/loader.hpp"
#include "src/config/mcp_server_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace sallyport::config {
namespace {

constexpr std::string_view kConfigVariable = "SALLYPORT_CONFIG";

std::string const* find_variable(Variables const& variables, std::string_view name) {
  auto const found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? nullptr : &found->second;
}

}  // namespace

std::string describe(Origin const& origin) {
  switch (origin.kind) {
    case Origin::Kind::Default: return "default";
    case Origin::Kind::File: return origin.where;
    case Origin::Kind::Environment: return "env " + origin.where;
    case Origin::Kind::Flag: return "flag " + origin.where;
  }
  return {};
}

std::string to_string(Problem const& problem) {
  std::string text;
  if (problem.origin.kind != Origin::Kind::Default) text += describe(problem.origin) + ": ";
  if (!problem.key.empty()) text += problem.key + ": ";
  return text + problem.message;
}

void note(std::string_view key, std::string message, Draft& draft) {
  auto const found = draft.origins.find(key);
  auto const origin = found == draft.origins.end() ? Origin{} : found->second;
  draft.problems.push_back({origin, std::string{key}, std::move(message)});
}

void apply(Setting const& setting, Written const& written, Origin origin, Draft& draft) {
  auto const done = assign(setting, written, draft.settings);
  if (!done) {
    draft.problems.push_back({std::move(origin), std::string{setting.key}, done.error().message});
    return;
  }
  draft.origins.insert_or_assign(std::string{setting.key}, std::move(origin));
}

void read_flags(std::vector<GivenFlag> const& flags, Draft& draft) {
  for (auto const& flag : flags) {
    Origin const origin{Origin::Kind::Flag, flag_name(*flag.setting)};
    if (auto const* list = flag.setting->entries()) {
      list->read_texts(flag.values, origin, draft);
      continue;
    }
    if (!flag.setting->is_list()) {
      apply(*flag.setting, {flag.values, false}, origin, draft);
      continue;
    }
    Written all{.is_list = true};
    for (auto const& value : flag.values) {
      auto const some = split_list(value);
      if (!some) {
        draft.problems.push_back({origin, std::string{flag.setting->key}, some.error().message});
        continue;
      }
      all.items.insert(all.items.end(), some->items.begin(), some->items.end());
    }
    apply(*flag.setting, all, origin, draft);
  }
}

Loaded load(Sources const& sources, Purpose purpose) {
  Draft draft{{}, sources.environment, {}};
  auto const* named = find_variable(sources.environment, kConfigVariable);
  if (sources.file) {
    read_file(*sources.file, draft);
  } else if (named != nullptr && !named->empty()) {
    read_file(*named, draft);
  }
  read_environment(draft);
  read_flags(sources.flags, draft);
  resolve_secrets(draft);
  resolve_state_files(draft);
  read_servers_files(draft);
  // A value that was refused would only cause complaints that follow from it.
  if (draft.good()) cross_check(purpose, draft);
  return std::move(static_cast<Loaded&>(draft));
}

Variables process_environment() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view const text{*entry};
    auto const equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace sallyport::config
