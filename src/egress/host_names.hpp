// Names that lead inside, whatever DNS says about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::egress {

// Without the dot at its end.
std::string_view without_last_dot(std::string_view host) noexcept;

// Whether DNS could know it: labels of 1 to 63 letters, digits, hyphens and underscores, 253
// octets in all. No dot at its end.
bool is_dns_name(std::string_view host) noexcept;

struct ClosedName {
  std::string why;       // "is a name of this machine"
  bool metadata{false};  // opened by its own name only, not by a suffix
};

// 1 to 65535, in decimal digits.
std::optional<std::uint16_t> parse_port(std::string_view text) noexcept;

// In lower case, without a dot at its end. Without a value: nothing speaks against the name.
std::optional<ClosedName> find_closed_name(std::string_view host);

// "a.corp.example" in "*.corp.example", or the same name.
bool matches_host(std::string_view pattern, std::string_view host) noexcept;

}  // namespace sallyport::egress
