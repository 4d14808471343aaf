#include "src/url/ascii.hpp"
#include "src/url/ip_address.hpp"

namespace sallyport::url {
namespace {

unsigned width_of(IpAddress const& address) noexcept {
  return address.is_v4() ? 32 : 128;
}

bool bit_of(IpAddress const& address, unsigned index) noexcept {
  return ((address.v6_bytes()[index / 8] >> (7 - index % 8)) & 1U) != 0;
}

// Digits only, without leading zeros, at most `highest`.
std::optional<unsigned> parse_prefix(std::string_view text, unsigned highest) noexcept {
  auto const has_leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || text.size() > 3 || has_leading_zero) return std::nullopt;
  unsigned value = 0;
  for (char const c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value > highest) return std::nullopt;
  return value;
}

Error no_range(std::string_view text, std::string_view why) {
  return fail(Errc::InvalidInput,
              "\"" + std::string{text} + "\" is no range of addresses: " + std::string{why});
}

}  // namespace

Result<Cidr> Cidr::parse(std::string_view text) {
  auto const slash = text.find('/');
  auto const address = IpAddress::parse(text.substr(0, slash));
  if (!address) {
    return no_range(text, "write an address like 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32.");
  }
  auto const width = width_of(*address);
  if (slash == std::string_view::npos) return Cidr{*address, width};

  auto const prefix = parse_prefix(text.substr(slash + 1), width);
  if (!prefix) {
    return no_range(text, "behind the slash stands a number from 0 to " + std::to_string(width) +
                              ", without leading zeros.");
  }
  for (auto bit = *prefix; bit < width; ++bit) {
    if (bit_of(*address, bit)) {
      return no_range(text, "the address has bits set behind the first " + std::to_string(*prefix) +
                                "; set them to zero, or write /" + std::to_string(width) +
                                " for the one address.");
    }
  }
  return Cidr{*address, *prefix};
}

bool Cidr::contains(IpAddress const& address) const noexcept {
  if (address.is_v4() != base_.is_v4()) return false;
  auto const& own = base_.v6_bytes();
  auto const& other = address.v6_bytes();
  auto const whole = prefix_ / 8;
  for (unsigned i = 0; i < whole; ++i) {
    if (own[i] != other[i]) return false;
  }
  auto const rest = prefix_ % 8;
  return rest == 0 || ((own[whole] ^ other[whole]) >> (8 - rest)) == 0;
}

std::string Cidr::to_string() const {
  return base_.to_string() + "/" + std::to_string(prefix_);
}

}  // namespace sallyport::url
