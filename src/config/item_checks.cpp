#include "src/config/item_checks.hpp"

#include "src/egress/guard.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"
#include "src/mcp/revision.hpp"
#include "src/oauth/algorithm.hpp"
#include "src/pipeline/limiter.hpp"
#include "src/url/url.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

namespace sallyport::config {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t kMinimumToken = 16;
constexpr std::size_t kMinimumKey = 32;
constexpr std::size_t kLongestEntry = 64;

// RFC 9110, section 7.6.1, and those that say where a message begins and ends.
constexpr std::array<std::string_view, 11> kFramingHeaders{"host",
                                                           "content-length",
                                                           "transfer-encoding",
                                                           "connection",
                                                           "keep-alive",
                                                           "te",
                                                           "trailer",
                                                           "upgrade",
                                                           "expect",
                                                           "accept-encoding",
                                                           "content-encoding"};

bool is_visible(char c) {
  return c > 0x20 && c < 0x7F;
}

bool has_only(std::string_view text, std::string_view extra) {
  return std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           extra.find(c) != std::string_view::npos;
  });
}

template <class Choices>
std::string one_of(std::string_view text, Choices const& choices) {
  if (std::ranges::find(choices, text) != choices.end()) return {};
  return fmt::format("must be one of {}", fmt::join(choices, ", "));
}

struct SplitUrl {
  std::string_view scheme;
  std::string_view authority;
  std::string_view rest;
};

// Enough of a URL to tell a slip of the pen; whoever uses it parses it properly.
SplitUrl split_url(std::string_view text) {
  auto const colon = text.find("://");
  if (colon == std::string_view::npos) return {};
  auto const after = text.substr(colon + 3);
  auto const end = std::min(after.find_first_of("/?#"), after.size());
  return {text.substr(0, colon), after.substr(0, end), after.substr(end)};
}

bool is_web_url(std::string_view text, SplitUrl const& url) {
  return (url.scheme == "http" || url.scheme == "https") && !url.authority.empty() &&
         std::ranges::all_of(text, &is_visible) &&
         url.authority.find('@') == std::string_view::npos &&
         url.rest.find('#') == std::string_view::npos;
}

std::string_view without_port(std::string_view authority) {
  if (authority.starts_with('[')) {
    auto const end = authority.find(']');
    return end == std::string_view::npos ? authority : authority.substr(0, end + 1);
  }
  return authority.substr(0, authority.find(':'));
}

std::string too_short(std::string_view text, std::size_t minimum) {
  if (text.size() >= minimum && std::ranges::all_of(text, &is_visible)) return {};
  return fmt::format(
      "must be at least {} visible ASCII characters without spaces; `openssl rand -hex 32` makes "
      "a good one",
      minimum);
}

}  // namespace

std::string not_empty(std::string_view text) {
  return text.empty() ? "must not be empty" : "";
}

std::string legacy_protocol_version(std::string_view text) {
  std::vector<std::string_view> legacy;
  for (auto const revision : mcp::kRevisions) {
    if (!mcp::is_modern(revision)) legacy.push_back(mcp::to_string(revision));
  }
  auto problem = one_of(text, legacy);
  if (text == mcp::to_string(mcp::kModern)) {
    problem += fmt::format("; {} is always served and needs no setting", text);
  }
  return problem;
}

std::string host_name(std::string_view text) {
  if (!text.empty() && has_only(text, ".-_:[]%")) return {};
  return "must be a host name or an address, without scheme and path";
}

std::string url_path(std::string_view text) {
  bool const good = text.starts_with('/') && !text.starts_with("//") &&
                    std::ranges::all_of(text, &is_visible) &&
                    text.find_first_of("?#") == std::string_view::npos;
  return good ? "" : "must be a path that starts with / and has no ? or #";
}

std::string web_origin(std::string_view text) {
  auto const url = split_url(text);
  bool const good = !url.scheme.empty() && has_only(url.scheme, "+-.") && !url.authority.empty() &&
                    has_only(url.authority, ".-_:[]") && url.rest.empty();
  return good ? "" : "must be an origin such as https://app.example, without a path";
}

std::string http_url(std::string_view text) {
  if (is_web_url(text, split_url(text))) return {};
  return "must be an http or https URL without user name and fragment";
}

