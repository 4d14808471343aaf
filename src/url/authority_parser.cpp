// The states of the URL parser between "//" and the path.
#include "src/url/ascii.hpp"
#include "src/url/host_parser.hpp"
#include "src/url/percent_encode.hpp"
#include "src/url/quoted.hpp"
#include "src/url/schemes.hpp"
#include "src/url/url_parser.hpp"

#include <algorithm>

namespace sallyport::url {
namespace {

// The colon before the port; those inside brackets belong to an IPv6 address.
std::size_t port_colon(std::string_view text) noexcept {
  bool in_brackets = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') in_brackets = true;
    if (text[i] == ']') in_brackets = false;
    if (text[i] == ':' && !in_brackets) return i;
  }
  return std::string_view::npos;
}

}  // namespace

Result<void> UrlParser::authority() {
  auto const end = rest().find_first_of(kind_ == PathScheme::Other ? "/?#" : "/\\?#");
  auto text = rest().substr(0, end);
  at_ += text.size();
  if (auto const at_sign = text.rfind('@'); at_sign != std::string_view::npos) {
    auto const credentials = text.substr(0, at_sign);
    auto const colon = std::min(credentials.find(':'), credentials.size());
    append_encoded(url_.username_, credentials.substr(0, colon), kUserinfoSet);
    if (colon < credentials.size()) {
      append_encoded(url_.password_, credentials.substr(colon + 1), kUserinfoSet);
    }
    text.remove_prefix(at_sign + 1);
    if (text.empty()) {
      return fail(Errc::InvalidInput, "The URL has credentials, but no host behind them.");
    }
  }
  SP_CHECK(host_and_port(text));
  path_start();
  return {};
}

Result<void> UrlParser::host_and_port(std::string_view text) {
  auto const colon = port_colon(text);
  auto const host = text.substr(0, colon);
  auto const has_port = colon != std::string_view::npos;
  if (host.empty() && (has_port || kind_ != PathScheme::Other)) {
    return fail(Errc::InvalidInput, "The URL has no host.");
  }
  SP_CHECK(set_host(host));
  if (has_port) return port(text.substr(colon + 1));
  return {};
}

Result<void> UrlParser::set_host(std::string_view text) {
  auto host = parse_host(text, kind_ == PathScheme::Other ? HostKind::Opaque : HostKind::Domain);
  if (!host) return host_error(text, host.error().message);
  url_.host_ = std::move(host->text);
  url_.address_ = host->address;
  return {};
}

// An "@" further on means that a slash in a password may have ended the authority too early: what
// passes for a host or port is then the name or password of a user, and is not repeated.
Error UrlParser::host_error(std::string_view host, std::string_view predicate) const {
  auto const may_be_credentials = rest().find('@') != std::string_view::npos;
  return fail(Errc::InvalidInput, "The host " + (may_be_credentials ? "of the URL" : quoted(host)) +
                                      " " + std::string{predicate} + ".");
}

Result<void> UrlParser::port(std::string_view text) {
  std::uint32_t value = 0;
  for (char const c : text) {
    if (!is_digit(c)) {
      return fail(Errc::InvalidInput,
                  "The port of the URL is no number; special characters in credentials have to be "
                  "percent-encoded.");
    }
    value = std::min<std::uint32_t>(value * 10 + static_cast<std::uint32_t>(c - '0'), 0x10000);
  }
  if (value > 0xFFFF) {
    auto const may_be_credentials = rest().find('@') != std::string_view::npos;
    auto const number = may_be_credentials ? "" : std::string{text.substr(0, 20)} + " ";
    return fail(Errc::InvalidInput, "The port " + number + "of the URL is above 65535.");
  }
  auto const is_default = value != 0 && value == default_port(url_.scheme_);
  if (!text.empty() && !is_default) {
    url_.port_ = static_cast<std::uint16_t>(value);
  }
  return {};
}

}  // namespace sallyport::url
