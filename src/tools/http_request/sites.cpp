#include "src/tools/http_request/sites.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::tools {
namespace {

// The path of the base without a slash at its end, so that a path that starts with one can follow.
std::string_view base_path(url::Url const& base) {
  std::string_view path = base.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// A rule of a backend reaches the backend and nothing else, whatever it says.
std::vector<credentials::Rule> confined(Backend const& backend) {
  auto rules = backend.credentials;
  for (auto& rule : rules) {
    rule.reach = {.hosts = {backend.base.host().value_or("")},
                  .methods = std::move(rule.reach.methods),
                  .schemes = {backend.base.scheme()},
                  .ports = {backend.base.effective_port()},
                  .path_prefixes = {std::string{base_path(backend.base)} + "/"}};
    if (rule.reach.path_prefixes.front() != "/") rule.reach.path_prefixes.front().pop_back();
  }
  return rules;
}

pipeline::LimiterOptions rate_only(pipeline::Rate rate) {
  return {.concurrent = 0,
          .concurrent_per_principal = 0,
          .concurrent_per_host = 0,
          .per_principal = rate};
}

Backend for_absolute(url::Url const& url) {
  return {.name = url.href(), .base = url};
}

// What the URL parser takes off before it starts to read.
std::string as_read(std::string_view text) {
  auto const outer = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && outer(text.front())) text.remove_prefix(1);
  while (!text.empty() && outer(text.back())) text.remove_suffix(1);
  std::string result{text};
  std::erase_if(result, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return result;
}

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const escape = text[at] == '%' && at + 2 < text.size() &&
                        http::hex_value(text[at + 1]) >= 0 && http::hex_value(text[at + 2]) >= 0;
    out +=
        escape
            ? static_cast<char>(http::hex_value(text[at + 1]) * 16 + http::hex_value(text[at + 2]))
            : text[at];
    if (escape) at += 2;
  }
  return out;
}

bool has_dot_segment(std::string_view path) {
  for (std::size_t start = 0; start <= path.size();) {
    auto const end = std::min(path.find_first_of("/\\", start), path.size());
    // Some servers take off what follows a semicolon first.
    auto const segment = path.substr(start, end - start);
    auto const name = segment.substr(0, segment.find(';'));
    if (name == "." || name == "..") return true;
    start = end + 1;
  }
  return false;
}

// SECURITY: "..%2fadmin" is one segment to us; a server that decodes before it resolves would
// climb out of the base, or out of an allowed prefix.
bool may_climb(std::string path) {
  constexpr int kDeepestEncoding = 3;
  for (int i = 0; i < kDeepestEncoding; ++i) {
    if (has_dot_segment(path)) return true;
    path = percent_decoded(path);
  }
  return has_dot_segment(path);
}

bool names_a_host(std::string_view text) {
  return text.size() >= 2 && is_slash(text[0]) && is_slash(text[1]);
}

std::string joined(url::Url const& base, std::string_view text) {
  auto url = base.origin() + std::string{base_path(base)};
  bool const starts_path = !text.empty() && text[0] != '?' && text[0] != '#';
  if (starts_path && !is_slash(text[0])) url += '/';
  url += text;
  return url;
}

Error outside(std::string_view what) {
  return fail(Errc::PolicyDenied,
              fmt::format("{} Apps reach the paths of the configured backends only.", what));
}

}  // namespace

Site::Site(Backend from, bool is_a_backend)
    : backend{std::move(from)},
      is_backend{is_a_backend},
      injector{confined(backend)},
      limiter{rate_only(backend.rate)} {}

bool Site::holds(url::Url const& url) const {
  auto const base = base_path(backend.base);
  return url::same_origin(url, backend.base) && !url.has_credentials() && !may_climb(url.path()) &&
         (base.empty() || url::path_has_prefix(url.path(), base));
}

bool Site::allows_path(url::Url const& url) const {
  auto const below = std::string_view{url.path()}.substr(base_path(backend.base).size());
  return std::ranges::any_of(backend.paths, [&](std::string const& prefix) {
    return prefix == "/" || url::path_has_prefix(below, prefix);
  });
}

Sites::Sites(HttpRequestOptions const& options) {
  for (auto const& backend : options.backends) sites_.emplace_back(backend, true);
  for (auto const& url : options.absolute) sites_.emplace_back(for_absolute(url), false);
}

Result<Site*> Sites::named(std::string_view backend) {
  auto const found = std::ranges::find_if(sites_, [&](Site const& site) {
    return site.is_backend && (backend.empty() || site.backend.name == backend);
  });
  if (found != sites_.end()) return &*found;
  if (backend.empty()) {
    return fail(Errc::NotFound, "There is no backend: the operator has configured none.");
  }
  return fail(Errc::NotFound, fmt::format("There is no backend \"{}\".", backend));
}

bool Sites::allows(url::Url const& url) const {
  return std::ranges::any_of(
      sites_, [&](Site const& site) { return site.holds(url) && site.allows_path(url); });
}

Result<Target> Sites::resolve(std::string_view url, std::string_view backend) {
  auto const text = as_read(url);
  if (auto absolute = url::Url::parse(text)) return resolve_absolute(*absolute, backend);
  if (names_a_host(text)) {
    return outside("The URL names a host of its own.");
  }
  SP_TRY(auto* site, named(backend));
  return resolve_relative(text, *site);
}

std::string Sites::meant(std::string_view url, std::string_view backend) {
  auto const text = as_read(url);
  auto const site = named(backend);
  if (!site || url::Url::parse(text)) return text;
  auto const& base = (*site)->backend.base;
  auto const parsed = url::Url::parse(names_a_host(text) ? text : joined(base, text), &base);
  return parsed ? parsed->href() : text;
}

Result<Target> Sites::resolve_relative(std::string_view text, Site& site) const {
  SP_TRY(auto url, url::Url::parse(joined(site.backend.base, text)));
  if (!site.holds(url)) {
    return outside(fmt::format("The URL leads out of the backend \"{}\".", site.backend.name));
  }
  if (!site.allows_path(url)) {
    return outside(fmt::format("The backend \"{}\" does not offer this path.", site.backend.name));
  }
  return Target{&site, url.without_fragment(), true};
}

Result<Target> Sites::resolve_absolute(url::Url url, std::string_view backend) {
  if (url.has_credentials()) {
    return fail(Errc::InvalidInput, "A URL must not carry a user name or password.");
  }
  for (auto& site : sites_) {
    if (!backend.empty() && (!site.is_backend || site.backend.name != backend)) continue;
    if (site.holds(url) && site.allows_path(url)) {
      return Target{&site, url.without_fragment(), false};
    }
  }
  if (!backend.empty()) SP_CHECK(named(backend));
  return outside(fmt::format("{} is not among the URLs that apps may reach.", url.origin()));
}

std::string seen_by_app(url::Url const& url, Target const& target) {
  auto const& base = target.site->backend.base;
  if (!target.relative || !target.site->holds(url)) return url.without_fragment().href();
  auto below = url.target().substr(base_path(base).size());
  return below.starts_with('/') ? below : "/" + below;
}

}  // namespace sallyport::tools
