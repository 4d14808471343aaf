#include "src/url/ip_address.hpp"

#include "src/base/assert.hpp"
#include "src/url/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace sallyport::url {
namespace {

constexpr std::size_t kNoGap = 17;

std::optional<IpAddress::V4Bytes> parse_v4(std::string_view text) noexcept {
  IpAddress::V4Bytes bytes{};
  std::size_t at = 0;
  for (std::size_t part = 0; part < bytes.size(); ++part) {
    if (part > 0) {
      if (at == text.size() || text[at] != '.') return std::nullopt;
      ++at;
    }
    auto const start = at;
    unsigned value = 0;
    for (; at < text.size() && at - start < 3 && is_digit(text[at]); ++at) {
      value = value * 10 + static_cast<unsigned>(text[at] - '0');
    }
    auto const has_leading_zero = at - start > 1 && text[start] == '0';
    if (at == start || has_leading_zero || value > 255) return std::nullopt;
    bytes[part] = static_cast<std::uint8_t>(value);
  }
  if (at != text.size()) return std::nullopt;
  return bytes;
}

// Moves what stands behind "::" to the end; false when there is nothing left for "::" to stand for.
bool close_gap(IpAddress::V6Bytes& bytes, std::size_t length, std::size_t gap) noexcept {
  if (gap == kNoGap) return length == bytes.size();
  if (length == bytes.size()) return false;
  auto const from = bytes.begin() + static_cast<std::ptrdiff_t>(gap);
  auto const end = bytes.begin() + static_cast<std::ptrdiff_t>(length);
  auto const moved = std::move_backward(from, end, bytes.end());
  std::fill(from, moved, std::uint8_t{0});
  return true;
}

// RFC 4291, section 2.2. The URL Standard's IPv6 parser takes the very same texts.
std::optional<IpAddress::V6Bytes> parse_v6(std::string_view text) noexcept {
  IpAddress::V6Bytes bytes{};
  std::size_t length = 0;
  std::size_t gap = kNoGap;
  std::size_t at = 0;
  if (text.starts_with("::")) {
    gap = 0;
    at = 2;
  }
  while (at < text.size()) {
    auto const start = at;
    unsigned value = 0;
    for (; at < text.size() && at - start < 4 && is_hex_digit(text[at]); ++at) {
      value = value * 16 + static_cast<unsigned>(hex_value(text[at]));
    }
    if (at < text.size() && text[at] == '.') {
      auto const tail = parse_v4(text.substr(start));
      if (!tail || length + tail->size() > bytes.size()) return std::nullopt;
      std::ranges::copy(*tail, bytes.begin() + static_cast<std::ptrdiff_t>(length));
      length += tail->size();
      break;
    }
    if (at == start || length == bytes.size()) return std::nullopt;
    bytes[length++] = static_cast<std::uint8_t>(value >> 8U);
    bytes[length++] = static_cast<std::uint8_t>(value & 0xFFU);
    if (at == text.size()) break;
    if (text[at] != ':' || at + 1 == text.size()) return std::nullopt;
    ++at;
    if (text[at] != ':') continue;
    if (gap != kNoGap) return std::nullopt;
    gap = length;
    ++at;
  }
  if (!close_gap(bytes, length, gap)) return std::nullopt;
  return bytes;
}

void append_number(std::string& out, unsigned value, int base) {
  std::array<char, 10> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  out.append(digits.data(), end);
}

std::string v4_text(IpAddress::V4Bytes const& bytes) {
  std::string out;
  for (auto const byte : bytes) {
    if (!out.empty()) out.push_back('.');
    append_number(out, byte, 10);
  }
  return out;
}

struct Run {
  std::size_t start{0};
  std::size_t length{0};
};

// The first of the longest runs of zero groups, where it has more than one.
Run longest_zero_run(std::array<unsigned, 8> const& groups) noexcept {
  Run best;
  Run current;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    current = groups[i] != 0 ? Run{.start = i + 1} : Run{current.start, current.length + 1};
    if (current.length > best.length) best = current;
  }
  return best.length > 1 ? best : Run{.start = groups.size()};
}

std::string v6_text(IpAddress::V6Bytes const& bytes) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = bytes[2 * i] * 256U + bytes[2 * i + 1];
  }
  auto const gap = longest_zero_run(groups);
  std::string out;
  out.reserve(41);  // and room for the brackets of a URL
  for (std::size_t i = 0; i < groups.size();) {
    if (i == gap.start) {
      out += "::";
      i += gap.length;
      continue;
    }
    if (!out.empty() && out.back() != ':') out.push_back(':');
    append_number(out, groups[i++], 16);
  }
  return out;
}

