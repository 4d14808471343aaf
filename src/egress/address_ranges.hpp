// Which addresses are public, and what those are that are not.
//
// Allowed by structure, not by absence from a list of known dangers: IPv6 must lie in the space
// that is given out to the public (2000::/3), IPv4 outside IANA's special-purpose registry, and
// every IPv4 address that an IPv6 address carries must be public as well.
#pragma once

#include "src/url/ip_address.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::egress {

// What an operator has to write to open a range, from the least to the most.
enum class Opens {
  ByHost,     // a host opening is enough: private networks, this machine
  ByRange,    // link-local and the like: only a range or address
  ByAddress,  // cloud metadata: only that very address
  Never,      // no host is there
};

struct AddressRange {
  std::string_view what;  // "a loopback address"
  std::string_view text;  // "127.0.0.0/8"
  Opens opens;
};

// Why an address is not public.
struct Closed {
  AddressRange range;
  Opens opens;                             // the strictest of all reasons
  std::optional<url::EmbeddedV4> carried;  // the address inside that lies in the range

  // "is a loopback address (127.0.0.0/8)", "carries 127.0.0.1 (IPv4-mapped), which is …".
  std::string why() const;
};

// Without a value: the address is public. Allocates nothing then.
std::optional<Closed> find_closed(url::IpAddress const& address);

}  // namespace sallyport::egress
