// Set-Cookie fields and dates of whatever server: none may break the jar, and what the jar sends
// back must be fit to be sent.
#include "src/http/chars.hpp"
#include "src/http/cookie_jar.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using sallyport::http::CookieJar;
using sallyport::http::CookiePlace;
using sallyport::http::WallTime;

// Lines are fields that one server sends, one after the other.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view text{reinterpret_cast<char const*>(data), size};
  WallTime now{std::chrono::seconds{1'772'323'200}};
  CookieJar jar{{.per_domain = 4, .total = 8}};
  while (!text.empty()) {
    auto const end = text.find('\n');
    auto const line = text.substr(0, end);
    CookiePlace const place{"www.example.com", "/a/b", line.size() % 2 == 0, false};
    jar.store(line, place, now);
    sallyport::http::parse_http_date(line, now);
    auto const header = jar.header_for(place, now);
    if (!sallyport::http::is_field_value(header) || jar.size() > 8) std::abort();
    if (!jar.header_for({"com", "/", true, false}, now).empty()) std::abort();
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    now += std::chrono::seconds{1};
  }
  return 0;
}
