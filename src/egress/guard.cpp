#include "src/egress/guard.hpp"

#include "src/egress/address_ranges.hpp"
#include "src/egress/host_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::egress {
namespace {

Error blocked(std::string message, std::string detail = {}) {
  return fail(Errc::EgressBlocked, std::move(message), std::move(detail));
}

// Empty where the URL names an address. Refers into `url`.
std::string_view name_in(url::Url const& url) {
  auto const& host = url.host();
  return host && !url.address() ? without_last_dot(*host) : std::string_view{};
}

std::string_view how_to_open(Opens opens, bool is_name) {
  if (opens == Opens::Never) return "";
  if (is_name && opens != Opens::ByHost) return " An operator can open its address in egress.open.";
  return " An operator can open it in egress.open.";
}

// `host` is empty where the URL names the address itself.
Error address_refused(std::string_view host, url::IpAddress const& address, Closed const& closed) {
  auto const how = how_to_open(closed.opens, !host.empty());
  auto detail = fmt::format("{} {}", address.to_string(), closed.why());
  if (host.empty()) return blocked(fmt::format("{}.{}", detail, how), detail);
  // The peer learns what kind of address the name has, not which one.
  auto message =
      fmt::format("{} is refused: one of its addresses {} {} ({}).{}", host,
                  closed.carried ? "carries" : "is", closed.range.what, closed.range.text, how);
  return blocked(std::move(message), std::move(detail));
}

// The operator has opened the place and wonders why it is closed.
Error open_but_for_port(std::string_view place, std::uint16_t port) {
  return blocked(
      fmt::format("{0} is open in egress.open, but not for port {1}. An operator can add {1} to "
                  "egress.ports, or write the port with the entry in egress.open (\"…:{1}\").",
                  place, port));
}

Result<void> check_scheme(url::Url const& url, bool websockets) {
  auto const& scheme = url.scheme();
  if (scheme == "http" || scheme == "https") return {};
  if (websockets && (scheme == "ws" || scheme == "wss")) return {};
  return blocked(fmt::format("URLs with the scheme \"{}\" are not fetched: use http or https.",
                             scheme.substr(0, 32)));
}

// Families take turns, the one that came first begins: a family without a route costs one attempt.
std::vector<url::IpAddress> in_turns(std::vector<url::IpAddress> addresses) {
  if (addresses.size() < 3) return addresses;
  auto const first_family = addresses.front().is_v4();
  std::vector<url::IpAddress> turns;
  turns.reserve(addresses.size());
  auto const next_of = [&](std::size_t from, bool family) {
    while (from < addresses.size() && addresses[from].is_v4() != family) ++from;
    return from;
  };
  auto first = next_of(0, first_family);
  auto second = next_of(0, !first_family);
  while (turns.size() < addresses.size()) {
    if (first < addresses.size()) {
      turns.push_back(addresses[first]);
      first = next_of(first + 1, first_family);
    }
    if (second < addresses.size()) {
      turns.push_back(addresses[second]);
      second = next_of(second + 1, !first_family);
    }
  }
  return turns;
}

}  // namespace

bool JudgedAddresses::contains(url::IpAddress const& address, std::uint16_t port) const noexcept {
  return port == port_ && std::ranges::find(addresses_, address) != addresses_.end();
}

Guard::Guard(GuardOptions options) : options_{std::move(options)} {}

Guard Guard::with_openings(std::span<Opening const> openings) const {
  auto options = options_;
  options.open.insert(options.open.end(), openings.begin(), openings.end());
  return Guard{std::move(options)};
}

bool Guard::is_listed(std::uint16_t port) const noexcept {
  return std::ranges::find(options_.ports, port) != options_.ports.end();
}

bool Guard::covers(Opening const& opening, std::optional<std::uint16_t> port) const noexcept {
  if (!port) return !opening.port;
  return opening.port ? opening.port == port : is_listed(*port);
}

bool Guard::is_open(url::IpAddress const& address, std::optional<std::uint16_t> port,
                    bool exactly) const {
  return std::ranges::any_of(options_.open, [&](Opening const& opening) {
    if (!opening.range || !opening.range->contains(address)) return false;
    if (!covers(opening, port)) return false;
    auto const whole = fmt::format("{}/{}", address.to_string(), address.is_v4() ? 32 : 128);
    return !exactly || opening.range->to_string() == whole;
  });
}

