#include "src/rego/builtins/go_url.hpp"

#include "src/rego/builtins/quote.hpp"
#include "src/url/ip_address.hpp"

#include <algorithm>

namespace sallyport::rego::builtins {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_one_of(char c, std::string_view of) noexcept {
  return of.find(c) != kNone;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool must_escape(char c, UrlPart part) noexcept {
  if (is_alphanumeric(c) || is_one_of(c, "-_.~")) return false;
  switch (part) {
    case UrlPart::Path: return !is_one_of(c, "$&+,/:;=@");
    case UrlPart::Query: return true;
    case UrlPart::UserPassword: return !is_one_of(c, "$&+,;=");
    case UrlPart::Host:
    case UrlPart::Zone: return !is_one_of(c, "!$&'()*+,;=:[]<>\"");
    case UrlPart::Fragment: return !is_one_of(c, "$&+,/:;=?@!()*");
  }
  return true;
}

std::string bad_escape(std::string_view escape) {
  return "invalid URL escape " + quoted(escape.substr(0, 3));
}

// Whether the escape at the beginning of `text` may stand in this part.
bool is_good_escape(std::string_view text, UrlPart part) {
  if (text.size() < 3 || hex_value(text[1]) < 0 || hex_value(text[2]) < 0) return false;
  if (text.starts_with("%25")) return true;
  auto const byte = static_cast<char>(hex_value(text[1]) << 4 | hex_value(text[2]));
  // In a host only bytes beyond ASCII are escaped; in a zone also what could not stand there.
  if (part == UrlPart::Host) return hex_value(text[1]) >= 8;
  if (part == UrlPart::Zone) return byte == ' ' || !must_escape(byte, UrlPart::Host);
  return true;
}

bool is_valid_port(std::string_view colon_port) {
  if (colon_port.empty()) return true;
  return colon_port.front() == ':' &&
         std::ranges::all_of(colon_port.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_valid_user_info(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || is_one_of(c, "-._:~!$&'()*+,;=%@"); });
}

class Parser {
 public:
  explicit Parser(std::string& error) : error_{error} {}

  bool parse(std::string_view text, GoUrl& url) {
    if (std::ranges::any_of(
            text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      return fail("net/url: invalid control character in URL");
    }
    if (text == "*") {
      url.path = "*";
      return true;
    }
    if (!take_scheme(text, url)) return false;
    take_query(text, url);
    if (!text.starts_with('/')) {
      // A scheme without slashes: what follows is opaque ("mailto:a@b").
      if (!url.scheme.empty()) return true;
      if (text.substr(0, text.find('/')).find(':') != kNone) {
        return fail("first path segment in URL cannot contain colon");
      }
    }
    if ((!url.scheme.empty() || !text.starts_with("///")) && text.starts_with("//")) {
      text.remove_prefix(2);
      auto const authority = text.substr(0, text.find('/'));
      text.remove_prefix(authority.size());
      if (!parse_authority(authority, url)) return false;
    }
    return set_path(text, url);
  }

 private:
  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  bool take_scheme(std::string_view& text, GoUrl& url) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      char const c = text[i];
      if (c == ':') {
        if (i == 0) return fail("missing protocol scheme");
        url.scheme = text.substr(0, i);
        std::ranges::transform(url.scheme, url.scheme.begin(), [](char letter) {
          return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 0x20) : letter;
        });
        text.remove_prefix(i + 1);
        return true;
      }
      auto const is_letter = is_alphanumeric(c) && (c < '0' || c > '9');
      if (!is_letter && (i == 0 || !(is_alphanumeric(c) || is_one_of(c, "+-.")))) return true;
    }
    return true;
  }

  static void take_query(std::string_view& text, GoUrl& url) {
    auto const mark = text.find('?');
    if (mark == kNone) return;
    url.raw_query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }

  bool parse_authority(std::string_view authority, GoUrl& url) {
    auto const at = authority.rfind('@');
    auto const host = at == kNone ? authority : authority.substr(at + 1);
    if (!parse_host(host, url)) return false;
    if (at == kNone) return true;
    auto const user_info = authority.substr(0, at);
    if (!is_valid_user_info(user_info)) return fail("net/url: invalid userinfo");
    return go_unescape(user_info, UrlPart::UserPassword, error_).has_value();
  }

