// IP addresses and ranges as Go's net package understands them, which is what policies expect: an
// IPv4 address and its IPv4-mapped IPv6 form are one address, and a range never contains addresses
// of the other family.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego {

__extension__ using Bits128 = unsigned __int128;

// All 128 bits; IPv4 addresses as ::ffff:a.b.c.d.
struct Ip {
  Bits128 bits{0};

  bool is_v4() const noexcept { return (bits >> 32U) == 0xFFFF; }
};

struct IpNetwork {
  Ip first;
  unsigned prefix{0};  // of the 128 bits

  Bits128 host_mask() const noexcept {
    return prefix == 0 ? ~Bits128{0} : (Bits128{1} << (128 - prefix)) - 1;
  }
  Ip last() const noexcept { return {first.bits | host_mask()}; }
  bool contains(Ip ip) const noexcept {
    return first.is_v4() == ip.is_v4() && (ip.bits & ~host_mask()) == first.bits;
  }
  bool contains(IpNetwork const& other) const noexcept {
    return contains(other.first) && contains(other.last());
  }
};

// net.ParseIP: no zone, no leading zeros.
std::optional<Ip> parse_ip(std::string_view text) noexcept;
// net.ParseCIDR: bits behind the prefix are cleared, unlike url::Cidr, which refuses them.
std::optional<IpNetwork> parse_network(std::string_view text) noexcept;

std::string to_text(Ip ip);
std::string to_text(IpNetwork const& network);

}  // namespace sallyport::rego
