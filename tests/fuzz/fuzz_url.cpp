// A URL in the first line, a base in the rest. Whatever comes is read or refused, and what is read
// is written in a form that is read as the same URL again: otherwise two parts of the program that
// each parse would disagree about what they judge and what they dial.
#include "src/base/assert.hpp"
#include "src/url/ip_address.hpp"
#include "src/url/url.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace url = sallyport::url;

namespace {

void check_address(url::IpAddress const& address) {
  SP_ASSERT(url::IpAddress::parse(address.to_string()) == address, "an address is read back");
  for (auto const& embedded : url::embedded_v4(address)) {
    SP_ASSERT(embedded.address.is_v4() && !address.is_v4(), "an IPv4 address inside an IPv6 one");
  }
}

void check_host(url::Url const& parsed) {
  auto const host = parsed.host().value_or("");
  auto const& address = parsed.address();
  if (!address) {
    SP_ASSERT(!parsed.is_special() || !url::IpAddress::parse(host), "no address passes for a name");
    return;
  }
  auto const text = address->to_string();
  SP_ASSERT(host == (address->is_v4() ? text : "[" + text + "]"), "the host is its address");
  check_address(*address);
}

void check_url(url::Url const& parsed) {
  auto const href = parsed.href();
  SP_ASSERT(std::ranges::all_of(href, [](char c) { return c >= 0x20 && c < 0x7F; }),
            "a URL is written in printable ASCII");
  auto const again = url::Url::parse(href);
  SP_ASSERT(again && again->href() == href, "a URL is read back as it was written");
  SP_ASSERT(again->host() == parsed.host() && again->port() == parsed.port() &&
                again->address() == parsed.address() && again->path() == parsed.path() &&
                again->query() == parsed.query() && again->username() == parsed.username(),
            "and means the same");
  SP_ASSERT(url::same_origin(parsed, *again) == (parsed.origin() != "null"), "as does its origin");
  check_host(parsed);
  SP_ASSERT(!parsed.without_fragment().fragment(), "what is left out is not there");
  static_cast<void>(url::path_has_prefix(parsed.path(), href));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const line = std::min(text.find('\n'), text.size());
  auto const first = text.substr(0, line);
  if (auto const address = url::IpAddress::parse(first)) check_address(*address);
  static_cast<void>(url::Cidr::parse(first));
  if (auto const name = url::domain_to_ascii(first)) {
    SP_ASSERT(*url::domain_to_ascii(*name) == *name, "a name in ASCII stays as it is");
  }
  if (auto const alone = url::Url::parse(first)) check_url(*alone);
  auto const base = url::Url::parse(text.substr(std::min(line + 1, size)));
  if (!base) return 0;
  check_url(*base);
  if (auto const resolved = url::Url::parse(first, &*base)) check_url(*resolved);
  return 0;
}
