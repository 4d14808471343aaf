#include "src/oauth/resource_url.hpp"

#include "src/http/chars.hpp"

#include <algorithm>

namespace sallyport::oauth {
namespace {

// Where the endpoint is when somebody asks for the metadata without naming it.
constexpr std::string_view kDefaultPath = "/mcp";

bool is_authority(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
  });
}

bool is_path(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < '\x7F' && c != '"' && c != '\\' && c != '?' && c != '#' && c != '<' &&
           c != '>';
  });
}

bool is_loopback(std::string_view authority) {
  for (std::string_view const host : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!authority.starts_with(host)) continue;
    auto const port = authority.substr(host.size());
    if (port.empty() ||
        (port.front() == ':' && std::ranges::all_of(port.substr(1), http::is_digit))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<SplitUrl> split_url(std::string_view url) {
  auto const scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  auto const scheme = url.substr(0, scheme_end);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  auto const begin = scheme_end + 3;
  auto const end = std::min(url.find('/', begin), url.size());
  if (!is_authority(url.substr(begin, end - begin)) || !is_path(url.substr(end))) {
    return std::nullopt;
  }
  return SplitUrl{std::string{url.substr(0, end)}, std::string{url.substr(end)}};
}

bool is_secure_url(std::string_view url) {
  url = url.substr(0, url.find('?'));
  auto const parts = split_url(url);
  if (!parts) return false;
  constexpr std::string_view kPlain = "http://";
  return !url.starts_with(kPlain) ||
         is_loopback(std::string_view{parts->origin}.substr(kPlain.size()));
}

std::optional<std::string> resource_of(http::ServerRequest const& request) {
  if (request.headers.count("Host") != 1) return std::nullopt;
  auto const& host = *request.headers.find("Host");
  std::string_view path = request.path;
  if (path.starts_with(kMetadataPath)) path.remove_prefix(kMetadataPath.size());
  if (path.empty() || path == "/") path = kDefaultPath;
  // SECURITY: both are the peer's words and go into a header and a document.
  if (!is_authority(host) || !path.starts_with('/') || !is_path(path)) return std::nullopt;
  return (request.secure ? "https://" : "http://") + host + std::string{path};
}

std::string metadata_url_of(std::string_view resource) {
  auto const parts = split_url(resource);
  if (!parts) return {};
  auto const path = parts->path == "/" ? std::string{} : parts->path;
  return parts->origin + std::string{kMetadataPath} + path;
}

}  // namespace sallyport::oauth
