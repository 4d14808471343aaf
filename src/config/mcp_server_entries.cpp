// The entries of mcp_servers: MCP servers behind the gateway.
#include "src/config/credential_entries.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/mcp_server_entry.hpp"
#include "src/config/units.hpp"
#include "src/config/yaml_node.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

using std::chrono::milliseconds;

constexpr EntryField kFields[] = {
    {"name", "text", "How it is called, also in the names of its tools; required"},
    {"enabled", "switch", "Whether it is used; default: true"},
    {"url", "text", "Where it is; this or `command`"},
    {"headers", "map", "Headers of every request to it; values as of a secret"},
    {"private_network", "switch", "It may have an address that is not public"},
    {"oauth", "section", "As whom we come where it wants a token (docs/gateway.md)"},
    {"command", "text", "A program on this machine, by its path or its name in `PATH`"},
    {"args", "list", "Its arguments"},
    {"env", "map", "Its variables, besides `PATH`, `HOME` and the like; values as of a secret"},
    {"cwd", "text", "The folder that it is started in; default: ours"},
    {"tools", "section", "Which of its tools are offered"},
    {"timeout", "duration", "Time it may take to say something about a request; default: 30s"},
    {"call_timeout", "duration", "The same about a call of a tool; default: 1m"},
    {"max_timeout", "duration", "For any request, whatever it says meanwhile; default: 10m"},
    {"notification_timeout", "duration", "To take a notification; default: 10s"},
};

constexpr EntryField kToolFields[] = {
    {"allow", "list", "Patterns of their names: `*` is any text, `?` one character; default: `*`"},
    {"deny", "list", "Patterns of those that are not offered, whatever `allow` says"},
};

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

Result<milliseconds> read_time(std::string const& text) {
  SP_TRY(auto const time, parse_duration(text));
  if (time < milliseconds{1} || time > std::chrono::hours{24}) return wrong("must be 1ms to 1d");
  return time;
}

milliseconds& time_of(std::string_view field, upstream::ServerTimes& times) {
  if (field == "call_timeout") return times.tool_call;
  if (field == "max_timeout") return times.longest;
  if (field == "notification_timeout") return times.notification;
  return times.request;
}

// A text, of which `env:NAME` and `file:PATH` mean something else, or {env: NAME}, {file: PATH}.
Result<Secret> read_value(YAML::Node const& node, Draft& draft) {
  if (node.IsScalar()) return read_secret_text(node.Scalar(), draft);
  if (node.IsMap() && node.size() == 1) {
    auto const member = *node.begin();
    auto const& from = member.first.IsScalar() ? member.first.Scalar() : std::string{};
    if ((from == "env" || from == "file") && member.second.IsScalar()) {
      return read_secret_field("_" + from, member.second.Scalar(), draft);
    }
  }
  return wrong("must be a text, {env: NAME} or {file: PATH}");
}

class McpServerReader {
 public:
  explicit McpServerReader(EntryReader& reader) : reader_{reader} {}

  void read(YAML::Node const& node) {
    bool const good = reader_.read(
        node,
        [this](std::string const& field, FieldValue const& value) { return take(field, value); },
        [this](std::string const& field, YAML::Node const& inner) { take_nested(field, inner); });
    if (!good) return;
    auto& server = entry_.settings.server;
    if (server.name.empty()) return reader_.problem(node, "name", "is missing");
    if (auto const misfit = entry_.misfit()) {
      return reader_.problem(node, misfit->field, std::string{misfit->message});
    }
    auto const origin = origin_of(node, reader_.file());
    entry_.settings.origin = origin.where;
    add_mcp_server(std::move(entry_).finish(), origin, reader_.path() + ".name", reader_.draft());
  }

 private:
  Result<void> take(std::string const& field, FieldValue const& value) {
    auto& program = entry_.program;
    if (field == "args") {
      program.args = value.items;
      return {};
    }
    auto const& text = value.text();
    if (field == "name") {
      if (auto problem = mcp_server_name(text); !problem.empty()) return wrong(std::move(problem));
      entry_.settings.server.name = text;
    } else if (field == "enabled") {
      SP_TRY(entry_.settings.enabled, parse_switch(text));
    } else if (field == "url") {
      SP_TRY(entry_.url, mcp_server_url(text));
    } else if (field == "private_network") {
      SP_TRY(entry_.private_network, parse_switch(text));
    } else if (field == "command" || field == "cwd") {
      if (auto problem = not_empty(text); !problem.empty()) return wrong(std::move(problem));
      (field == "command" ? program.command : program.cwd) = text;
    } else {
      SP_TRY(time_of(field, entry_.settings.server.times), read_time(text));
    }
    return {};
  }

