#include "src/oauth/upstream/secure_url.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kLongestUrl = 8192;

Error insecure(std::string_view what, std::string detail) {
  return fail(Errc::CredentialUnavailable,
              fmt::format("The server's {} cannot be used: it must be an https URL.", what),
              std::move(detail));
}

}  // namespace

bool is_loopback(url::Url const& address) noexcept {
  auto const& ip = address.address();
  if (!ip) return address.host() == "localhost";
  return ip->is_v4() ? ip->v4_bytes()[0] == 127 : ip->to_string() == "::1";
}

Result<url::Url> secure_url(std::string_view text, std::string_view what) {
  // The URL parser drops line ends and the like; nobody honest writes them.
  bool const printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
  if (!printable || text.size() > kLongestUrl) return insecure(what, "odd characters or too long");
  auto const parsed = url::Url::parse(text);
  if (!parsed) return insecure(what, "it is not a URL");
  auto const& scheme = parsed->scheme();
  if (scheme != "https" && scheme != "http") {
    return insecure(what, fmt::format("its scheme is {}", scheme));
  }
  if (scheme == "http" && !is_loopback(*parsed)) return insecure(what, shown(*parsed));
  if (parsed->has_credentials() || parsed->fragment()) {
    return insecure(what, "it has a user or a fragment");
  }
  return *parsed;
}

std::string shown(url::Url const& address) {
  return address.origin() + (address.has_opaque_path() ? "" : address.path());
}

}  // namespace sallyport::oauth::upstream
