#include "src/oauth/forward_auth.hpp"

#include "src/http/chars.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

namespace sallyport::oauth {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t kMaxNameSize = 512;

ip::address unmapped(ip::address const& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

template <class Bytes>
bool same_prefix(Bytes const& left, Bytes const& right, unsigned prefix) {
  auto const whole = prefix / 8;
  if (!std::equal(left.begin(), left.begin() + whole, right.begin())) return false;
  auto const rest = prefix % 8;
  if (rest == 0) return true;
  auto const mask = 0xFFU << (8 - rest);
  return ((left[whole] ^ right[whole]) & mask) == 0;
}

bool same_prefix(ip::address const& left, ip::address const& right, unsigned prefix) {
  if (left.is_v4() != right.is_v4()) return false;
  if (left.is_v4()) return same_prefix(left.to_v4().to_bytes(), right.to_v4().to_bytes(), prefix);
  return same_prefix(left.to_v6().to_bytes(), right.to_v6().to_bytes(), prefix);
}

// The address with every bit behind the prefix cleared.
ip::address network_of(ip::address const& address, unsigned prefix) {
  if (address.is_v4())
    return ip::network_v4{address.to_v4(), static_cast<unsigned short>(prefix)}.network();
  return ip::network_v6{address.to_v6(), static_cast<unsigned short>(prefix)}.network();
}

// SECURITY: a list is what a proxy makes of two headers when one of them came from its client.
bool is_one_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameSize && std::ranges::none_of(text, [](char c) {
    return c == ',' || c == '\t' || !http::is_field_value_char(c);
  });
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    auto const end = std::min(text.find_first_of(" ,\t"), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

Result<AddressRange> AddressRange::parse(std::string_view text) {
  auto const slash = std::min(text.find('/'), text.size());
  boost::system::error_code failed;
  auto const address = ip::make_address(std::string{text.substr(0, slash)}, failed);
  auto const bad = [&](char const* why) {
    return fail(Errc::InvalidInput, fmt::format("\"{}\" {}", text, why));
  };
  if (failed) return bad("is not an address or CIDR range");
  if (unmapped(address) != address) return bad("is an IPv4 address in IPv6; write it as IPv4");
  unsigned const longest = address.is_v4() ? 32 : 128;
  unsigned prefix = longest;
  if (slash < text.size()) {
    auto const digits = text.substr(slash + 1);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (error != std::errc{} || end != digits.data() + digits.size() || prefix > longest) {
      return bad("has no valid prefix length");
    }
  }
  if (prefix == 0) return bad("would trust every address");
  if (network_of(address, prefix) != address) return bad("has bits set behind its prefix");
  return AddressRange{address, prefix};
}

bool AddressRange::contains(ip::address const& address) const {
  return same_prefix(unmapped(address), network_, prefix_);
}

Result<ForwardAuth> ForwardAuth::create(ForwardAuthOptions options) {
  if (options.proxies.empty()) {
    return fail(Errc::InvalidInput, "forward.proxies: name the addresses of your proxies");
  }
  if (!http::is_token(options.user_header) ||
      (!options.scopes_header.empty() && !http::is_token(options.scopes_header))) {
    return fail(Errc::InvalidInput, "forward: user_header and scopes_header must be header names");
  }
  ForwardAuth made{std::move(options)};
  for (auto const& proxy : made.options_.proxies) {
    auto range = AddressRange::parse(proxy);
    if (!range) return fail(Errc::InvalidInput, "forward.proxies: " + range.error().message);
    made.proxies_.push_back(*range);
  }
  return made;
}

bool ForwardAuth::is_proxy(std::string_view peer_address) const {
  boost::system::error_code failed;
  auto const address = ip::make_address(std::string{peer_address}, failed);
  if (failed) return false;
  return std::ranges::any_of(proxies_,
                             [&](AddressRange const& range) { return range.contains(address); });
}

std::optional<Principal> ForwardAuth::principal(http::ServerRequest const& request) const {
  auto const& headers = request.headers;
  if (!is_proxy(request.peer_address)) return std::nullopt;
  if (headers.count(options_.user_header) != 1) return std::nullopt;
  auto const& name = *headers.find(options_.user_header);
  if (!is_one_name(name)) return std::nullopt;
  Principal principal{.id = name};
  if (!options_.scopes_header.empty()) {
    if (headers.count(options_.scopes_header) > 1) return std::nullopt;
    if (auto const* scopes = headers.find(options_.scopes_header)) {
      principal.scopes = words_of(*scopes);
    }
  }
  return principal;
}

}  // namespace sallyport::oauth
