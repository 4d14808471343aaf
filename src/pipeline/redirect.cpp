#include "src/pipeline/redirect.hpp"

#include "src/http/chars.hpp"
#include "src/pipeline/caller_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::pipeline {
namespace {

Error bad_location(Hop const& hop, std::string_view why) {
  return fail(Errc::UpstreamFailed,
              fmt::format("{} answered with a redirect that cannot be followed: {}.",
                          hop.url.origin(), why));
}

// Nullptr: there is none.
Result<std::string const*> location_of(Hop const& hop, http::Headers const& answer) {
  auto const* const location = answer.find("Location");
  if (location == nullptr) return location;
  for (auto const& [name, value] : answer) {
    if (http::equals_ignoring_case(name, "Location") && value != *location) {
      return bad_location(hop, "it has several different Location headers");
    }
  }
  // SECURITY: the URL parser takes tabs and line breaks out, so that what others saw of this value
  // would not be what is asked.
  auto const is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  if (std::ranges::any_of(*location, is_control)) {
    return bad_location(hop, "its Location header has control characters");
  }
  return location;
}

Result<url::Url> target_of(Hop const& hop, std::string const& location) {
  auto target = url::Url::parse(location, &hop.url);
  if (!target) return bad_location(hop, "its Location header is not a valid URL");
  if (target->fragment() || !hop.url.fragment()) return target;
  return url::Url::parse(fmt::format("{}#{}", target->href(), *hop.url.fragment()));
}

Result<void> check_scheme(url::Url const& from, url::Url const& to) {
  if (to.scheme() != "http" && to.scheme() != "https") {
    return fail(Errc::EgressBlocked,
                fmt::format("{} redirects to a URL of the scheme \"{}\"; only http and https are "
                            "followed.",
                            from.origin(), to.scheme()));
  }
  if (from.scheme() == "https" && to.scheme() == "http") {
    return fail(Errc::EgressBlocked,
                fmt::format("{} redirects from https to {}, which anyone on the way can read and "
                            "change. Ask for that URL itself if this is acceptable.",
                            from.origin(), to.origin()));
  }
  return {};
}

bool becomes_get(int status, std::string_view method) noexcept {
  if (status == 303) return method != "GET" && method != "HEAD";
  return (status == 301 || status == 302) && method == "POST";
}

template <class Stays>
http::Headers filtered(http::Headers const& headers, Stays stays) {
  http::Headers kept;
  for (auto const& [name, value] : headers) {
    if (stays(name)) kept.add(name, value);
  }
  return kept;
}

void drop_body(Hop& hop) {
  constexpr std::string_view kAboutTheBody = "content-";
  hop.method = "GET";
  hop.body.clear();
  hop.headers = filtered(hop.headers, [&](std::string_view name) {
    return !http::equals_ignoring_case(name.substr(0, kAboutTheBody.size()), kAboutTheBody);
  });
}

}  // namespace

bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<std::optional<Hop>> next_hop(Hop previous, int status, http::Headers const& answer) {
  if (!is_redirect(status)) return std::optional<Hop>{};
  SP_TRY(auto const* const location, location_of(previous, answer));
  if (location == nullptr) return std::optional<Hop>{};
  SP_TRY(auto target, target_of(previous, *location));
  SP_CHECK(check_scheme(previous.url, target));

  auto next = std::move(previous);
  if (becomes_get(status, next.method)) drop_body(next);
  // SECURITY: what the caller said to one site is not for another.
  if (!url::same_origin(next.url, target)) {
    next.headers = filtered(next.headers, &survives_cross_origin);
  }
  next.url = std::move(target);
  return std::optional<Hop>{std::move(next)};
}

}  // namespace sallyport::pipeline
