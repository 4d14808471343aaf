#include "src/config/servers_json_entry.hpp"

#include "src/base/ascii.hpp"
#include "src/config/expand_variables.hpp"
#include "src/config/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sallyport::config {
namespace {

constexpr std::size_t kLongestName = 32;
constexpr std::array<std::string_view, 8> kHttpKinds{
    "http",   "sse", "streamable-http", "streamablehttp", "streamable_http", "http-stream",
    "remote", "url"};
constexpr std::array<std::string_view, 2> kProgramKinds{"stdio", "local"};
constexpr std::array<std::string_view, 4> kTimes{"timeout", "call_timeout", "max_timeout",
                                                 "notification_timeout"};

template <class Names>
bool is_one_of(std::string_view text, Names const& names) {
  return std::ranges::find(names, text) != std::ranges::end(names);
}

bool may_stand_in_a_name(char c) {
  auto const lower = to_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

// Other programs let a server have any name: what ours cannot have becomes `_`.
std::string fitted(std::string_view name) {
  std::string result;
  bool replaced = false;
  for (char const c : name) {
    bool const good = may_stand_in_a_name(c);
    if (good || !replaced) result += good ? c : '_';
    replaced = !good;
  }
  return result.substr(0, kLongestName);
}

std::chrono::milliseconds& time_of(std::string_view key, upstream::ServerTimes& times) {
  if (key == "call_timeout") return times.tool_call;
  if (key == "max_timeout") return times.longest;
  if (key == "notification_timeout") return times.notification;
  return times.request;
}

}  // namespace

std::string ServersJsonEntry::path_of(std::string_view where) const {
  return where.empty() ? path_ : fmt::format("{}.{}", path_, where);
}

void ServersJsonEntry::problem(std::string_view where, std::string message) {
  read_.problems.push_back({path_of(where), std::move(message)});
}

void ServersJsonEntry::notice(std::string_view where, std::string message) {
  read_.notices.push_back({path_of(where), std::move(message)});
}

void ServersJsonEntry::read(std::string_view name, json::Value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return problem({}, "must be an object");
  auto const before = read_.problems.size();
  take_name(name, *object);
  for (auto const& [key, member] : *object) take(std::string_view{key}, member);
  if (read_.problems.size() == before && !leave_out_) finish();
}

void ServersJsonEntry::take_name(std::string_view name, json::Object const& object) {
  auto const* const named = json::find(object, "name");
  if (name.empty() && named != nullptr && named->is_string()) name = json::view(named->as_string());
  auto result = fitted(name);
  // GemiHub's name may be in any script; it has an id beside it that is not.
  auto const* const id = json::find_string(object, "id");
  if (!mcp_server_name(result).empty() && id != nullptr) result = fitted(json::view(*id));
  if (auto wrong = mcp_server_name(result); !wrong.empty()) {
    return problem(named == nullptr ? std::string_view{} : "name",
                   name.empty() ? "needs a name" : "the name " + wrong);
  }
  if (result != name) notice({}, fmt::format("is called {} here", result));
  entry_.settings.server.name = std::move(result);
}

void ServersJsonEntry::take(std::string_view key, json::Value const& value) {
  if (value.is_null() || key == "name" || key == "id") return;
  if (key == "args") return take_args(value);
  if (key == "env" || key == "headers") return take_pairs(key, value);
  if (key == "type" || key == "transport") return take_kind(value);
  if (key == "oauth") return take_oauth(value);
  if (key == "tools") return take_tools(value);
  if (is_one_of(key, kTimes)) return take_time(key, value);
  if (key == "oauthTokens") {
    return notice(key, fmt::format("is left out; sign in with `sallyport servers login {}`",
                                   entry_.settings.server.name));
  }
  if (!take_scalar(key, value)) notice(key, "is not known and left out");
}

bool ServersJsonEntry::take_scalar(std::string_view key, json::Value const& value) {
  if (key == "disabled") {
    bool disabled = false;
    take_switch(key, value, disabled);
    if (disabled) entry_.settings.enabled = false;
  } else if (key == "enabled") {
    bool enabled = true;
    take_switch(key, value, enabled);
    if (!enabled) entry_.settings.enabled = false;
  } else if (key == "private_network") {
    take_switch(key, value, entry_.private_network);
  } else if (key == "url" || key == "serverUrl" || key == "httpUrl") {
    auto const given = text(key, value);
    if (!given) return true;
    auto url = mcp_server_url(*given);
    if (!url) problem(key, url.error().message);
    if (url) entry_.url = *std::move(url);
  } else if (key == "command" || key == "cwd") {
    auto given = text(key, value);
    if (given && given->empty()) problem(key, "must not be empty");
    if (given) (key == "command" ? entry_.program.command : entry_.program.cwd) = *given;
  } else {
    return false;
  }
  return true;
}

void ServersJsonEntry::take_kind(json::Value const& value) {
  auto const given = text("type", value);
  if (!given) return;
  auto const kind = lowered(*given);
  if (is_one_of(kind, kHttpKinds) || is_one_of(kind, kProgramKinds)) return;  // found out by itself
  leave_out_ = true;
  notice("type", "is not one that we have; the server is left out");
}

void ServersJsonEntry::take_args(json::Value const& value) {
  if (auto args = texts("args", value)) entry_.program.args = *std::move(args);
}

void ServersJsonEntry::take_pairs(std::string_view key, json::Value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return problem(key, "must be an object of texts");
  for (auto const& [name, member] : *object) {
    auto const where = fmt::format("{}.{}", key, std::string_view{name});
    auto given = text(where, member);
    if (!given) continue;
    Secret secret{*std::move(given)};
    auto const done = key == "env" ? entry_.add_variable(std::string_view{name}, std::move(secret))
                                   : entry_.add_header(std::string_view{name}, std::move(secret));
    if (!done) problem(where, done.error().message);
  }
}

void ServersJsonEntry::take_oauth(json::Value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return problem("oauth", "must be an object");
  entry_.has_oauth = true;
  for (auto const& [key, member] : *object) {
    if (!member.is_null()) take_oauth_member(std::string_view{key}, member);
  }
  // A public client of another program was registered with that program's address, to which its
  // sign-in would return: better one of our own, where the server registers clients.
  auto& client = entry_.settings.oauth.client;
  bool const foreign = json::find(*object, "clientId") != nullptr;
  if (foreign && client.client_secret.empty()) {
    client.fallback_client_id = std::move(client.client_id);
    client.client_id.clear();
  }
  check_endpoints();
}

// What was found out once may be out of date: the server itself is asked first.
void ServersJsonEntry::take_endpoint(std::string_view field, std::string const& where,
                                     json::Value const& value) {
  auto given = text(where, value);
  if (!given) return;
  if (auto const wrong = endpoint_problem(field, *given); !wrong.empty()) {
    return notice(where, wrong + " and is left out");
  }
  auto& endpoints = entry_.settings.oauth.endpoints;
  *stated_endpoint(field, endpoints) = *std::move(given);
  endpoints.in_need_only = true;
}

void ServersJsonEntry::check_endpoints() {
  auto& oauth = entry_.settings.oauth;
  if (endpoints_lack(oauth).empty()) return;
  oauth.endpoints = {};
  notice("oauth", "names not all endpoints, and those that it names are left out");
}

void ServersJsonEntry::take_oauth_member(std::string_view key, json::Value const& value) {
  auto const where = fmt::format("oauth.{}", key);
  auto& oauth = entry_.settings.oauth;
  if (key == "clientId" || key == "client_id") {
    if (auto given = text(where, value)) oauth.client.client_id = *std::move(given);
  } else if (key == "clientSecret" || key == "client_secret") {
    if (auto given = text(where, value)) oauth.client.client_secret = Secret{*std::move(given)};
  } else if (key == "scopes" && value.is_array()) {
    auto const given = texts(where, value);
    if (given) oauth.scope = fmt::format("{}", fmt::join(*given, " "));
  } else if (key == "scopes" || key == "scope") {
    if (auto given = text(where, value)) oauth.scope = *std::move(given);
  } else if (key == "authorizationUrl" || key == "tokenUrl" || key == "resource") {
    take_endpoint(key == "resource"   ? key
                  : key == "tokenUrl" ? "token_url"
                                      : "authorization_url",
                  where, value);
  } else {
    notice(where, "is not known and left out");
  }
}

void ServersJsonEntry::take_tools(json::Value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return;  // GemiHub: what the server had when it was tested
  auto& tools = entry_.settings.server.tools;
  for (auto const& [name, member] : *object) {
    std::string_view const key{name};
    auto const where = fmt::format("tools.{}", key);
    if (key != "allow" && key != "deny") {
      notice(where, "is not known and left out");
      continue;
    }
    auto given = texts(where, member);
    if (given) (key == "allow" ? tools.allow : tools.deny) = *std::move(given);
  }
}

void ServersJsonEntry::take_time(std::string_view key, json::Value const& value) {
  // Other programs have numbers, some of seconds, some of milliseconds.
  if (value.is_number()) return notice(key, "has no unit and is left out");
  auto const given = text(key, value);
  if (!given) return;
  auto const time = parse_duration(*given);
  if (!time) return problem(key, time.error().message);
  if (time->count() < 1 || *time > std::chrono::hours{24}) return problem(key, "must be 1ms to 1d");
  time_of(key, entry_.settings.server.times) = *time;
}

void ServersJsonEntry::take_switch(std::string_view key, json::Value const& value, bool& into) {
  if (!value.is_bool()) return problem(key, "must be true or false");
  into = value.as_bool();
}

void ServersJsonEntry::finish() {
  if (auto const misfit = entry_.misfit()) {
    return problem(misfit->field, std::string{misfit->message});
  }
  auto const& client = entry_.settings.oauth.client;
  if (!client.client_secret.empty() && client.client_id.empty()) {
    return problem("oauth", "has a secret, but no client id");
  }
  entry_.settings.origin = path_;
  read_.servers.push_back(std::move(entry_).finish());
}

std::optional<std::string> ServersJsonEntry::text(std::string_view where,
                                                  json::Value const& value) {
  if (!value.is_string()) {
    problem(where, "must be text");
    return std::nullopt;
  }
  auto expanded = expand_variables(json::view(value.as_string()), variables_);
  if (expanded) return *std::move(expanded);
  problem(where, expanded.error().message);
  return std::nullopt;
}

std::optional<std::vector<std::string>> ServersJsonEntry::texts(std::string_view where,
                                                                json::Value const& value) {
  auto const* const array = value.if_array();
  if (array == nullptr) {
    problem(where, "must be an array of texts");
    return std::nullopt;
  }
  auto const before = read_.problems.size();
  std::vector<std::string> all;
  for (std::size_t i = 0; i < array->size(); ++i) {
    if (auto one = text(fmt::format("{}[{}]", where, i), (*array)[i])) {
      all.push_back(*std::move(one));
    }
  }
  if (read_.problems.size() != before) return std::nullopt;
  return all;
}

}  // namespace sallyport::config