bool has_prefix(IpAddress::V6Bytes const& bytes,
                std::initializer_list<std::uint8_t> prefix) noexcept {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

// Finds one form after the other; each may add addresses to `found`.
class EmbeddedSearch {
 public:
  explicit EmbeddedSearch(IpAddress::V6Bytes const& bytes) : bytes_{bytes} {}

  std::vector<EmbeddedV4> run() && {
    find_in_low_prefixes();
    find_nat64();
    find_tunnels();
    return std::move(found_);
  }

 private:
  void add(std::string_view form, std::array<std::size_t, 4> at, std::uint8_t mask = 0) {
    IpAddress::V4Bytes v4{};
    for (std::size_t i = 0; i < v4.size(); ++i) {
      v4[i] = static_cast<std::uint8_t>(bytes_[at[i]] ^ mask);
    }
    found_.push_back({.address = IpAddress::v4(v4), .form = form});
  }

  void find_in_low_prefixes() {
    if (has_prefix(bytes_, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF})) add("mapped", kLast);
    if (has_prefix(bytes_, {0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0})) add("siit", kLast);
    // The unspecified and the loopback address lie in ::/96 and carry none (RFC 4291, 2.5.5.1).
    auto const is_own =
        has_prefix(bytes_, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) && bytes_.back() <= 1;
    if (!is_own && has_prefix(bytes_, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) {
      add("compatible", kLast);
    }
  }

  void find_nat64() {
    if (has_prefix(bytes_, {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) add("nat64", kLast);
    if (!has_prefix(bytes_, {0, 0x64, 0xFF, 0x9B, 0, 1})) return;
    // Which length the network's prefix has cannot be seen from here, and translators ignore the
    // octets that should be zero: each layout of RFC 6052 (2.2) that fits below /48 is a reading.
    add("nat64-local", {6, 7, 9, 10});
    add("nat64-local", {7, 9, 10, 11});
    add("nat64-local", {9, 10, 11, 12});
    add("nat64-local", kLast);
  }

  void find_tunnels() {
    if (has_prefix(bytes_, {0x20, 0x02})) add("6to4", {2, 3, 4, 5});
    if (has_prefix(bytes_, {0x20, 0x01, 0, 0})) {
      add("teredo", {4, 5, 6, 7});
      add("teredo", kLast, 0xFF);
    }
    // 0x02 in the interface identifier only says whether the IPv4 address is globally unique.
    if ((bytes_[8] & 0xFDU) == 0 && bytes_[9] == 0 && bytes_[10] == 0x5E && bytes_[11] == 0xFE) {
      add("isatap", kLast);
    }
  }

  static constexpr std::array<std::size_t, 4> kLast{12, 13, 14, 15};

  IpAddress::V6Bytes const& bytes_;
  std::vector<EmbeddedV4> found_;
};

}  // namespace

IpAddress IpAddress::v4(V4Bytes bytes) noexcept {
  IpAddress address;
  std::ranges::copy(bytes, address.bytes_.begin());
  return address;
}

IpAddress IpAddress::v4(std::uint32_t host_order) noexcept {
  auto const byte = [&](unsigned shift) { return static_cast<std::uint8_t>(host_order >> shift); };
  return v4(V4Bytes{byte(24), byte(16), byte(8), byte(0)});
}

IpAddress IpAddress::v6(V6Bytes bytes) noexcept {
  IpAddress address;
  address.is_v4_ = false;
  address.bytes_ = bytes;
  return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  if (auto const bytes = parse_v4(text)) return v4(*bytes);
  if (auto const bytes = parse_v6(text)) return v6(*bytes);
  return std::nullopt;
}

IpAddress::V4Bytes IpAddress::v4_bytes() const noexcept {
  SP_ASSERT(is_v4_, "only an IPv4 address has four bytes");
  return {bytes_[0], bytes_[1], bytes_[2], bytes_[3]};
}

std::string IpAddress::to_string() const {
  return is_v4_ ? v4_text(v4_bytes()) : v6_text(bytes_);
}

std::vector<EmbeddedV4> embedded_v4(IpAddress const& address) {
  if (address.is_v4()) return {};
  return EmbeddedSearch{address.v6_bytes()}.run();
}

}  // namespace sallyport::url
