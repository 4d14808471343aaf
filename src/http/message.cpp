#include "src/http/message.hpp"

#include "src/base/ascii.hpp"
#include "src/http/chars.hpp"

#include <algorithm>

namespace sallyport::http {
namespace {

// https://url.spec.whatwg.org/#urlencoded-parsing: '+' is a space, a '%' that starts no escape
// stands for itself.
std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const escape = text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 &&
                        hex_value(text[at + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
      at += 2;
    } else {
      out += text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](char a, char b) { return a == b || to_lower(a) == to_lower(b); });
}

void Headers::erase(std::string_view name) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (equals_ignoring_case(fields_[i].name, name)) continue;
    if (kept != i) std::swap(fields_[kept], fields_[i]);
    ++kept;
  }
  size_ = kept;
}

std::string const* Headers::find(std::string_view name) const noexcept {
  for (auto const& field : *this) {
    if (equals_ignoring_case(field.name, name)) return &field.value;
  }
  return nullptr;
}

std::size_t Headers::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(std::count_if(
      begin(), end(), [&](Field const& field) { return equals_ignoring_case(field.name, name); }));
}

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto const pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    auto const equals = pair.find('=');
    if (decoded(pair.substr(0, equals)) != name) continue;
    return equals == std::string_view::npos ? std::string{} : decoded(pair.substr(equals + 1));
  }
  return {};
}

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

}  // namespace sallyport::http