  void take_nested(std::string const& field, YAML::Node const& node) {
    if (field == "oauth") {
      entry_.has_oauth = true;
      read_mcp_oauth(node, reader_, entry_.settings.oauth);
    } else if (field == "tools") {
      take_tools(node);
    } else {
      take_values(field, node);
    }
  }

  void take_values(std::string const& field, YAML::Node const& map) {
    if (!map.IsMap()) return reader_.problem(map, field, "must have names with their values");
    std::vector<std::string> seen;
    for (auto const& member : map) {
      if (!good_member(member.first, reader_.path() + "." + field, seen, reader_.file(),
                       reader_.draft())) {
        continue;
      }
      auto const& name = member.first.Scalar();
      auto const where = field + "." + name;
      auto value = read_value(member.second, reader_.draft());
      if (!value) {
        reader_.problem(member.first, where, value.error().message);
        continue;
      }
      auto const done = field == "env" ? entry_.add_variable(name, *std::move(value))
                                       : entry_.add_header(name, *std::move(value));
      if (!done) reader_.problem(member.first, where, done.error().message);
    }
  }

  void take_tools(YAML::Node const& node) {
    EntryReader inner{reader_.file(), reader_.path() + ".tools", kToolFields, reader_.draft()};
    auto& tools = entry_.settings.server.tools;
    inner.read(node, [&](std::string const& field, FieldValue const& value) -> Result<void> {
      for (auto const& item : value.items) {
        if (auto problem = not_empty(item); !problem.empty()) return wrong(std::move(problem));
      }
      (field == "allow" ? tools.allow : tools.deny) = value.items;
      return {};
    });
  }

  EntryReader& reader_;
  McpServerEntry entry_;
};

void read(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(
      list, file, "mcp_servers", kFields, draft,
      [](EntryReader& reader, YAML::Node const& node) { McpServerReader{reader}.read(node); });
}

json::Array texts(std::vector<std::string> const& items) {
  json::Array list;
  for (auto const& item : items) list.emplace_back(item);
  return list;
}

// SECURITY: some servers are given their key in the query.
std::string without_query(std::string const& href) {
  auto const query = href.find('?');
  return query == std::string::npos ? href : href.substr(0, query) + "?****";
}

void show_http(upstream::HttpAddress const& http, json::Object& entry) {
  entry["url"] = without_query(http.url.href());
  if (!http.headers.empty()) {
    auto& headers = entry["headers"].emplace_object();
    for (auto const& [name, value] : http.headers) headers[name] = "****";
  }
  if (http.private_network) entry["private_network"] = true;
}

void show_program(upstream::Program const& program, json::Object& entry) {
  entry["command"] = program.command;
  if (!program.args.empty()) entry["args"] = texts(program.args);
  if (!program.env.empty()) {
    auto& env = entry["env"].emplace_object();
    for (auto const& [name, value] : program.env) env[name] = "****";
  }
  if (!program.cwd.empty()) entry["cwd"] = program.cwd;
}

json::Value shown(Settings const& settings) {
  json::Array list;
  upstream::ServerTimes const usual;
  for (auto const& [server, oauth, enabled, origin] : settings.mcp_servers) {
    json::Object entry{{"name", server.name}, {"from", origin}};
    if (!enabled) entry["enabled"] = false;
    if (server.http) show_http(*server.http, entry);
    if (server.program) show_program(*server.program, entry);
    auto shown_oauth = shown_mcp_oauth(oauth);
    if (!shown_oauth.empty()) entry["oauth"] = std::move(shown_oauth);
    auto const& tools = server.tools;
    if (tools.allow != upstream::ToolFilter{}.allow || !tools.deny.empty()) {
      entry["tools"] = json::Object{{"allow", texts(tools.allow)}, {"deny", texts(tools.deny)}};
    }
    auto const show_time = [&](std::string_view key, milliseconds time, milliseconds common) {
      if (time != common) entry[key] = format_duration(time);
    };
    show_time("timeout", server.times.request, usual.request);
    show_time("call_timeout", server.times.tool_call, usual.tool_call);
    show_time("max_timeout", server.times.longest, usual.longest);
    show_time("notification_timeout", server.times.notification, usual.notification);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

EntrySection const kMcpServerSections[] = {{"oauth", mcp_oauth_fields()},
                                           {"oauth.identity_provider", identity_provider_fields()},
                                           {"tools", kToolFields}};

EntryList const kMcpServerList{"servers", kFields, read, shown, nullptr, kMcpServerSections};

}  // namespace sallyport::config
