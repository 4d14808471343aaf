#include "src/transport/origin_guard.hpp"

#include "src/transport/plain_response.hpp"

#include <algorithm>
#include <string_view>

namespace sallyport::transport {
namespace {

// `example.org:8080` and `[::1]:8080` without the port.
std::string_view without_port(std::string_view host) {
  auto const bracket = host.rfind(']');
  auto const colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  if (bracket != std::string_view::npos && colon < bracket) return host;
  return host.substr(0, colon);
}

bool names_this_machine(std::string_view host) {
  return http::equals_ignoring_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

bool contains(std::vector<std::string> const& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](std::string const& each) { return http::equals_ignoring_case(each, name); });
}

}  // namespace

bool OriginGuard::is_allowed_host(std::string const& host) const {
  auto const name = without_port(host);
  if (contains(options_.allowed_hosts, name)) return true;
  if (options_.loopback) return names_this_machine(name);
  return options_.allowed_hosts.empty() || names_this_machine(name);
}

bool OriginGuard::is_allowed_origin(http::ServerRequest const& request) const {
  auto const* origin = request.headers.find("Origin");
  if (origin == nullptr) return true;
  if (contains(options_.allowed_origins, *origin)) return true;
  // A page of our own: its origin names the host that the request went to.
  auto const* host = request.headers.find("Host");
  auto const own = (request.secure ? "https://" : "http://") + (host == nullptr ? "" : *host);
  return http::equals_ignoring_case(*origin, own);
}

std::optional<http::Response> OriginGuard::check(http::ServerRequest const& request) const {
  auto const* host = request.headers.find("Host");
  if (host != nullptr && !is_allowed_host(*host)) {
    return error_response(403,
                          "The Host header does not name this server. "
                          "Add it to listen.allowed_hosts if it should.");
  }
  if (!is_allowed_origin(request)) {
    return error_response(
        403, "Pages of this origin may not call the server. Add it to listen.allowed_origins.");
  }
  return std::nullopt;
}

}  // namespace sallyport::transport
