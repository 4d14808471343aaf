// What an operator writes in egress.open.
#include "src/egress/guard.hpp"
#include "src/egress/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::egress {
namespace {

Error no_opening(std::string_view text) {
  return fail(Errc::InvalidInput,
              fmt::format("\"{}\" opens nothing: write a host (\"db.corp.example\", "
                          "\"*.corp.example\"), an address or a range (\"10.1.0.0/16\", "
                          "\"[::1]\"), with a port if you like (\"127.0.0.1:8080\").",
                          text));
}

// Host or range, and what stands behind its colon.
struct Parts {
  std::string_view target;
  std::optional<std::string_view> port;
};

std::optional<Parts> split(std::string_view text) {
  if (!text.starts_with('[')) {
    auto const colon = text.find(':');
    if (colon == std::string_view::npos) return Parts{text, std::nullopt};
    return Parts{text.substr(0, colon), text.substr(colon + 1)};
  }
  auto const bracket = text.find(']');
  if (bracket == std::string_view::npos) return std::nullopt;
  Parts parts{text.substr(1, bracket - 1), std::nullopt};
  auto const rest = text.substr(bracket + 1);
  if (rest.starts_with(':')) parts.port = rest.substr(1);
  if (!rest.empty() && !parts.port) return std::nullopt;
  return parts;
}

// The URL parser reads a name whose last part is a number as an address, so no URL has such a host.
bool ends_in_number(std::string_view host) {
  auto const last = host.substr(host.rfind('.') + 1);
  return last.starts_with("0x") ||
         std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::string> read_host(std::string_view text) {
  auto const wildcard = text.starts_with("*.");
  auto const name = url::domain_to_ascii(without_last_dot(wildcard ? text.substr(2) : text));
  if (!name || !is_dns_name(*name) || ends_in_number(*name)) return std::nullopt;
  return wildcard ? "*." + *name : *name;
}

}  // namespace

Opening Opening::to(url::Url const& place) {
  Opening opening{.port = place.effective_port()};
  if (auto const& address = place.address()) {
    if (auto range = url::Cidr::parse(address->to_string())) opening.range = *range;
  } else {
    opening.host = place.host().value_or("");
  }
  return opening;
}

Result<Opening> Opening::parse(std::string_view text) {
  // Before anything is split at a colon: an IPv6 address is full of them.
  if (auto const range = url::Cidr::parse(text)) return Opening{.host = {}, .range = *range};
  auto const parts = split(text);
  if (!parts) return no_opening(text);
  Opening opening;
  if (parts->port) {
    opening.port = parse_port(*parts->port);
    if (!opening.port) return no_opening(text);
  }
  if (text.starts_with('[') || parts->target.find('/') != std::string_view::npos) {
    SP_TRY(opening.range, url::Cidr::parse(parts->target));
    return opening;
  }
  if (auto const range = url::Cidr::parse(parts->target)) {
    opening.range = *range;
    return opening;
  }
  auto host = read_host(parts->target);
  if (!host) return no_opening(text);
  opening.host = std::move(*host);
  return opening;
}

}  // namespace sallyport::egress
