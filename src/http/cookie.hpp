// One Set-Cookie field, read as RFC 6265bis, section 5.6, says.
#pragma once

#include "src/http/dates.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::http {

enum class SameSite { Default, None, Lax, Strict };

// What the server wrote; what it means depends on who wrote it (cookie_jar.hpp).
struct SetCookie {
  std::string name;
  std::string value;
  std::string domain;               // without a leading dot, in lower case; empty: none
  std::optional<std::string> path;  // only one that starts with a slash
  std::optional<WallTime> expires;  // Max-Age before Expires; none: until the jar is forgotten
  bool secure{false};
  bool http_only{false};
  SameSite same_site{SameSite::Default};
};

// Without a value: the field is to be ignored.
std::optional<SetCookie> parse_set_cookie(std::string_view text, WallTime now);

}  // namespace sallyport::http
