// The entries of egress.allow, egress.deny and egress.rates.
#include "src/config/entry_reader.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/reach_fields.hpp"
#include "src/config/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

constexpr std::string_view kHostsHelp =
    "Hosts: exact, or `*.example.com` for all names below that one";

constexpr EntryField kPolicyFields[] = {
    {"name", "text", "What reasons and the audit log call the rule"},
    {"hosts", "list", kHostsHelp},
    {"methods", "list", "Methods, such as `GET`"},
    {"schemes", "list", "`http`, `https`"},
    {"ports", "list", "Ports"},
    {"path_prefixes", "list", "Paths, by whole segments: `/api` holds `/api/x`, not `/apix`"},
    {"operations", "list",
     "What the call is for: `fetch`, `http_request`, `websocket`, `mcp`, `oauth`, `jwks`, "
     "`policy`"},
    {"principals", "list", "Who calls"},
};

constexpr EntryField kRateFields[] = {
    {"rate", "text", "How often: `10/s`, `100/min`, `5000/h`; required"},
    {"host", "text", "Host: exact, or `*.example.com`; any when absent"},
    {"path_prefix", "text", "Path, by whole segments; any when absent"},
};

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

// A rule for an operation that does not exist would never match: a deny rule would deny nothing.
Result<void> check_operations(std::vector<std::string> const& items) {
  std::vector<std::string> const known{policy::kOperations.begin(), policy::kOperations.end()};
  for (auto const& item : items) {
    if (std::ranges::find(known, item) != known.end()) continue;
    return wrong(fmt::format("\"{}\" is no operation{}; there are {}", item,
                             did_you_mean(item, known), fmt::join(known, ", ")));
  }
  return {};
}

void read_policy_rule(EntryReader& reader, YAML::Node const& entry,
                      std::vector<policy::AllowlistRule>& rules) {
  policy::AllowlistRule rule;
  bool const good =
      reader.read(entry, [&](std::string const& field, FieldValue const& value) -> Result<void> {
        if (value.items.empty()) return wrong("must not be empty");
        if (field == "name") {
          rule.name = value.text();
        } else if (field == "operations") {
          SP_CHECK(check_operations(value.items));
          rule.operations = value.items;
        } else if (field == "principals") {
          rule.principals = value.items;
        } else {
          return take_reach(field, value, rule.reach);
        }
        return {};
      });
  if (good) rules.push_back(std::move(rule));
}

void read_allow(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, "egress.allow", kPolicyFields, draft,
               [&](EntryReader& reader, YAML::Node const& entry) {
                 read_policy_rule(reader, entry, draft.settings.egress.policy.allow);
               });
}

void read_deny(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, "egress.deny", kPolicyFields, draft,
               [&](EntryReader& reader, YAML::Node const& entry) {
                 read_policy_rule(reader, entry, draft.settings.egress.policy.deny);
               });
}

void read_rate(EntryReader& reader, YAML::Node const& entry) {
  pipeline::PathRate rule;
  bool const good =
      reader.read(entry, [&](std::string const& field, FieldValue const& value) -> Result<void> {
        auto const& text = value.text();
        if (field == "rate") {
          SP_TRY(rule.rate, pipeline::Rate::parse(text));
          return {};
        }
        bool const host = field == "host";
        auto problem = host ? host_pattern(text) : url_path(text);
        if (!problem.empty()) return wrong(std::move(problem));
        (host ? rule.host : rule.path_prefix) = text;
        return {};
      });
  if (!good) return;
  if (rule.rate.count == 0) return reader.problem(entry, "rate", "is missing");
  if (rule.path_prefix.empty()) rule.path_prefix = "/";
  reader.draft().settings.egress.limits.per_path.push_back(std::move(rule));
}

void read_rates(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, "egress.rates", kRateFields, draft, read_rate);
}

json::Value shown_rules(std::vector<policy::AllowlistRule> const& rules) {
  json::Array list;
  for (auto const& rule : rules) {
    json::Object entry;
    if (!rule.name.empty()) entry["name"] = rule.name;
    show_reach(entry, rule.reach);
    show_list(entry, "operations", rule.operations);
    show_list(entry, "principals", rule.principals);
    list.push_back(std::move(entry));
  }
  return list;
}

json::Value shown_allow(Settings const& settings) {
  return shown_rules(settings.egress.policy.allow);
}

json::Value shown_deny(Settings const& settings) {
  return shown_rules(settings.egress.policy.deny);
}

json::Value shown_rates(Settings const& settings) {
  json::Array list;
  for (auto const& rule : settings.egress.limits.per_path) {
    json::Object entry{{"rate", rule.rate.as_setting()}, {"path_prefix", rule.path_prefix}};
    if (!rule.host.empty()) entry["host"] = rule.host;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

EntryList const kAllowList{"rules", kPolicyFields, read_allow, shown_allow};
EntryList const kDenyList{"rules", kPolicyFields, read_deny, shown_deny};
EntryList const kRateList{"rates", kRateFields, read_rates, shown_rates};

}  // namespace sallyport::config
