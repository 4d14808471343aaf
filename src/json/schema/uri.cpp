#include "src/json/schema/uri.hpp"

#include <charconv>

namespace sallyport::json {
namespace {

struct Parts {
  std::string_view scheme;     // with ':'
  std::string_view authority;  // with "//"
  std::string_view path;
  std::string_view query;  // with '?'
};

Parts parts_of(std::string_view uri) {
  Parts parts;
  auto const colon = uri.find_first_of(":/?");
  if (colon != std::string_view::npos && colon > 0 && uri[colon] == ':') {
    parts.scheme = uri.substr(0, colon + 1);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    auto const end = uri.find_first_of("/?", 2);
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(parts.authority.size());
  }
  auto const query = uri.find('?');
  parts.path = uri.substr(0, query);
  if (query != std::string_view::npos) parts.query = uri.substr(query);
  return parts;
}

// RFC 3986, section 5.2.4.
std::string without_dot_segments(std::string_view path) {
  std::string out;
  auto const drop_last = [&out] {
    auto const slash = out.find_last_of('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      auto const segment = path.substr(0, path.find('/', 1));
      out += segment;
      path.remove_prefix(segment.size());
    }
  }
  return out;
}

std::string merged_path(Parts const& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return "/" + std::string{path};
  auto const slash = base.path.find_last_of('/');
  auto const folder =
      slash == std::string_view::npos ? std::string_view{} : base.path.substr(0, slash + 1);
  return std::string{folder} + std::string{path};
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path,
                   std::string_view query) {
  std::string uri{scheme};
  uri.append(authority).append(path).append(query);
  return uri;
}

std::string resolve_without_fragment(Parts const& base, Parts const& reference) {
  if (!reference.scheme.empty()) {
    auto const path = reference.authority.empty() ? std::string{reference.path}
                                                  : without_dot_segments(reference.path);
    return joined(reference.scheme, reference.authority, path, reference.query);
  }
  if (!reference.authority.empty()) {
    return joined(base.scheme, reference.authority, without_dot_segments(reference.path),
                  reference.query);
  }
  if (reference.path.empty()) {
    auto const query = reference.query.empty() ? base.query : reference.query;
    return joined(base.scheme, base.authority, base.path, query);
  }
  auto const path = reference.path.starts_with('/') ? std::string{reference.path}
                                                    : merged_path(base, reference.path);
  return joined(base.scheme, base.authority, without_dot_segments(path), reference.query);
}

}  // namespace

SplitUri split_fragment(std::string_view uri) noexcept {
  auto const hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  auto const [target, fragment] = split_fragment(reference);
  auto uri = resolve_without_fragment(parts_of(base), parts_of(target));
  if (!fragment.empty()) uri.append("#").append(fragment);
  return uri;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte{0};
    if (text[at] == '%' && text.size() - at >= 3) {
      auto const* const first = text.data() + at + 1;
      if (std::from_chars(first, first + 2, byte, 16).ptr == first + 2) {
        out += static_cast<char>(byte);
        at += 2;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

}  // namespace sallyport::json
