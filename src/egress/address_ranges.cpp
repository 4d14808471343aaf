#include "src/egress/address_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace sallyport::egress {
namespace {

struct Bits {
  std::uint64_t high{0};
  std::uint64_t low{0};
};

// IPv4 ranges use the upper 32 bits of `high`.
struct Entry {
  Bits base;
  unsigned prefix;
  AddressRange range;

  constexpr bool contains(Bits bits) const noexcept {
    if (prefix <= 64) return prefix == 0 || ((bits.high ^ base.high) >> (64 - prefix)) == 0;
    return bits.high == base.high && ((bits.low ^ base.low) >> (128 - prefix)) == 0;
  }
};

constexpr Bits v4(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) {
  return {(a << 56U) | (b << 48U) | (c << 40U) | (d << 32U), 0};
}

constexpr std::string_view kMetadata = "a cloud's metadata service";

// https://www.iana.org/assignments/iana-ipv4-special-registry: what is not globally reachable, and
// the anycast ranges of protocols that are no web servers. Cloud metadata first: the first match
// counts.
constexpr auto kV4 = std::to_array<Entry>({
    {v4(169, 254, 169, 254), 32, {kMetadata, "169.254.169.254", Opens::ByAddress}},
    {v4(169, 254, 170, 0), 23, {kMetadata, "169.254.170.0/23", Opens::ByAddress}},
    {v4(169, 254, 0, 23), 32, {kMetadata, "169.254.0.23", Opens::ByAddress}},
    {v4(169, 254, 42, 42), 32, {kMetadata, "169.254.42.42", Opens::ByAddress}},
    {v4(168, 63, 129, 16), 32, {kMetadata, "168.63.129.16", Opens::ByAddress}},
    {v4(100, 100, 100, 200), 32, {kMetadata, "100.100.100.200", Opens::ByAddress}},
    {v4(100, 96, 0, 96), 32, {kMetadata, "100.96.0.96", Opens::ByAddress}},
    {v4(192, 0, 0, 192), 32, {kMetadata, "192.0.0.192", Opens::ByAddress}},
    {v4(0), 8, {"an address of \"this network\"", "0.0.0.0/8", Opens::Never}},
    {v4(10), 8, {"a private address", "10.0.0.0/8", Opens::ByHost}},
    {v4(100, 64), 10, {"a carrier's shared address", "100.64.0.0/10", Opens::ByHost}},
    {v4(127), 8, {"a loopback address", "127.0.0.0/8", Opens::ByHost}},
    {v4(169, 254), 16, {"a link-local address", "169.254.0.0/16", Opens::ByRange}},
    {v4(172, 16), 12, {"a private address", "172.16.0.0/12", Opens::ByHost}},
    {v4(192, 0, 0), 24, {"an address for IETF protocols", "192.0.0.0/24", Opens::ByRange}},
    {v4(192, 0, 2), 24, {"a documentation address", "192.0.2.0/24", Opens::ByHost}},
    {v4(192, 88, 99), 24, {"a 6to4 relay address", "192.88.99.0/24", Opens::ByRange}},
    {v4(192, 168), 16, {"a private address", "192.168.0.0/16", Opens::ByHost}},
    {v4(198, 18), 15, {"a benchmarking address", "198.18.0.0/15", Opens::ByHost}},
    {v4(198, 51, 100), 24, {"a documentation address", "198.51.100.0/24", Opens::ByHost}},
    {v4(203, 0, 113), 24, {"a documentation address", "203.0.113.0/24", Opens::ByHost}},
    {v4(224), 4, {"a multicast address", "224.0.0.0/4", Opens::Never}},
    {v4(255, 255, 255, 255), 32, {"the broadcast address", "255.255.255.255", Opens::Never}},
    {v4(240), 4, {"a reserved address", "240.0.0.0/4", Opens::Never}},
});

// https://www.iana.org/assignments/iana-ipv6-special-registry. Decides inside 2000::/3; outside it
// only gives the refusal a better name.
constexpr auto kV6 = std::to_array<Entry>({
    {{0xfd00'0ec2'0000'0000, 0}, 32, {kMetadata, "fd00:ec2::/32", Opens::ByAddress}},
    {{0xfd00'0042'0000'0000, 0x42}, 128, {kMetadata, "fd00:42::42", Opens::ByAddress}},
    {{0xfd20'00ce'0000'0000, 0x254}, 128, {kMetadata, "fd20:ce::254", Opens::ByAddress}},
    {{0, 0}, 128, {"the unspecified address", "::", Opens::Never}},
    {{0, 1}, 128, {"a loopback address", "::1", Opens::ByHost}},
    {{0, 0x0000'ffff'0000'0000}, 96, {"an IPv4-mapped address", "::ffff:0:0/96", Opens::ByRange}},
    {{0, 0xffff'0000'0000'0000},
     96,
     {"an IPv4-translated address", "::ffff:0:0:0/96", Opens::ByRange}},
    {{0, 0}, 96, {"an IPv4-compatible address", "::/96", Opens::ByRange}},
    {{0x0064'ff9b'0001'0000, 0},
     48,
     {"a local translation address", "64:ff9b:1::/48", Opens::ByRange}},
    {{0x0100'0000'0000'0000, 0}, 64, {"a discard-only address", "100::/64", Opens::Never}},
    {{0x0100'0000'0000'0001, 0}, 64, {"a dummy address", "100:0:0:1::/64", Opens::Never}},
    {{0x2001'0000'0000'0000, 0}, 32, {"a Teredo address", "2001::/32", Opens::ByRange}},
    {{0x2001'0000'0000'0000, 0},
     23,
     {"an address for IETF protocols", "2001::/23", Opens::ByRange}},
    {{0x2001'0db8'0000'0000, 0}, 32, {"a documentation address", "2001:db8::/32", Opens::ByHost}},
    {{0x2002'0000'0000'0000, 0}, 16, {"a 6to4 address", "2002::/16", Opens::ByRange}},
    {{0x3fff'0000'0000'0000, 0}, 20, {"a documentation address", "3fff::/20", Opens::ByHost}},
    {{0x5f00'0000'0000'0000, 0}, 16, {"a segment routing address", "5f00::/16", Opens::Never}},
    {{0xfc00'0000'0000'0000, 0}, 7, {"a private address", "fc00::/7", Opens::ByHost}},
    {{0xfe80'0000'0000'0000, 0}, 10, {"a link-local address", "fe80::/10", Opens::ByRange}},
    {{0xfec0'0000'0000'0000, 0}, 10, {"a site-local address", "fec0::/10", Opens::ByRange}},
    {{0xff00'0000'0000'0000, 0}, 8, {"a multicast address", "ff00::/8", Opens::Never}},
});

constexpr Entry kPublicV6{{0x2000'0000'0000'0000, 0}, 3, {}};
// The one road to IPv4 from an IPv6-only network (RFC 6052); where it leads is what it carries.
constexpr Entry kNat64{{0x0064'ff9b'0000'0000, 0}, 96, {}};
constexpr AddressRange kUnassigned{"outside the public IPv6 addresses", "2000::/3", Opens::ByRange};

std::uint64_t read64(std::span<std::uint8_t const> bytes) {
  std::uint64_t value = 0;
  for (auto const byte : bytes.first(8)) value = (value << 8U) | byte;
  return value;
}

AddressRange const* find(std::span<Entry const> entries, Bits bits) {
  auto const found =
      std::ranges::find_if(entries, [&](Entry const& entry) { return entry.contains(bits); });
  return found == entries.end() ? nullptr : &found->range;
}

AddressRange const* closed_range(url::IpAddress const& address) {
  std::span const bytes{address.v6_bytes()};
  Bits const bits{read64(bytes), read64(bytes.subspan(8))};
  if (address.is_v4()) return find(kV4, bits);
  if (kNat64.contains(bits)) return nullptr;
  if (auto const* const range = find(kV6, bits)) return range;
  return kPublicV6.contains(bits) ? nullptr : &kUnassigned;
}

std::string_view name_of(std::string_view form) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"mapped", "IPv4-mapped"},      {"compatible", "IPv4-compatible"},
      {"siit", "IPv4-translated"},    {"nat64", "NAT64"},
      {"nat64-local", "local NAT64"}, {"6to4", "6to4"},
      {"teredo", "Teredo"},           {"isatap", "ISATAP"},
  };
  auto const* const found = std::ranges::find(kNames, form, [](auto const& n) { return n.first; });
  return found == std::end(kNames) ? form : found->second;
}

}  // namespace

std::string Closed::why() const {
  if (!carried) return fmt::format("is {} ({})", range.what, range.text);
  return fmt::format("carries {} ({}), which is {} ({})", carried->address.to_string(),
                     name_of(carried->form), range.what, range.text);
}

std::optional<Closed> find_closed(url::IpAddress const& address) {
  std::optional<Closed> closed;
  if (auto const* const own = closed_range(address)) {
    closed = Closed{.range = *own, .opens = own->opens, .carried = {}};
  }
  // SECURITY: also inside public prefixes, where ISATAP can hide one.
  for (auto const& carried : url::embedded_v4(address)) {
    auto const* const range = closed_range(carried.address);
    if (!range) continue;
    auto const opens = closed ? std::max(closed->opens, range->opens) : range->opens;
    closed = Closed{.range = *range, .opens = opens, .carried = carried};
  }
  return closed;
}

}  // namespace sallyport::egress
