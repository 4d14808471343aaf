// What the standard knows about schemes.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::url {

constexpr std::uint16_t default_port(std::string_view scheme) noexcept {
  if (scheme == "https" || scheme == "wss") return 443;
  if (scheme == "http" || scheme == "ws") return 80;
  return scheme == "ftp" ? 21 : 0;
}

// The schemes whose URLs have an origin of scheme, host and port are those with a default port.
constexpr bool has_tuple_origin(std::string_view scheme) noexcept {
  return default_port(scheme) != 0;
}

constexpr bool is_special_scheme(std::string_view scheme) noexcept {
  return has_tuple_origin(scheme) || scheme == "file";
}

}  // namespace sallyport::url
