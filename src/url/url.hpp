// A URL as the WHATWG URL Standard (https://url.spec.whatwg.org/) reads it: the one parse.
//
// Whatever is judged, dialled, shown and written down is this value; nothing downstream sees the
// text that it was made from.
#pragma once

#include "src/base/result.hpp"
#include "src/url/ip_address.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::url {

class Url {
 public:
  // Fails with InvalidInput; the message says what is wrong with it, without repeating a password.
  static Result<Url> parse(std::string_view input, Url const* base = nullptr);

  std::string href() const;

  std::string const& scheme() const noexcept { return scheme_; }  // "https", without the colon
  std::string const& username() const noexcept { return username_; }
  std::string const& password() const noexcept { return password_; }
  bool has_credentials() const noexcept { return !username_.empty() || !password_.empty(); }

  // As serialised: lower-case ASCII name, dotted IPv4, or IPv6 in brackets. Without a value: the
  // URL has no host (mailto:); empty: an empty one (file:///).
  std::optional<std::string> const& host() const noexcept { return host_; }
  // The host, where it is an address in whatever spelling.
  std::optional<IpAddress> const& address() const noexcept { return address_; }
  // Without a value: the scheme's default.
  std::optional<std::uint16_t> port() const noexcept { return port_; }
  // The port to dial; 0 when the scheme has none.
  std::uint16_t effective_port() const noexcept;

  std::string const& path() const noexcept { return path_; }  // "/a/b", or opaque
  bool has_opaque_path() const noexcept { return opaque_path_; }
  std::optional<std::string> const& query() const noexcept { return query_; }        // without '?'
  std::optional<std::string> const& fragment() const noexcept { return fragment_; }  // without '#'

  bool is_special() const noexcept;  // http, https, ws, wss, ftp, file
  // "https://example.com:8443"; "null" for schemes without one.
  std::string origin() const;
  // The host with its port where that is not the default: what a Host header says.
  std::string authority() const;
  // What a request line says: path and query.
  std::string target() const;

  Url without_fragment() const;
  Url without_credentials() const;

 private:
  friend class UrlParser;
  Url() = default;

  std::string scheme_;
  std::string username_;
  std::string password_;
  std::optional<std::string> host_;
  std::optional<IpAddress> address_;
  std::optional<std::uint16_t> port_;
  std::string path_;
  bool opaque_path_{false};
  std::optional<std::string> query_;
  std::optional<std::string> fragment_;
};

// False whenever one of them has no origin of its own.
bool same_origin(Url const& left, Url const& right) noexcept;

// Whether `path` is `prefix` or lies below it, by whole segments: "/api" holds "/api/x" and
// "/api?", not "/apix". Both as in Url::path(). Servers disagree about encoded slashes, backslashes
// and dots: a prefix that has one holds nothing, and neither does any prefix hold a path that a
// lenient server could climb out of it with ("/api/..%2fadmin"). "/" holds everything.
bool path_has_prefix(std::string_view path, std::string_view prefix) noexcept;

// A name as it stands in DNS (UTS 46 ToASCII as the URL Standard asks for it), in lower case. A
// name that is all ASCII is not examined further than for characters that no name has: "xn--a"
// passes.
Result<std::string> domain_to_ascii(std::string_view domain);

}  // namespace sallyport::url