std::string https_or_loopback_url(std::string_view text) {
  auto const url = split_url(text);
  // SECURITY: who can change the keys on their way can sign tokens.
  bool const safe = url.scheme == "https" || is_loopback_host(without_port(url.authority));
  return is_web_url(text, url) && safe ? "" : "must be an https URL (http only on loopback)";
}

std::string signature_algorithm(std::string_view text) {
  return one_of(text, oauth::algorithm_names());
}

std::string address_or_cidr(std::string_view text) {
  boost::system::error_code not_address;
  boost::system::error_code not_v4;
  boost::system::error_code not_v6;
  std::string const written{text};
  ip::make_address(written, not_address);
  ip::make_network_v4(written, not_v4);
  ip::make_network_v6(written, not_v6);
  if (!not_address || !not_v4 || !not_v6) return {};
  return "must be an address or a CIDR such as 10.0.0.0/8 or fd00::/8";
}

std::string header_name(std::string_view text) {
  // RFC 9110, section 5.6.2: token.
  if (!text.empty() && has_only(text, "!#$%&'*+-.^_`|~")) return {};
  return "must be the name of an HTTP header";
}

std::string injected_header(std::string_view text) {
  if (auto problem = header_name(text); !problem.empty()) return problem;
  bool const framing = std::ranges::any_of(kFramingHeaders, [&](std::string_view name) {
    return http::equals_ignoring_case(name, text);
  });
  return framing ? "is a header that only the connection itself may set" : "";
}

std::string header_value(std::string_view text) {
  // SECURITY: a line end would let the value start a header of its own.
  bool const good = !text.empty() &&
                    std::ranges::all_of(text, [](char c) { return is_visible(c) || c == ' '; }) &&
                    text.front() != ' ' && text.back() != ' ';
  return good ? "" : "must be visible ASCII, with spaces only inside";
}

std::string fetch_scheme(std::string_view text) {
  return one_of(text, std::array<std::string_view, 2>{"http", "https"});
}

std::string http_method(std::string_view text) {
  return http::is_token(text) ? "" : "must be a method such as GET";
}

std::string port_number(std::string_view text) {
  unsigned port = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  bool const whole = error == std::errc{} && end == text.data() + text.size();
  return whole && port >= 1 && port <= 65535 ? "" : "must be a port, 1 to 65535";
}

std::string host_pattern(std::string_view text) {
  auto const name = text.starts_with("*.") ? text.substr(2) : text;
  auto const good = url::Url::parse(fmt::format("http://{}/", name));
  // A star elsewhere is no wildcard: `*` and `*example.com` would look as if they were.
  bool const star = name.find('*') != std::string_view::npos;
  bool const same = !star && good && good->host() == std::string{name};
  return same ? "" : "must be a host in lower case and ASCII, such as example.com or *.example.com";
}

std::string guard_opening(std::string_view text) {
  auto const opening = egress::Opening::parse(text);
  return opening ? "" : opening.error().message;
}

std::string dns_server(std::string_view text) {
  auto const with_scheme = url::Url::parse(fmt::format("http://{}/", text));
  bool const bare_v6 = url::IpAddress::parse(text).has_value();
  return bare_v6 || (with_scheme && with_scheme->address())
             ? ""
             : "must be an address, such as 9.9.9.9 or 127.0.0.1:5353";
}

std::string proxy_url(std::string_view text) {
  auto const url = url::Url::parse(text);
  if (!url || (url->scheme() != "http" && url->scheme() != "https")) {
    return "must be a URL such as http://proxy.example:3128";
  }
  return url->has_credentials() ? "must not have a password in it; use egress.proxy_login" : "";
}

std::string rate(std::string_view text) {
  auto const parsed = pipeline::Rate::parse(text);
  return parsed ? "" : parsed.error().message;
}

std::string keyring_entry(std::string_view text) {
  bool const good = !text.empty() && text.size() <= kLongestEntry && has_only(text, "_.-");
  return good ? "" : fmt::format("must be 1 to {} letters, digits, `_`, `.` or `-`", kLongestEntry);
}

std::string proxy_login(std::string_view text) {
  return text.find(':') == std::string_view::npos ? "must be user:password" : "";
}

std::string long_enough_token(std::string_view text) {
  return too_short(text, kMinimumToken);
}

std::string long_enough_key(std::string_view text) {
  return too_short(text, kMinimumKey);
}

bool is_loopback_host(std::string_view host) {
  if (host == "localhost") return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  auto const address = ip::make_address(std::string{host}, error);
  if (error) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

}  // namespace sallyport::config
