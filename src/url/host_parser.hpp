// Hosts: names, IPv4 in all spellings, IPv6 in brackets, and the opaque hosts of other schemes.
#pragma once

#include "src/base/result.hpp"
#include "src/url/ip_address.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::url {

struct Host {
  std::string text;  // as serialised
  std::optional<IpAddress> address;
};

enum class HostKind {
  Domain,  // of http, https, ws, wss, ftp and file
  Opaque,  // of every other scheme
};

// The message of a failure lacks its subject and its full stop ("contains a space"): whoever calls
// knows whether the host may be shown.
Result<Host> parse_host(std::string_view input, HostKind kind);

}  // namespace sallyport::url
