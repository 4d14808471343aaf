#include "src/policy/allowlist.hpp"

#include "src/policy/lenient_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

// A fully qualified name may end in a dot; it is the same host.
std::string_view without_root_dot(std::string_view host) noexcept {
  if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool host_holds(std::string_view pattern, url::Url const& url) noexcept {
  if (!url.host()) return false;
  auto const host = without_root_dot(*url.host());
  pattern = without_root_dot(pattern);
  if (!pattern.starts_with("*.")) return http::equals_ignoring_case(pattern, host);
  // SECURITY: an address has no subdomains: "*.1" must not hold 10.0.0.1.
  if (url.address()) return false;
  auto const suffix = pattern.substr(1);
  return host.size() > suffix.size() &&
         http::equals_ignoring_case(host.substr(host.size() - suffix.size()), suffix);
}

// A WebSocket begins as a request over HTTP, and is one to every rule that names schemes.
std::string_view http_scheme(std::string_view scheme) noexcept {
  if (scheme == "ws") return "http";
  return scheme == "wss" ? std::string_view{"https"} : scheme;
}

template <class T, class Matches>
bool any_or_empty(std::vector<T> const& wanted, Matches matches) {
  return wanted.empty() || std::ranges::any_of(wanted, matches);
}

bool among(std::vector<std::string> const& wanted, std::string_view given) {
  return any_or_empty(wanted, [&](std::string const& one) { return one == given; });
}

bool among_ignoring_case(std::vector<std::string> const& wanted, std::string_view given) {
  return any_or_empty(
      wanted, [&](std::string const& one) { return http::equals_ignoring_case(one, given); });
}

bool holds_but_for_path(Reach const& reach, url::Url const& url, std::string_view method) {
  return reach.holds_site(url) && among_ignoring_case(reach.methods, method);
}

bool is_for(AllowlistRule const& rule, Query const& query) {
  return among(rule.operations, query.operation) &&
         among(rule.principals, query.request.principal.id);
}

AllowlistRule const* first_that_denies(std::vector<AllowlistRule> const& rules,
                                       Query const& query) {
  // SECURITY: may_hold, since a path that a rule misses by its spelling would be let through.
  auto const found = std::ranges::find_if(rules, [&](AllowlistRule const& rule) {
    return is_for(rule, query) && rule.reach.may_hold(query.url, query.method);
  });
  return found == rules.end() ? nullptr : &*found;
}

AllowlistRule const* first_that_allows(std::vector<AllowlistRule> const& rules,
                                       Query const& query) {
  auto const found = std::ranges::find_if(rules, [&](AllowlistRule const& rule) {
    if (!is_for(rule, query)) return false;
    // Who may ask a site for some page may ask it whether it wants that.
    if (query.purpose == kRobotsPurpose) return rule.reach.holds_site(query.url);
    return rule.reach.holds(query.url, query.method);
  });
  return found == rules.end() ? nullptr : &*found;
}

std::string called(std::vector<AllowlistRule> const& rules, AllowlistRule const& rule,
                   std::string_view list) {
  if (!rule.name.empty()) return fmt::format("rule \"{}\" of {}", rule.name, list);
  return fmt::format("rule {} of {}", &rule - rules.data() + 1, list);
}

// What was asked, without its path and query: those may carry what must not stand in a log. Who
// shows the reason has the URL beside it, masked.
std::string asked(Query const& query) {
  return fmt::format("{} {}", query.method, query.url.origin());
}

}  // namespace

bool Reach::holds_site(url::Url const& url) const {
  auto const is_host = [&](std::string const& pattern) { return host_holds(pattern, url); };
  auto const is_port = [&](std::uint16_t port) { return port == url.effective_port(); };
  return any_or_empty(hosts, is_host) && among_ignoring_case(schemes, http_scheme(url.scheme())) &&
         any_or_empty(ports, is_port);
}

bool Reach::holds(url::Url const& url, std::string_view method) const {
  return holds_but_for_path(*this, url, method) &&
         any_or_empty(path_prefixes, [&](std::string const& prefix) {
           return url::path_has_prefix(url.path(), prefix);
         });
}

bool Reach::may_hold(url::Url const& url, std::string_view method) const {
  return holds_but_for_path(*this, url, method) &&
         any_or_empty(path_prefixes, [&](std::string const& prefix) {
           return path_may_have_prefix(url.path(), prefix);
         });
}

Task<Decision> Allowlist::decide(Query const& query) {
  if (auto const* const rule = first_that_denies(options_.deny, query)) {
    co_return Decision{.allowed = false, .reasons = {called(options_.deny, *rule, "egress.deny")}};
  }
  if (options_.allow.empty()) {
    co_return Decision{.allowed = true, .reasons = {"no rule of egress.allow is set"}};
  }
  if (query.named_by_settings) {
    co_return Decision{.allowed = true, .reasons = {"the URL stands in the settings"}};
  }
  if (auto const* const rule = first_that_allows(options_.allow, query)) {
    co_return Decision{.allowed = true, .reasons = {called(options_.allow, *rule, "egress.allow")}};
  }
  co_return Decision{.allowed = false,
                     .reasons = {fmt::format("no rule of egress.allow holds {}", asked(query))}};
}

}  // namespace sallyport::policy
