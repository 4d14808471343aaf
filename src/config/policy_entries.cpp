// The section `policies`: which Rego policies judge which kind of call. Also as JSON, in a flag or
// a variable, or in a file that these name.
#include "src/config/loader.hpp"
#include "src/config/yaml_node.hpp"
#include "src/policy/chain_settings.hpp"

#include <utility>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

constexpr std::string_view kKey = "policies";
constexpr int kDeepest = 16;

constexpr EntryField kFields[] = {
    {"fetch", "section", "Judges every HTTP request; `mode` and `policies`, as in the others"},
    {"websocket", "section", "Judges connections by WebSocket"},
    {"mcp_tools", "section",
     "Judges calls of tools, and what is asked of servers behind the gateway"},
    {"modules", "section", "Judges modules that scripts import"},
    {"http_send", "switch", "Rego files may ask other servers with `http.send`; default: false"},
};

constexpr EntryField kSectionFields[] = {
    {"mode", "choice", "`all`: every source must allow; `any`: one is enough; default: all"},
    {"policies", "list of sources", "At least one"},
};

constexpr EntryField kSourceFields[] = {
    {"url", "text",
     "`file:///…` is a Rego file or a folder of them, `http://…` or `https://…` an OPA server; "
     "required"},
    {"rule", "text", "Of a file: what must be true; default: `data.mcp.fetch.allow`"},
    {"policy_path", "text",
     "Of an OPA server: which document it is asked for; default: `mcp/fetch`"},
};

EntrySection const kEntrySections[] = {{"fetch", kSectionFields},
                                       {"fetch.policies[]", kSourceFields}};

// Scalars are texts; the reader knows which of them mean more.
Result<json::Value> to_json(YAML::Node const& node, int depth) {
  if (depth > kDeepest) return fail(Errc::InvalidInput, "is nested too deeply");
  if (node.IsScalar()) return json::Value(node.Scalar());
  if (node.IsSequence()) {
    json::Array list;
    for (auto const& item : node) {
      SP_TRY(auto value, to_json(item, depth + 1));
      list.push_back(std::move(value));
    }
    return json::Value(std::move(list));
  }
  if (!node.IsMap()) return json::Value(nullptr);
  json::Object object;
  for (auto const& member : node) {
    if (!member.first.IsScalar()) return fail(Errc::InvalidInput, "has a key that is not a text");
    SP_TRY(auto value, to_json(member.second, depth + 1));
    if (!object.emplace(member.first.Scalar(), std::move(value)).second) {
      return fail(Errc::InvalidInput, "has the key `" + member.first.Scalar() + "` twice");
    }
  }
  return json::Value(std::move(object));
}

void take(YAML::Node const& node, Origin const& origin, Draft& draft) {
  auto const value = to_json(node, 0);
  auto settings = value ? policy::read_chain_settings(*value) : value.error();
  if (!settings) {
    draft.problems.push_back({origin, std::string{kKey}, settings.error().message});
    return;
  }
  draft.settings.policies = *std::move(settings);
  draft.origins.insert_or_assign(std::string{kKey}, origin);
}

void read(YAML::Node const& node, std::string const& file, Draft& draft) {
  take(node, origin_of(node, file), draft);
}

bool is_inline(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

// JSON in braces, or the name of a file with it. The last one counts.
void read_texts(std::vector<std::string> const& texts, Origin const& origin, Draft& draft) {
  auto where = origin;
  auto const note = [&](Error const& error) {
    draft.problems.push_back({where, std::string{kKey}, error.message});
  };
  auto text = is_inline(texts.back()) ? Result<std::string>{texts.back()} : text_of(texts.back());
  if (!text)
    return note(fail(Errc::InvalidInput, "\"" + texts.back() + "\" " + text.error().message +
                                             "; give JSON in braces or the name of a file"));
  auto const document = parse_yaml(*text, where);
  if (!document) return note(document.error());
  take(document->root, where, draft);
}

json::Value shown(Settings const& settings) {
  json::Object sections;
  for (auto const& section : settings.policies.sections) {
    json::Array sources;
    for (auto const& source : section.sources) {
      json::Object entry{{"url", source.url}};
      if (source.is_remote()) {
        entry.emplace("policy_path", source.policy_path);
      } else {
        entry.emplace("rule", source.rule);
      }
      sources.push_back(std::move(entry));
    }
    sections.emplace(section.name,
                     json::Object{{"mode", section.mode == policy::ChainMode::All ? "all" : "any"},
                                  {"policies", std::move(sources)}});
  }
  if (settings.policies.http_send) sections.emplace("http_send", true);
  return sections;
}

}  // namespace

EntryList const kPolicyList{"sections", kFields, read, shown, read_texts, kEntrySections};

}  // namespace sallyport::config
