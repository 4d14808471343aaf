#include "src/rego/crypto/uri_value.hpp"

#include "src/rego/build.hpp"
#include "src/rego/crypto/go_values.hpp"

#include <algorithm>
#include <string>

namespace sallyport::rego::crypto {
namespace {

struct Parts {
  std::string_view scheme;
  std::string_view opaque;
  std::string_view user;
  std::string_view host;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
  bool has_user{false};
  bool has_empty_query{false};
};

// What stands before the first `separator`; `text` becomes what stands behind it.
bool cut(std::string_view& text, std::string_view separator, std::string_view& before) noexcept {
  auto const at = text.find(separator);
  if (at == std::string_view::npos) return false;
  before = text.substr(0, at);
  text.remove_prefix(at + separator.size());
  return true;
}

bool is_scheme(std::string_view text) noexcept {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

Parts split(std::string_view text) noexcept {
  Parts parts;
  if (std::string_view before; cut(text, "#", before)) {
    parts.fragment = text;
    text = before;
  }
  if (auto const colon = text.find(':'); is_scheme(text.substr(0, colon)) && colon < text.size()) {
    parts.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (std::string_view before; cut(text, "?", before)) {
    parts.query = text;
    parts.has_empty_query = text.empty();
    text = before;
  }
  if (!text.starts_with('/') && !parts.scheme.empty()) {
    parts.opaque = text;
    return parts;
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    auto authority = text.substr(0, text.find('/'));
    text.remove_prefix(authority.size());
    if (auto const at = authority.rfind('@'); at != std::string_view::npos) {
      parts.has_user = true;
      parts.user = authority.substr(0, at);
      authority.remove_prefix(at + 1);
    }
    parts.host = authority;
  }
  parts.path = text;
  return parts;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const is_escape = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                           hex_value(text[i + 2]) >= 0;
    if (!is_escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

}  // namespace

Value uri_value(std::string_view text, Arena& arena) {
  auto const parts = split(text);
  std::string scheme{parts.scheme};
  for (auto& c : scheme) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  ObjectBuilder uri{arena, 11};
  uri.add("Scheme", text_value(scheme, arena));
  uri.add("Opaque", text_value(parts.opaque, arena));
  // Names and passwords are not exported.
  uri.add("User", parts.has_user ? ObjectBuilder{arena}.finish() : Value::null());
  uri.add("Host", text_value(unescaped(parts.host), arena));
  uri.add("Path", text_value(unescaped(parts.path), arena));
  uri.add("RawPath", text_value("", arena));
  uri.add("OmitHost", Value::boolean(false));
  uri.add("ForceQuery", Value::boolean(parts.has_empty_query));
  uri.add("RawQuery", text_value(parts.query, arena));
  uri.add("Fragment", text_value(unescaped(parts.fragment), arena));
  uri.add("RawFragment", text_value("", arena));
  return uri.finish();
}

}  // namespace sallyport::rego::crypto
