// IPv4 addresses as browsers read them in a URL: decimal, octal or hexadecimal, with one to four
// parts. 127.0.0.1 has many spellings, and every one of them is dialled as 127.0.0.1.
#pragma once

#include "src/url/ip_address.hpp"

#include <optional>
#include <string_view>

namespace sallyport::url {

// Whether the standard insists on reading the name as an IPv4 address: its last label is a number.
bool ends_in_a_number(std::string_view domain) noexcept;

std::optional<IpAddress> parse_url_ipv4(std::string_view domain) noexcept;

}  // namespace sallyport::url
