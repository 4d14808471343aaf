// Hostile URLs and answers of DNS before the guard.
//
// The first byte says how many addresses follow and of which family (bit by bit, IPv6 where it is
// set); the rest is the URL. Whatever passes is an http URL without credentials, on a listed port,
// and none of its addresses lies in a list of ranges that shares nothing with the guard's own.
#include "src/base/assert.hpp"
#include "src/egress/guard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {
namespace {

bool starts_with(std::span<std::uint8_t const> bytes, std::initializer_list<int> start) {
  return std::ranges::equal(bytes.first(start.size()), start, [](int a, int b) { return a == b; });
}

bool is_forbidden_v4(std::span<std::uint8_t const> b) {
  bool const one = b[0] == 0 || b[0] == 10 || b[0] == 127 || b[0] >= 224;
  bool const two = (b[0] == 100 && b[1] >= 64 && b[1] <= 127) || starts_with(b, {169, 254}) ||
                   (b[0] == 172 && b[1] >= 16 && b[1] <= 31) || starts_with(b, {192, 168}) ||
                   (b[0] == 198 && (b[1] == 18 || b[1] == 19));
  return one || two || starts_with(b, {192, 0, 0}) || starts_with(b, {192, 0, 2}) ||
         starts_with(b, {192, 88, 99}) || starts_with(b, {198, 51, 100}) ||
         starts_with(b, {203, 0, 113}) || starts_with(b, {168, 63, 129, 16});
}

bool is_forbidden(url::IpAddress const& address) {
  std::span const b{address.v6_bytes()};
  if (address.is_v4()) return is_forbidden_v4(b);
  if (starts_with(b, {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_forbidden_v4(b.subspan(12));
  }
  if (b[0] < 0x20 || b[0] > 0x3F) return true;
  if (starts_with(b, {0x20, 0x01, 0x00}) || starts_with(b, {0x20, 0x01, 0x01})) return true;
  if (starts_with(b, {0x20, 0x01, 0x0D, 0xB8}) || starts_with(b, {0x20, 0x02})) return true;
  if (starts_with(b, {0x3F, 0xFF}) && b[2] < 0x10) return true;
  bool const isatap = starts_with(b.subspan(8), {0, 0, 0x5E, 0xFE}) ||
                      starts_with(b.subspan(8), {2, 0, 0x5E, 0xFE});
  return isatap && is_forbidden_v4(b.subspan(12));
}

std::vector<url::IpAddress> take_addresses(std::span<std::uint8_t const>& bytes) {
  std::vector<url::IpAddress> addresses;
  auto const kinds = bytes[0];
  bytes = bytes.subspan(1);
  for (unsigned i = 0; i < kinds % 4U; ++i) {
    bool const v6 = ((kinds >> (2U + i)) & 1U) != 0;
    if (bytes.size() < (v6 ? 16U : 4U)) break;
    url::IpAddress::V6Bytes raw{};
    std::ranges::copy(bytes.first(v6 ? 16 : 4), raw.begin());
    bytes = bytes.subspan(v6 ? 16 : 4);
    addresses.push_back(v6 ? url::IpAddress::v6(raw)
                           : url::IpAddress::v4({raw[0], raw[1], raw[2], raw[3]}));
  }
  return addresses;
}

void check(Guard const& guard, url::Url const& url, std::span<url::IpAddress const> addresses) {
  auto const judged = guard.judge(url, addresses);
  if (!judged) {
    SP_ASSERT(judged.error().code == Errc::EgressBlocked, "a refusal is a refusal");
    SP_ASSERT(!judged.error().message.empty(), "a refusal says why");
    return;
  }
  SP_ASSERT(guard.check_url(url), "what is judged well was checked well");
  SP_ASSERT(url.scheme() == "http" || url.scheme() == "https", "http only");
  SP_ASSERT(!url.has_credentials(), "no credentials");
  SP_ASSERT(!judged->all().empty() && judged->port() == url.effective_port(), "somewhere to go");
  for (auto const& address : judged->all()) {
    SP_ASSERT(!is_forbidden(address), "nothing inside is reached");
    SP_ASSERT(judged->contains(address, judged->port()), "what is judged may be dialled");
    SP_ASSERT(url.address() || std::ranges::find(addresses, address) != addresses.end(),
              "no address of its own making");
  }
  for (auto const& address : addresses) {
    SP_ASSERT(url.address() || !is_forbidden(address), "one bad address refuses the name");
  }
}

}  // namespace
}  // namespace sallyport::egress

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace sp = sallyport;
  static sp::egress::Guard const guard;
  if (size < 2) return 0;
  std::span<std::uint8_t const> rest{data, size};
  auto const addresses = sp::egress::take_addresses(rest);
  std::string_view const text{reinterpret_cast<char const*>(rest.data()), rest.size()};

  for (auto const& address : addresses) {
    SP_ASSERT(sp::egress::why_not_public(address) || !sp::egress::is_forbidden(address),
              "what is public is not forbidden");
  }
  if (auto const url = sp::url::Url::parse(text)) sp::egress::check(guard, *url, addresses);
  (void)sp::egress::Opening::parse(text);
  return 0;
}
