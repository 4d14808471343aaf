#include "src/app/servers/keep_servers.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/grants.hpp"
#include "src/app/servers/known_servers.hpp"
#include "src/app/servers/servers_file.hpp"
#include "src/app/servers/sign_in_client.hpp"
#include "src/app/servers/visit_server.hpp"
#include "src/config/servers_json.hpp"
#include "src/http/chars.hpp"
#include "src/json/write.hpp"
#include "src/upstream/catalog/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace sallyport::app::servers {
namespace {

Error misused(std::string message) {
  return fail(Errc::InvalidInput, std::move(message));
}

bool is_url(std::string_view text) {
  return text.find("://") != std::string_view::npos;
}

Result<json::Object> headers_of(std::vector<std::string> const& lines) {
  json::Object headers;
  for (auto const& line : lines) {
    auto const colon = line.find(':');
    // SECURITY: the line is not repeated, since it may be nothing but a secret.
    if (colon == std::string::npos) return misused("--header: write it as \"Name: value\"");
    headers[http::trimmed(line.substr(0, colon))] = http::trimmed(line.substr(colon + 1));
  }
  return headers;
}

Result<json::Object> variables_of(std::vector<std::string> const& pairs) {
  json::Object variables;
  for (auto const& pair : pairs) {
    auto const equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) return misused("--env: write it as NAME=value");
    variables[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return variables;
}

json::Array as_array(std::vector<std::string> const& texts, std::size_t from = 0) {
  json::Array array;
  for (auto i = from; i < texts.size(); ++i) array.emplace_back(texts[i]);
  return array;
}

Result<json::Object> http_entry(AddRequest const& request) {
  if (!request.env.empty()) return misused("--env needs a command, not a URL");
  if (!request.cwd.empty()) return misused("--cwd needs a command, not a URL");
  json::Object entry{{"type", "http"}, {"url", request.where.front()}};
  SP_TRY(auto headers, headers_of(request.headers));
  if (!headers.empty()) entry["headers"] = std::move(headers);
  if (request.private_network) entry["private_network"] = true;
  json::Object oauth;
  if (!request.client_id.empty()) oauth["client_id"] = request.client_id;
  if (!request.client_secret_env.empty()) {
    oauth["client_secret"] = fmt::format("${{{}}}", request.client_secret_env);
  }
  if (!request.scopes.empty()) oauth["scopes"] = as_array(request.scopes);
  if (!oauth.empty()) entry["oauth"] = std::move(oauth);
  return entry;
}

// The file is read from other folders as well. A name without a slash is looked up in PATH.
std::string from_anywhere(std::string const& path) {
  if (path.find('/') == std::string::npos) return path;
  std::error_code error;
  auto const absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

Result<json::Object> program_entry(AddRequest const& request) {
  if (!request.headers.empty()) return misused("--header needs a URL, not a command");
  if (request.private_network) return misused("--private-network needs a URL, not a command");
  bool const about_oauth =
      !request.client_id.empty() || !request.client_secret_env.empty() || !request.scopes.empty();
  if (about_oauth) return misused("--oauth-… needs a URL, not a command");
  json::Object entry{{"type", "stdio"}, {"command", from_anywhere(request.where.front())}};
  if (request.where.size() > 1) entry["args"] = as_array(request.where, 1);
  SP_TRY(auto env, variables_of(request.env));
  if (!env.empty()) entry["env"] = std::move(env);
  if (!request.cwd.empty()) entry["cwd"] = std::filesystem::absolute(request.cwd).string();
  return entry;
}

int misuse(Error const& error, std::ostream& err) {
  err << "sallyport servers: " << error.message << '\n';
  if (!error.detail.empty()) err << error.detail << '\n';
  return kUsageError;
}

Steps::Style style_of(std::ostream const& out) {
  bool const ours = &out == &std::cout;
  return ours && isatty(STDOUT_FILENO) == 1 ? Steps::Style::Terminal : Steps::Style::Plain;
}

Task<int> test_new(Visit& visit, config::McpServerSettings const& server, std::ostream& out,
                   Tested& tested) {
  out << for_terminal(fmt::format("{}  {}", server.server.name, where_of(server.server))) << '\n';
  Steps steps{out, style_of(out)};
  SP_CO_TRY(tested, co_await test_server(visit, server, steps));
  co_return tested.failure ? kFailed : kDone;
}

// The key in our own file that the server is written under; empty: it is written elsewhere.
std::string key_in_our_file(config::Settings const& settings,
                            config::McpServerSettings const& server) {
  for (std::string_view const member : {"mcpServers", "servers"}) {
    auto const prefix = fmt::format("{}: {}.", settings.gateway.servers_file, member);
    if (server.origin.starts_with(prefix)) return server.origin.substr(prefix.size());
  }
  return {};
}

// Nothing where nobody has ever signed in or was asked to.
std::unique_ptr<oauth::upstream::GrantStore> grants_if_any(config::Settings const& settings,
                                                           std::ostream& err) {
  std::error_code ignored;
  if (!std::filesystem::exists(settings.gateway.grants_file, ignored)) return nullptr;
  auto store = open_grants(settings.gateway, say_locked_keyring(err));
  if (store) return *std::move(store);
  err << "What is stored of sign-ins cannot be read: " << store.error().message << '\n';
  return nullptr;
}

// Whether there were some.
bool forget_tokens(config::Settings const& settings, config::McpServerSettings const& server,
                   std::ostream& err) {
  auto const store = server.server.http ? grants_if_any(settings, err) : nullptr;
  if (!store) return false;
  auto const held = store->grants(server.oauth);
  return held && !held->empty() && store->forget(server.oauth);
}

// What is known of the sign-in, whoever used it last: a running Sallyport, too, writes down what a
// server asks for when it lets nobody in.
enum class SignInState { Unknown, Done, Needed };

SignInState sign_in_state(oauth::upstream::GrantStore* grants,
                          config::McpServerSettings const& server) {
  bool const by_person = needs_sign_in(server.server) &&
                         server.oauth.kind == oauth::upstream::GrantKind::AuthorizationCode;
  if (grants == nullptr || !by_person) return SignInState::Unknown;
  if (auto const asked = grants->challenge(server.oauth); asked && *asked) {
    return SignInState::Needed;
  }
  auto const held = grants->grants(server.oauth);
  return held && !held->empty() ? SignInState::Done : SignInState::Unknown;
}

std::string sign_in_text(SignInState state, config::McpServerSettings const& server,
                         KnownServer const* known) {
  auto const how = oauth::upstream::how_to_sign_in(server.oauth);
  bool const said = known != nullptr && known->error.find(how) != std::string::npos;
  switch (state) {
    case SignInState::Unknown: return {};
    case SignInState::Done: return "; signed in";
    case SignInState::Needed: return said ? "" : "; " + how;
  }
  return {};
}

std::string state_text(config::McpServerSettings const& server, KnownServer const* known) {
  std::string text = server.enabled ? "" : "disabled; ";
  if (known == nullptr) return text + "never tested";
  auto const tools =
      known->seen_at.empty() ? std::string{} : fmt::format("{} tools", known->tools.size());
  if (known->error.empty()) {
    return fmt::format("{}ok, {}, {} (tested {})", text, tools, known->server, known->tested_at);
  }
  auto const before =
      known->seen_at.empty() ? std::string{} : fmt::format("; {} on {}", tools, known->seen_at);
  return fmt::format("{}failed {}: {}{}", text, known->tested_at, known->error, before);
}

json::Object listed(config::McpServerSettings const& server, KnownServer const* known,
                    SignInState sign_in) {
  json::Object entry{{"name", server.server.name},
                     {"kind", server.server.http ? "http" : "program"},
                     {"where", where_of(server.server)},
                     {"enabled", server.enabled},
                     {"from", server.origin}};
  if (sign_in != SignInState::Unknown) {
    entry["sign_in"] = sign_in == SignInState::Done ? "done" : "needed";
  }
  if (known == nullptr) return entry;
  entry["tested_at"] = known->tested_at;
  entry["error"] = known->error.empty() ? json::Value(nullptr) : json::Value(known->error);
  if (known->seen_at.empty()) return entry;
  entry["seen_at"] = known->seen_at;
  entry["server"] = known->server;
  entry["revision"] = known->revision;
  entry["tools"] = known->tools.size();
  return entry;
}

}  // namespace

Result<json::Object> entry_of(AddRequest const& request) {
  if (request.where.empty()) return misused("name a URL, or a command after --");
  if (!is_url(request.where.front())) return program_entry(request);
  if (request.where.size() > 1) {
    return misused("a URL stands alone; the arguments of a command come after --");
  }
  return http_entry(request);
}

Result<config::McpServerSettings> settings_of(AddRequest const& request, json::Object const& entry,
                                              config::Variables const& variables) {
  json::Object const file{{"mcpServers", json::Object{{request.name, entry}}}};
  auto read = config::read_servers_json(json::to_text(file), variables);
  if (!read.problems.empty()) {
    auto const prefix = fmt::format("mcpServers.{}", request.name);
    auto const& [path, message] = read.problems.front();
    auto where = path.starts_with(prefix) ? path.substr(prefix.size()) : path;
    if (where.starts_with('.')) where.erase(0, 1);
    return misused(where.empty() ? message : fmt::format("{}: {}", where, message));
  }
  // In a file of somebody else's the name would be fitted; here it is to be as it was given.
  if (read.servers.size() != 1 || read.servers.front().server.name != request.name) {
    return misused("the name must be 1 to 32 letters, digits, `_`, `.` or `-`");
  }
  return std::move(read.servers.front());
}

int add_server(config::Settings const& settings, AddRequest const& request,
               Surroundings const& surroundings) {
  auto& [environment, out, err] = surroundings;
  auto entry = entry_of(request);
  if (!entry) return misuse(entry.error(), err);
  auto const server = settings_of(request, *entry, environment);
  if (!server) return misuse(server.error(), err);
  for (auto const& known : settings.mcp_servers) {
    if (upstream::sanitize(known.server.name) != upstream::sanitize(request.name)) continue;
    return misuse(fail(Errc::InvalidInput,
                       fmt::format("there is a server {} already ({}); `sallyport servers remove "
                                   "{}` takes it away",
                                   known.server.name, known.origin, known.server.name)),
                  err);
  }
  Tested tested;
  if (request.test) {
    auto visit = Visit::create(settings);
    if (!visit) return misuse(visit.error(), err);
    if (needs_sign_in(server->server)) {
      auto const prepared = (*visit)->prepare_grants(err);
      if (!prepared) return misuse(prepared.error(), err);
    }
    auto const code = (*visit)->drive(test_new(**visit, *server, out, tested));
    if (code != kDone && !tested.wants_sign_in) {
      if (code != kInterrupted) err << "Nothing was added; --no-test adds it as it is.\n";
      return code;
    }
  }
  auto file = ServersFile::open(settings.gateway.servers_file);
  if (!file) return misuse(file.error(), err);
  file->put(request.name, *std::move(entry));
  if (auto const saved = file->save(); !saved) return misuse(saved.error(), err);
  if (request.test) remember(settings, request.name, tested);
  out << fmt::format("Added {} to {}.\n", request.name, settings.gateway.servers_file);
  return kDone;
}

int remove_server(config::Settings const& settings, std::string const& name,
                  Surroundings const& surroundings) {
  auto& err = surroundings.err;
  auto const server = find_server(settings, name);
  if (!server) return misuse(server.error(), err);
  auto const key = key_in_our_file(settings, **server);
  if (key.empty()) {
    return misuse(fail(Errc::InvalidInput, fmt::format("{} is written in {}: take it away there",
                                                       name, (*server)->origin)),
                  err);
  }
  auto file = ServersFile::open(settings.gateway.servers_file);
  if (!file) return misuse(file.error(), err);
  file->erase(key);
  if (auto const saved = file->save(); !saved) return misuse(saved.error(), err);
  auto known = KnownServers::open(KnownServers::file_beside(settings.gateway.servers_file));
  known.forget(name);
  (void)known.save();  // only a memory
  surroundings.out << fmt::format("Removed {} from {}.\n", name, settings.gateway.servers_file);
  if (forget_tokens(settings, **server, err)) {
    err << "Its tokens are forgotten here, but not revoked: `logout` before `remove` does that.\n";
  }
  return kDone;
}

int list_servers(config::Settings const& settings, ListForm form,
                 Surroundings const& surroundings) {
  auto const known = KnownServers::open(KnownServers::file_beside(settings.gateway.servers_file));
  auto const grants = grants_if_any(settings, surroundings.err);
  json::Array all;
  std::size_t widest = 4;
  for (auto const& server : settings.mcp_servers) {
    widest = std::max(widest, server.server.name.size());
  }
  for (auto const& server : settings.mcp_servers) {
    auto const where = where_of(server.server);
    auto const* const seen = known.find(server.server.name, where);
    auto const sign_in = sign_in_state(grants.get(), server);
    if (form == ListForm::Json) {
      all.push_back(listed(server, seen, sign_in));
      continue;
    }
    surroundings.out << for_terminal(fmt::format("{:<{}}  {:<7}  {}", server.server.name, widest,
                                                 server.server.http ? "http" : "program", where))
                     << '\n'
                     << for_terminal(fmt::format("{:<{}}  {}{}", "", widest,
                                                 state_text(server, seen),
                                                 sign_in_text(sign_in, server, seen)))
                     << '\n';
  }
  if (form == ListForm::Json) surroundings.out << indented(all) << '\n';
  if (settings.mcp_servers.empty() && form == ListForm::Table) {
    surroundings.err << "There are no servers. `sallyport servers add` adds one.\n";
  }
  return kDone;
}

}  // namespace sallyport::app::servers
