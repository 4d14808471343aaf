#include "src/http/cookie_jar.hpp"

#include "src/http/message.hpp"
#include "src/http/public_suffix.hpp"

#include <algorithm>
#include <tuple>

namespace sallyport::http {
namespace {

bool domain_matches(std::string_view host, bool is_address, std::string_view domain) {
  if (host == domain) return true;
  return !is_address && host.size() > domain.size() && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.';
}

bool path_matches(std::string_view path, std::string_view cookie_path) {
  if (!path.starts_with(cookie_path)) return false;
  return path.size() == cookie_path.size() || cookie_path.ends_with('/') ||
         path[cookie_path.size()] == '/';
}

// The folder of the request's path.
std::string default_path(std::string_view path) {
  auto const slash = path.rfind('/');
  if (!path.starts_with('/') || slash == 0) return "/";
  return std::string{path.substr(0, slash)};
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// SECURITY: names that promise something about who set them (section 4.1.3).
bool keeps_its_promise(SetCookie const& cookie, bool host_only) {
  auto const& promise = cookie.name.empty() ? cookie.value : cookie.name;
  bool const host = has_prefix(promise, "__Host-");
  if (!host && !has_prefix(promise, "__Secure-")) return true;
  // Sent without its name, the value would look like a name with the prefix.
  if (cookie.name.empty() || !cookie.secure) return false;
  return !host || (host_only && cookie.path == "/");
}

// Whose cookie it is. False: the sender may not set it for that domain.
bool settle_domain(SetCookie& cookie, bool& host_only, CookiePlace const& from) {
  auto const is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(cookie.domain, is_ascii)) return false;
  // SECURITY: a cookie for all of co.uk would reach everybody's servers.
  if (!cookie.domain.empty() && is_public_suffix(cookie.domain)) {
    if (cookie.domain != from.host) return false;
    cookie.domain.clear();
  }
  host_only = cookie.domain.empty();
  if (host_only) {
    cookie.domain = from.host;
    return true;
  }
  return domain_matches(from.host, from.is_address, cookie.domain);
}

bool is_same(SetCookie const& left, bool left_host_only, SetCookie const& right,
             bool right_host_only) {
  return left_host_only == right_host_only && left.name == right.name &&
         left.domain == right.domain && left.path == right.path;
}

}  // namespace

bool CookieJar::reaches(Kept const& kept, CookiePlace const& place) {
  auto const& cookie = kept.cookie;
  bool const of_host = kept.host_only ? cookie.domain == place.host
                                      : domain_matches(place.host, place.is_address, cookie.domain);
  return of_host && path_matches(place.path, *cookie.path) && (place.secure || !cookie.secure);
}

// SECURITY: what came in clear must not take the place of a cookie that only goes encrypted.
bool CookieJar::would_hide_secure(Kept const& kept, CookiePlace const& from) const {
  if (from.secure) return false;
  return std::ranges::any_of(cookies_, [&](Kept const& other) {
    auto const& [old, young] = std::tie(other.cookie, kept.cookie);
    return old.secure && old.name == young.name &&
           (domain_matches(old.domain, false, young.domain) ||
            domain_matches(young.domain, false, old.domain)) &&
           path_matches(*young.path, *old.path);
  });
}

bool CookieJar::store(std::string_view set_cookie, CookiePlace const& from, WallTime now) {
  auto parsed = parse_set_cookie(set_cookie, now);
  if (!parsed) return false;
  Kept kept{std::move(*parsed)};
  auto& cookie = kept.cookie;
  if (!settle_domain(cookie, kept.host_only, from)) return false;
  if (!keeps_its_promise(cookie, kept.host_only)) return false;
  if (!cookie.path) cookie.path = default_path(from.path);
  if ((cookie.secure && !from.secure) || would_hide_secure(kept, from)) return false;
  kept.created = kept.used = ++clock_;
  auto const old = std::ranges::find_if(cookies_, [&](Kept const& other) {
    return is_same(other.cookie, other.host_only, cookie, kept.host_only);
  });
  if (old != cookies_.end()) {
    kept.created = old->created;
    cookies_.erase(old);
  }
  drop_expired(now);
  if (cookie.expires && *cookie.expires <= now) return true;
  auto const domain = cookie.domain;
  cookies_.push_back(std::move(kept));
  keep_within_limits(domain);
  return true;
}

std::string CookieJar::header_for(CookiePlace const& place, WallTime now) {
  drop_expired(now);
  std::vector<Kept*> chosen;
  for (auto& kept : cookies_) {
    if (reaches(kept, place)) chosen.push_back(&kept);
  }
  std::ranges::sort(chosen, [](Kept const* left, Kept const* right) {
    auto const left_path = left->cookie.path->size();
    auto const right_path = right->cookie.path->size();
    return left_path != right_path ? left_path > right_path : left->created < right->created;
  });
  ++clock_;
  std::string header;
  for (auto* kept : chosen) {
    kept->used = clock_;
    if (!header.empty()) header += "; ";
    if (!kept->cookie.name.empty()) header += kept->cookie.name + "=";
    header += kept->cookie.value;
  }
  return header;
}

void CookieJar::drop_expired(WallTime now) {
  std::erase_if(cookies_, [&](Kept const& kept) {
    return kept.cookie.expires && *kept.cookie.expires <= now;
  });
}

// The one that was used longest ago; those that may go in clear before those that may not.
template <class Among>
void CookieJar::evict_one(Among among) {
  auto victim = cookies_.end();
  for (auto each = cookies_.begin(); each != cookies_.end(); ++each) {
    if (!among(*each)) continue;
    auto const rank = [](Kept const& kept) {
      return std::tuple{kept.cookie.secure, kept.used, kept.created};
    };
    if (victim == cookies_.end() || rank(*each) < rank(*victim)) victim = each;
  }
  if (victim != cookies_.end()) cookies_.erase(victim);
}

void CookieJar::keep_within_limits(std::string_view domain) {
  auto const of_domain = [&](Kept const& kept) { return kept.cookie.domain == domain; };
  auto const count = static_cast<std::size_t>(std::ranges::count_if(cookies_, of_domain));
  if (count > limits_.per_domain) evict_one(of_domain);
  if (cookies_.size() > limits_.total) evict_one([](Kept const&) { return true; });
}

}  // namespace sallyport::http
