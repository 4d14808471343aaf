#include "src/egress/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace sallyport::egress {
namespace {

using Name = std::string_view;

// The hosts files of the usual systems.
constexpr auto kThisMachine = std::to_array<Name>(
    {"localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
     "localhost6.localdomain6", "ip6-localhost", "ip6-loopback", "loopback", "broadcasthost"});

// Those of cloud metadata services that do not end in a suffix below or that should be called so.
constexpr auto kMetadataNames = std::to_array<Name>(
    {"metadata", "metadata.internal", "metadata.google.internal", "metadata.goog",
     "metadata.azure.internal", "metadata.tencentyun.com", "metadata.packet.net",
     "metadata.platformequinix.com", "api.metadata.cloud.ibm.com", "instance-data",
     "instance-data.ec2.internal", "rancher-metadata"});

// Special-use domains (RFC 6761 and its registry), the names that RFC 6762 (appendix G) and ICANN
// keep out of the public tree because networks use them inside, and those of container networks.
constexpr auto kInside = std::to_array<Name>(
    {"localhost", "localdomain", "localdomain4", "localdomain6", "local",  "internal",
     "intranet",  "private",     "corp",         "home",         "lan",    "mail",
     "home.arpa", "svc",         "cluster",      "docker",       "consul", "test",
     "invalid",   "onion",       "alt",          "workgroup"});

template <std::size_t count>
bool is_one_of(std::array<Name, count> const& names, std::string_view host) {
  return std::ranges::find(names, host) != names.end();
}

bool ends_in(std::string_view host, std::string_view suffix) {
  return host == suffix || (host.size() > suffix.size() && host.ends_with(suffix) &&
                            host[host.size() - suffix.size() - 1] == '.');
}

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

std::string_view without_last_dot(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool is_dns_name(std::string_view host) noexcept {
  constexpr std::size_t kLongestName = 253;
  constexpr std::size_t kLongestLabel = 63;
  if (host.size() > kLongestName) return false;
  while (true) {
    auto const label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > kLongestLabel) return false;
    if (!std::ranges::all_of(label, is_label_character)) return false;
    if (label.size() == host.size()) return true;
    host.remove_prefix(label.size() + 1);
  }
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  unsigned port = 0;
  if (text.size() > 5) return std::nullopt;
  for (char const c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = port * 10 + static_cast<unsigned>(c - '0');
  }
  if (port == 0 || port > 0xFFFF) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

std::optional<ClosedName> find_closed_name(std::string_view host) {
  if (is_one_of(kMetadataNames, host)) {
    return ClosedName{.why = "is a cloud's metadata service", .metadata = true};
  }
  if (is_one_of(kThisMachine, host) || ends_in(host, "localhost")) {
    return ClosedName{.why = "is a name of the machine itself"};
  }
  for (auto const suffix : kInside) {
    if (ends_in(host, suffix)) {
      return ClosedName{
          .why = fmt::format("is not a public name: .{} is for use inside networks", suffix)};
    }
  }
  if (host.find('.') == std::string_view::npos) {
    return ClosedName{.why = "is not a public name: it has one part only"};
  }
  return std::nullopt;
}

bool matches_host(std::string_view pattern, std::string_view host) noexcept {
  if (!pattern.starts_with("*.")) return pattern == host;
  auto const suffix = pattern.substr(1);
  return host.size() > suffix.size() && host.ends_with(suffix);
}

}  // namespace sallyport::egress
