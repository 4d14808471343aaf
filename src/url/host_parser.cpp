#include "src/url/host_parser.hpp"

#include "src/url/ascii.hpp"
#include "src/url/idna.hpp"
#include "src/url/ipv4_parser.hpp"
#include "src/url/percent_encode.hpp"
#include "src/url/quoted.hpp"
#include "src/url/url.hpp"
#include "src/url/utf8.hpp"

#include <algorithm>
#include <array>

namespace sallyport::url {
namespace {

enum class Allowed : std::uint8_t { Everywhere, NotInDomains, Nowhere };

constexpr std::array<Allowed, 256> kAllowed = [] {
  std::array<Allowed, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = Allowed::NotInDomains;
  table['%'] = Allowed::NotInDomains;
  table[0x7F] = Allowed::NotInDomains;
  for (char const c :
       {'\0', '\t', '\n', '\r', ' ', '#', '/', ':', '<', '>', '?', '@', '[', '\\', ']', '^', '|'}) {
    table[static_cast<unsigned char>(c)] = Allowed::Nowhere;
  }
  return table;
}();

Allowed allowed(char c) noexcept {
  return kAllowed[static_cast<unsigned char>(c)];
}

Error forbidden(char c) {
  std::string what;
  if (c == ' ') {
    what = "a space";
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    what = "a control character";
  } else {
    what = std::string{"the character \""} + c + "\"";
  }
  return fail(Errc::InvalidInput, "contains " + what);
}

Result<Host> parse_ipv6(std::string_view input) {
  if (!input.ends_with(']')) {
    return fail(Errc::InvalidInput, "has an opening bracket, but no closing one at its end");
  }
  auto const address = IpAddress::parse(input.substr(1, input.size() - 2));
  if (!address || address->is_v4()) {
    return fail(Errc::InvalidInput, "stands in brackets, but is no IPv6 address");
  }
  return Host{.text = "[" + address->to_string() + "]", .address = address};
}

Result<Host> parse_opaque(std::string_view input) {
  for (char const c : input) {
    if (allowed(c) == Allowed::Nowhere) return forbidden(c);
  }
  Host host;
  append_encoded(host.text, input, kControlSet);
  return host;
}

Result<std::string> ascii_domain(std::string_view domain) {
  std::string result;
  if (is_ascii(domain)) {
    result.resize(domain.size());
    std::ranges::transform(domain, result.begin(), to_lower);
  } else {
    SP_TRY(result, unicode_to_ascii(well_formed(domain)));
  }
  if (result.empty()) return fail(Errc::InvalidInput, "is empty");
  for (char const c : result) {
    if (allowed(c) != Allowed::Everywhere) return forbidden(c);
  }
  return result;
}

}  // namespace

Result<std::string> domain_to_ascii(std::string_view domain) {
  auto result = ascii_domain(domain);
  if (result) return result;
  return fail(Errc::InvalidInput,
              "The name " + quoted(domain) + " " + result.error().message + ".");
}

Result<Host> parse_host(std::string_view input, HostKind kind) {
  if (input.starts_with('[')) return parse_ipv6(input);
  if (kind == HostKind::Opaque) return parse_opaque(input);

  auto const is_plain = is_ascii(input) && input.find('%') == std::string_view::npos;
  SP_TRY(auto domain, is_plain ? ascii_domain(input) : ascii_domain(percent_decoded(input)));
  if (!ends_in_a_number(domain)) return Host{.text = std::move(domain), .address = {}};

  auto const address = parse_url_ipv4(domain);
  if (!address) {
    return fail(Errc::InvalidInput, "ends in a number, but is no IPv4 address");
  }
  return Host{.text = address->to_string(), .address = address};
}

}  // namespace sallyport::url
