#include "src/config/mcp_server_entry.hpp"

#include "src/base/ascii.hpp"
#include "src/config/item_checks.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::config {
namespace {

constexpr std::size_t kLongestName = 32;

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

bool may_name_a_server(char c) {
  auto const lower = to_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

// The name as a part of a tool's name.
std::string in_tool_names(std::string_view name) {
  std::string part;
  for (char const c : name) {
    auto const lower = to_lower(c);
    bool const kept = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
    if (kept) {
      part += lower;
    } else if (!part.empty() && part.back() != '_') {
      part += '_';
    }
  }
  if (!part.empty() && part.back() == '_') part.pop_back();
  return part;
}

}  // namespace

std::string mcp_server_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || !std::ranges::all_of(name, may_name_a_server)) {
    return fmt::format("must be 1 to {} letters, digits, `_`, `.` or `-`", kLongestName);
  }
  if (in_tool_names(name).empty()) return "must have a letter or a digit";
  return {};
}

Result<url::Url> mcp_server_url(std::string_view text) {
  auto url = url::Url::parse(text);
  if (!url || (url->scheme() != "http" && url->scheme() != "https") || url->has_credentials() ||
      url->fragment()) {
    return wrong("must be an http or https URL without user, password and fragment");
  }
  return url;
}

Result<void> McpServerEntry::add_header(std::string_view name, Secret value) {
  std::string key{http::trimmed(name)};
  if (auto problem = injected_header(key); !problem.empty()) return wrong(std::move(problem));
  bool const twice = std::ranges::any_of(
      headers, [&](auto const& known) { return http::equals_ignoring_case(known.first, key); });
  if (twice) return wrong("is there twice, in another case");
  // SECURITY: what is wrong is said without the value.
  if (value.empty() || !header_value(value.reveal()).empty()) {
    return wrong("the value is empty or cannot stand in a header");
  }
  headers.emplace_back(std::move(key), std::move(value));
  return {};
}

Result<void> McpServerEntry::add_variable(std::string_view name, Secret value) {
  if (name.empty() || name.find_first_of(std::string_view{"=\0", 2}) != std::string_view::npos) {
    return wrong("cannot be the name of a variable");
  }
  if (value.reveal().find('\0') != std::string::npos) return wrong("the value has a NUL character");
  program.env.insert_or_assign(std::string{name}, std::move(value));
  return {};
}

std::optional<McpServerEntry::Misfit> McpServerEntry::misfit() const {
  bool const is_program = !program.command.empty();
  if (!url && !is_program) return Misfit{{}, "needs url, or command"};
  if (url && is_program) return Misfit{"command", "cannot be used together with url"};
  if (is_program) {
    if (!headers.empty()) return Misfit{"headers", "need url, not command"};
    if (private_network) return Misfit{"private_network", "needs url, not command"};
    if (has_oauth) return Misfit{"oauth", "needs url, not command"};
    return std::nullopt;
  }
  if (!program.args.empty()) return Misfit{"args", "need command, not url"};
  if (!program.env.empty()) return Misfit{"env", "needs command, not url"};
  if (!program.cwd.empty()) return Misfit{"cwd", "needs command, not url"};
  // SECURITY: a secret in clear over the open network is everybody's.
  if (!headers.empty() && url->scheme() == "http" && !private_network) {
    return Misfit{"headers", "need an https url, or private_network: true"};
  }
  return std::nullopt;
}

McpServerSettings McpServerEntry::finish() && {
  if (url) {
    settings.oauth.id = settings.server.name;
    settings.oauth.url = url->href();
    settings.server.http = upstream::HttpAddress{
        .url = std::move(*url), .headers = std::move(headers), .private_network = private_network};
  } else {
    settings.server.program = std::move(program);
  }
  return std::move(settings);
}

void add_mcp_server(McpServerSettings server, Origin const& origin, std::string key, Draft& draft) {
  auto& servers = draft.settings.mcp_servers;
  auto const part = in_tool_names(server.server.name);
  auto const same = std::ranges::find_if(servers, [&](McpServerSettings const& known) {
    return in_tool_names(known.server.name) == part;
  });
  if (same != servers.end()) {
    auto const how = same->server.name == server.server.name
                         ? std::string{"is that of another server"}
                         : fmt::format("is too much like {}: both are {} in names of tools",
                                       same->server.name, part);
    draft.problems.push_back({origin, std::move(key), fmt::format("{} ({})", how, same->origin)});
    return;
  }
  servers.push_back(std::move(server));
}

}  // namespace sallyport::config
