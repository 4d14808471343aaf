// Escaping and parsing of URLs as Go's net/url does it, which is neither the browser's way
// (src/url) nor quite RFC 3986: OPA's policies are written against it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego::builtins {

enum class UrlPart { Path, Query, UserPassword, Host, Zone, Fragment };

std::string go_escape(std::string_view text, UrlPart part);
// Nothing, with the reason in `error`, where an escape is wrong or a byte may not be in a host.
std::optional<std::string> go_unescape(std::string_view text, UrlPart part, std::string& error);

struct GoUrl {
  std::string scheme;
  std::string host;  // with the port
  std::string path;
  std::string raw_path;  // empty where it is the usual encoding of the path
  std::string raw_query;
  std::string fragment;

  std::string_view hostname() const noexcept;
  std::string_view port() const noexcept;
};

// Nothing with a text as `parse "http://a b": invalid character " " in host name` in `error`.
std::optional<GoUrl> parse_go_url(std::string_view text, std::string& error);

}  // namespace sallyport::rego::builtins
