// The entries of egress.inject: headers that are added on the way out.
#include "src/base/ascii.hpp"
#include "src/config/credential_entries.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/reach_fields.hpp"
#include "src/config/rule_text.hpp"
#include "src/config/yaml_node.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::config {
namespace {

constexpr std::string_view kKey = "egress.inject";

constexpr std::array kReachFields = {
    EntryField{
        "host", "text",
        "Host that gets them: exact, or `*.example.com` for that name and all below it; this "
        "or `hosts` is required"},
    EntryField{"hosts", "list", "Several; here `*.example.com` is only the names below it"},
    EntryField{"schemes", "list", "`https` unless `http` is written here"},
    EntryField{"ports", "list", "Ports; default: all"},
    EntryField{"path_prefix", "text", "Path, by whole segments; default: all"},
    EntryField{"path_prefixes", "list", "Several"},
};
constexpr auto kFields = joined(kReachFields, kCredentialFields);

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

// Names of hosts have no case.
FieldValue normalized(FieldValue value) {
  for (auto& item : value.items) item = lowered(http::trimmed(item));
  return value;
}

Result<void> take_host(std::string const& text, policy::Reach& reach) {
  auto const host = lowered(http::trimmed(text));
  if (auto problem = host_pattern(host); !problem.empty()) return wrong(std::move(problem));
  reach.hosts = {host};
  if (host.starts_with("*.")) reach.hosts.push_back(host.substr(2));
  return {};
}

Result<void> take_path(std::string const& text, policy::Reach& reach) {
  if (auto problem = url_path(text); !problem.empty()) return wrong(std::move(problem));
  reach.path_prefixes = {text};
  return {};
}

Result<void> take_place(std::string const& field, FieldValue const& value, policy::Reach& reach) {
  if (field == "host") return take_host(value.text(), reach);
  if (field == "path_prefix") return take_path(value.text(), reach);
  if (field == "hosts" || field == "schemes") return take_reach(field, normalized(value), reach);
  return take_reach(field, value, reach);
}

bool is_about_the_place(std::string_view field) {
  return std::ranges::find(kReachFields, field, &EntryField::key) != kReachFields.end();
}

// At most one of a field and its plural.
bool has_both(YAML::Node const& entry, char const* one, char const* many, EntryReader& reader) {
  if (!entry[one] || !entry[many]) return false;
  reader.problem(entry, one, fmt::format("cannot be used together with {}", many));
  return true;
}

void read_rule(EntryReader& reader, YAML::Node const& entry,
               std::vector<credentials::Rule>& rules) {
  CredentialEntry credential;
  auto& reach = credential.rule.reach;
  bool const good = reader.read(
      entry,
      [&](std::string const& field, FieldValue const& value) {
        return is_about_the_place(field) ? take_place(field, value, reach)
                                         : credential.take(field, value, reader.draft());
      },
      [&](std::string const& field, YAML::Node const& node) {
        credential.take_nested(field, node, reader);
      });
  if (!good || has_both(entry, "host", "hosts", reader) ||
      has_both(entry, "path_prefix", "path_prefixes", reader)) {
    return;
  }
  // SECURITY: a rule for every host would give the value to whoever is asked.
  if (reach.hosts.empty()) {
    return reader.problem(entry, "host", "is missing; name who may see the value");
  }
  for (auto& rule : credential.rules(entry, reader)) rules.push_back(std::move(rule));
}

void read(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, std::string{kKey}, kFields, draft,
               [&](EntryReader& reader, YAML::Node const& entry) {
                 read_rule(reader, entry, draft.settings.egress.inject);
               });
}

void read_texts(std::vector<std::string> const& texts, Origin const& origin, Draft& draft) {
  std::vector<credentials::Rule> rules;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto where = origin;
    auto const entries = entries_in(texts[i], where, auth_fields(), kFields);
    if (!entries) {
      draft.problems.push_back({where, std::string{kKey}, entries.error().message});
      continue;
    }
    for (std::size_t j = 0; j < entries->size(); ++j) {
      auto const number =
          entries->size() == 1 ? fmt::format("[{}]", i) : fmt::format("[{}][{}]", i, j);
      EntryReader reader{describe(where), origin.where + number, kFields, draft};
      read_rule(reader, (*entries)[j], rules);
    }
  }
  // Of several rules for one header the first counts, so that what is set later comes first.
  auto& all = draft.settings.egress.inject;
  all.insert(all.begin(), rules.begin(), rules.end());
  draft.origins.insert_or_assign(std::string{kKey}, origin);
}

json::Value shown(Settings const& settings) {
  json::Array list;
  for (auto const& rule : settings.egress.inject) {
    json::Object entry{{"name", rule.name}};
    show_reach(entry, rule.reach);
    show_credential(entry, rule);
    list.push_back(std::move(entry));
  }
  return list;
}

EntrySection const kSections[] = {{"auth", auth_fields()}};

}  // namespace

EntryList const kInjectList{"rules", kFields, read, shown, read_texts, kSections};

}  // namespace sallyport::config