bool Guard::is_open(std::string_view host, std::optional<std::uint16_t> port,
                    bool exactly) const noexcept {
  return std::ranges::any_of(options_.open, [&](Opening const& opening) {
    return !opening.range && covers(opening, port) &&
           (exactly ? opening.host == host : matches_host(opening.host, host));
  });
}

Error Guard::port_refused(std::uint16_t port) const {
  return blocked(
      fmt::format("Port {} is not allowed; these are: {}. An operator can add it to "
                  "egress.ports.",
                  port, fmt::join(options_.ports, ", ")));
}

Result<void> Guard::check_name(std::string_view host, std::uint16_t port) const {
  if (!is_dns_name(host)) {
    return blocked(
        "The host is not a name that DNS could know: parts of 1 to 63 letters, digits "
        "and hyphens with dots between them, 253 characters in all.");
  }
  auto const closed = find_closed_name(host);
  if (closed && !is_open(host, port, closed->metadata)) {
    if (is_open(host, std::nullopt, closed->metadata)) return open_but_for_port(host, port);
    return blocked(
        fmt::format("{} {}. An operator can open it in egress.open.", host, closed->why));
  }
  // An opened range may open a port with it; whether the name leads there is not known yet.
  auto const opens_port = [&](Opening const& opening) {
    return opening.port == port && (opening.range || matches_host(opening.host, host));
  };
  if (is_listed(port) || std::ranges::any_of(options_.open, opens_port)) return {};
  return port_refused(port);
}

Result<void> Guard::check_address(url::Url const& url, url::IpAddress const& address) const {
  auto const port = url.effective_port();
  auto const host = name_in(url);
  auto const host_open = !host.empty() && is_open(host, port, false);
  auto const closed = find_closed(address);
  if (closed && !(closed->opens == Opens::ByHost && host_open)) {
    auto const exactly = closed->opens == Opens::ByAddress;
    auto const may_open = closed->opens != Opens::Never;
    if (!may_open || !is_open(address, port, exactly)) {
      bool const open_elsewhere =
          (may_open && is_open(address, std::nullopt, exactly)) ||
          (closed->opens == Opens::ByHost && !host.empty() && is_open(host, std::nullopt, false));
      if (!open_elsewhere) return address_refused(host, address, *closed);
      return open_but_for_port(host.empty() ? address.to_string() : std::string{host}, port);
    }
  }
  if (is_listed(port) || host_open || is_open(address, port, false)) return {};
  return port_refused(port);
}

Result<void> Guard::check_url(url::Url const& url) const {
  SP_CHECK(check_scheme(url, options_.websockets));
  if (url.has_credentials()) {
    return blocked("The URL holds a user name or password: credentials do not belong in URLs.");
  }
  auto const& host = url.host();
  if (!host || host->empty()) return blocked("The URL has no host.");
  if (url.effective_port() == 0) return blocked("Port 0 is not a port that can be reached.");
  auto const& address = url.address();
  if (address) return check_address(url, *address);
  return check_name(name_in(url), url.effective_port());
}

Result<JudgedAddresses> Guard::judge(url::Url const& url,
                                     std::span<url::IpAddress const> addresses) const {
  SP_CHECK(check_url(url));
  auto const& own = url.address();
  if (own) return JudgedAddresses{{*own}, url.effective_port()};
  std::vector<url::IpAddress> judged;
  judged.reserve(addresses.size());
  // SECURITY: one bad address refuses the name. Dialling the good ones would let a name mix both
  // and wait for a retry.
  for (auto const& address : addresses) {
    SP_CHECK(check_address(url, address));
    if (std::ranges::find(judged, address) == judged.end()) judged.push_back(address);
  }
  if (judged.empty()) return blocked(fmt::format("{} has no address.", name_in(url)));
  return JudgedAddresses{in_turns(std::move(judged)), url.effective_port()};
}

std::optional<std::string> why_not_public(url::IpAddress const& address) {
  auto const closed = find_closed(address);
  return closed ? std::optional{closed->why()} : std::nullopt;
}

}  // namespace sallyport::egress