  bool parse_host(std::string_view host, GoUrl& url) {
    if (auto const open = host.rfind('['); open != kNone) return parse_literal(host, open, url);
    auto colon = host.rfind(':');
    // More than one colon is refused where the scheme is known to have none in its hosts.
    if (url.scheme == "http" || url.scheme == "https") colon = host.find(':');
    if (colon != kNone && !is_valid_port(host.substr(colon))) return bad_port(host.substr(colon));
    auto unescaped = go_unescape(host, UrlPart::Host, error_);
    if (!unescaped) return false;
    url.host = std::move(*unescaped);
    return true;
  }

  bool bad_port(std::string_view colon_port) {
    return fail("invalid port " + quoted(colon_port) + " after host");
  }

  // "[::1]:80", "[fe80::1%25en0]"
  bool parse_literal(std::string_view host, std::size_t open, GoUrl& url) {
    auto const close = host.rfind(']');
    if (close == kNone) return fail("missing ']' in host");
    auto const colon_port = host.substr(close + 1);
    if (!is_valid_port(colon_port)) return bad_port(colon_port);
    if (open != 0 || close < open) return fail("invalid IP-literal");
    auto const name = host.substr(1, close - 1);
    auto const zone_at = std::min(name.find("%25"), name.size());
    auto const address = go_unescape(name.substr(0, zone_at), UrlPart::Host, error_);
    if (!address) return false;
    auto const zone = go_unescape(name.substr(zone_at), UrlPart::Zone, error_);
    if (!zone) return false;
    auto const parsed = url::IpAddress::parse(*address);
    if (!parsed)
      return fail("invalid host: ParseAddr(" + quoted(*address) + "): unable to parse IP");
    if (parsed->is_v4()) return fail("invalid IP-literal");
    url.host = "[" + *address + *zone + "]" + std::string{colon_port};
    return true;
  }

  bool set_path(std::string_view text, GoUrl& url) {
    auto path = go_unescape(text, UrlPart::Path, error_);
    if (!path) return false;
    url.path = std::move(*path);
    if (go_escape(url.path, UrlPart::Path) != text) url.raw_path = text;
    return true;
  }

  std::string& error_;
};

std::size_t port_colon(std::string_view host) noexcept {
  auto const colon = host.rfind(':');
  return colon != kNone && is_valid_port(host.substr(colon)) ? colon : kNone;
}

}  // namespace

std::string go_escape(std::string_view text, UrlPart part) {
  std::string result;
  result.reserve(text.size());
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (!must_escape(c, part)) {
      result += c;
    } else if (c == ' ' && part == UrlPart::Query) {
      result += '+';
    } else {
      result += '%';
      result += "0123456789ABCDEF"[byte >> 4];
      result += "0123456789ABCDEF"[byte & 0xF];
    }
  }
  return result;
}

std::optional<std::string> go_unescape(std::string_view text, UrlPart part, std::string& error) {
  auto const is_host = part == UrlPart::Host || part == UrlPart::Zone;
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    char const c = text.front();
    std::size_t width = 1;
    if (c == '%') {
      if (!is_good_escape(text, part)) {
        error = bad_escape(text);
        return std::nullopt;
      }
      result += static_cast<char>(hex_value(text[1]) << 4 | hex_value(text[2]));
      width = 3;
    } else if (is_host && static_cast<unsigned char>(c) < 0x80 && must_escape(c, part)) {
      error = "invalid character " + quoted(text.substr(0, 1)) + " in host name";
      return std::nullopt;
    } else {
      result += c == '+' && part == UrlPart::Query ? ' ' : c;
    }
    text.remove_prefix(width);
  }
  return result;
}

std::string_view GoUrl::hostname() const noexcept {
  auto name = std::string_view{host}.substr(0, port_colon(host));
  if (name.size() >= 2 && name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

std::string_view GoUrl::port() const noexcept {
  auto const colon = port_colon(host);
  return colon == kNone ? std::string_view{} : std::string_view{host}.substr(colon + 1);
}

std::optional<GoUrl> parse_go_url(std::string_view text, std::string& error) {
  auto const hash = text.find('#');
  auto const main = text.substr(0, hash);
  GoUrl url;
  if (!Parser{error}.parse(main, url)) {
    error = "parse " + quoted(main) + ": " + error;
    return std::nullopt;
  }
  if (hash == kNone) return url;
  auto fragment = go_unescape(text.substr(hash + 1), UrlPart::Fragment, error);
  if (!fragment) {
    error = "parse " + quoted(text) + ": " + error;
    return std::nullopt;
  }
  url.fragment = std::move(*fragment);
  return url;
}

}  // namespace sallyport::rego::builtins
