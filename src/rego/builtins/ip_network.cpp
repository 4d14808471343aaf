#include "src/rego/builtins/ip_network.hpp"

#include "src/url/ip_address.hpp"

namespace sallyport::rego {
namespace {

constexpr Bits128 kMapped = Bits128{0xFFFF} << 32U;

Bits128 bits_of(url::IpAddress const& address) noexcept {
  Bits128 bits = 0;
  if (address.is_v4()) {
    for (auto const byte : address.v4_bytes()) bits = bits << 8U | byte;
    return bits | kMapped;
  }
  for (auto const byte : address.v6_bytes()) bits = bits << 8U | byte;
  return bits;
}

// Decimal digits and nothing else; leading zeros are fine.
std::optional<unsigned> parse_prefix(std::string_view text, unsigned most) noexcept {
  if (text.empty()) return std::nullopt;
  unsigned value = 0;
  for (auto const c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > most) return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<Ip> parse_ip(std::string_view text) noexcept {
  auto const address = url::IpAddress::parse(text);
  if (!address) return std::nullopt;
  return Ip{bits_of(*address)};
}

std::optional<IpNetwork> parse_network(std::string_view text) noexcept {
  auto const slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto const address = url::IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  auto const prefix = parse_prefix(text.substr(slash + 1), address->is_v4() ? 32 : 128);
  if (!prefix) return std::nullopt;
  IpNetwork network{.first = {bits_of(*address)},
                    .prefix = *prefix + (address->is_v4() ? 96U : 0U)};
  network.first.bits &= ~network.host_mask();
  return network;
}

std::string to_text(Ip ip) {
  if (ip.is_v4()) return url::IpAddress::v4(static_cast<std::uint32_t>(ip.bits)).to_string();
  url::IpAddress::V6Bytes bytes{};
  auto bits = ip.bits;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, bits >>= 8U) {
    *byte = static_cast<std::uint8_t>(bits & 0xFFU);
  }
  return url::IpAddress::v6(bytes).to_string();
}

std::string to_text(IpNetwork const& network) {
  auto const prefix = network.first.is_v4() ? network.prefix - 96 : network.prefix;
  return to_text(network.first) + '/' + std::to_string(prefix);
}

}  // namespace sallyport::rego
