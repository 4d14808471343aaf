// IP addresses and ranges as values, and the IPv4 addresses that hide inside IPv6 ones.
//
// What a range means (private, loopback, …) is not known here: that is the guard's
// (egress/guard.hpp).
#pragma once

#include "src/base/result.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::url {

class IpAddress {
 public:
  using V4Bytes = std::array<std::uint8_t, 4>;
  using V6Bytes = std::array<std::uint8_t, 16>;

  static IpAddress v4(V4Bytes bytes) noexcept;
  static IpAddress v4(std::uint32_t host_order) noexcept;
  static IpAddress v6(V6Bytes bytes) noexcept;

  // Strict: four decimal numbers without leading zeros, or RFC 4291 text without brackets or zone.
  // For settings and DNS answers; the URL parser has the browser's own, lax rules.
  static std::optional<IpAddress> parse(std::string_view text) noexcept;

  bool is_v4() const noexcept { return is_v4_; }
  V4Bytes v4_bytes() const noexcept;  // only of an IPv4 address
  V6Bytes const& v6_bytes() const noexcept { return bytes_; }

  // RFC 5952 for IPv6, without brackets; always in hexadecimal, as URLs write it.
  std::string to_string() const;

  friend auto operator<=>(IpAddress const&, IpAddress const&) = default;

 private:
  bool is_v4_{true};
  V6Bytes bytes_{};  // of an IPv4 address: the first four
};

// A range of addresses of one family. `10.0.0.0/8`; a lone address is a range of one.
class Cidr {
 public:
  // Fails with InvalidInput when `text` is no range, or has bits set behind the prefix.
  static Result<Cidr> parse(std::string_view text);

  bool contains(IpAddress const& address) const noexcept;
  std::string to_string() const;

 private:
  Cidr(IpAddress base, unsigned prefix) : base_{base}, prefix_{prefix} {}

  IpAddress base_;
  unsigned prefix_;
};

// An IPv4 address that an IPv6 address carries, and by which scheme.
struct EmbeddedV4 {
  IpAddress address;
  std::string_view
      form;  // "mapped", "compatible", "siit", "nat64", "nat64-local", "6to4", "teredo", "isatap"
};

// All of them: an address can be read in more than one way (ISATAP inside 2002::/16), and Teredo
// has two (server and client). Empty for IPv4 addresses and for those that carry none.
std::vector<EmbeddedV4> embedded_v4(IpAddress const& address);

}  // namespace sallyport::url
