#include "src/config/rule_text.hpp"

#include "src/config/suggest.hpp"
#include "src/config/yaml_node.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::config {
namespace {

// A struct, because a YAML::Node claims that it can be made from an Error too.
using Nodes = std::vector<YAML::Node>;

Result<Nodes> nodes_of(YAML::Node const& root) {
  if (root.IsMap()) return Nodes{root};
  if (!root.IsSequence() || root.size() == 0) {
    return fail(Errc::InvalidInput, "must be a rule or a list of rules");
  }
  Nodes nodes;
  for (auto const& node : root) nodes.push_back(node);
  return nodes;
}

Result<Nodes> parsed(std::string const& text, Origin& origin) {
  SP_TRY(auto const document, parse_yaml(text, origin));
  return nodes_of(document.root);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const escaped = text[at] == '\\' && at + 1 < text.size() && text[at + 1] == separator;
    if (escaped) {
      parts.back() += text[++at];
    } else if (text[at] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[at];
    }
  }
  return parts;
}

EntryField const* find(std::span<EntryField const> fields, std::string_view key) {
  auto const found = std::ranges::find(fields, key, &EntryField::key);
  return found == fields.end() ? nullptr : &*found;
}

YAML::Node value_for(EntryField const& field, std::string const& text) {
  if (field.type != "list") return YAML::Node{text};
  YAML::Node list{YAML::NodeType::Sequence};
  for (auto const& item : split(text, ';')) list.push_back(item);
  return list;
}

// "name=value,name=value". Fields of `auth` make a section of their own.
class CompactRule {
 public:
  CompactRule(std::span<EntryField const> auth_fields, std::span<EntryField const> fields)
      : auth_fields_{auth_fields}, fields_{fields} {}

  Result<Nodes> read(std::string_view text) {
    for (auto const& part : split(text, ',')) SP_CHECK(take(part));
    if (!has_auth_) return Nodes{rule_};
    // The header of a rule with a token is that of the token.
    if (rule_["header"] && !rule_["value"]) {
      auth_["header"] = rule_["header"];
      rule_.remove("header");
    }
    auth_["type"] = "oauth_client_credentials";
    rule_["auth"] = auth_;
    return Nodes{rule_};
  }

 private:
  Result<void> take(std::string_view part) {
    auto const equals = part.find('=');
    std::string const name{http::trimmed(part.substr(0, equals))};
    auto const* field = find(fields_, name);
    bool const in_auth = field == nullptr;
    if (in_auth) field = find(auth_fields_, name);
    // SECURITY: a value with a comma that was not escaped may end up here; it is not repeated.
    if (equals == std::string_view::npos) {
      return fail(Errc::InvalidInput,
                  "must be name=value with commas between them; write \\, for a comma in a value");
    }
    if (field == nullptr || name == "auth" || name == "headers" || name == "parameters" ||
        name == "type") {
      return fail(Errc::InvalidInput, "has an unknown name before a =" + suggestion(name));
    }
    auto node = in_auth ? auth_ : rule_;
    if (node[name]) return fail(Errc::InvalidInput, fmt::format("has {} twice", field->key));
    node[name] = value_for(*field, std::string{part.substr(equals + 1)});
    has_auth_ = has_auth_ || in_auth;
    return {};
  }

  std::string suggestion(std::string const& name) const {
    std::vector<std::string> names;
    for (auto const& field : fields_) names.emplace_back(field.key);
    for (auto const& field : auth_fields_) names.emplace_back(field.key);
    return did_you_mean(name, names);
  }

  std::span<EntryField const> auth_fields_;
  std::span<EntryField const> fields_;
  YAML::Node rule_{YAML::NodeType::Map};
  YAML::Node auth_{YAML::NodeType::Map};
  bool has_auth_{false};
};

// Whether it starts with a name and an equals sign; a path that does can be written ./name=value.
bool is_compact(std::string_view text) {
  auto const equals = text.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(text.substr(0, equals),
                             [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == ' '; });
}

}  // namespace

Result<std::vector<YAML::Node>> entries_in(std::string const& text, Origin& origin,
                                           std::span<EntryField const> auth_fields,
                                           std::span<EntryField const> fields) {
  auto const trimmed = http::trimmed(text);
  if (trimmed.starts_with('[') || trimmed.starts_with('{')) return parsed(text, origin);
  if (is_compact(trimmed)) return CompactRule{auth_fields, fields}.read(trimmed);
  std::string const path{trimmed};
  auto const contents = text_of(path);
  if (!contents) {
    return fail(Errc::InvalidInput,
                "is neither a rule nor a file of rules: the file " + contents.error().message);
  }
  origin = {Origin::Kind::File, path};
  return parsed(*contents, origin);
}

}  // namespace sallyport::config
