#include "src/policy/lenient_path.hpp"

#include "src/http/chars.hpp"
#include "src/url/url.hpp"

#include <string>
#include <vector>

namespace sallyport::policy {
namespace {

using Segments = std::vector<std::string>;

std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const escape = text[at] == '%' && at + 2 < text.size() &&
                        http::hex_value(text[at + 1]) >= 0 && http::hex_value(text[at + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(http::hex_value(text[at + 1]) * 16 + http::hex_value(text[at + 2]));
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

void enter_segment(Segments& segments, std::string_view segment) {
  segment = segment.substr(0, segment.find(';'));  // parameters of a segment, as Java servers do
  if (segment.empty() || segment == ".") return;
  if (segment == "..") {
    if (!segments.empty()) segments.pop_back();
    return;
  }
  auto& entered = segments.emplace_back(segment);
  for (char& c : entered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

Segments segments_of(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    auto const end = std::min(path.find_first_of("/\\"), path.size());
    enter_segment(segments, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

bool begins_with(Segments const& segments, Segments const& prefix) {
  return segments.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), segments.begin());
}

}  // namespace

bool path_may_have_prefix(std::string_view path, std::string_view prefix) {
  if (url::path_has_prefix(path, prefix)) return true;
  auto const wanted = segments_of(decoded(prefix));
  auto const once = decoded(path);
  // Some decode twice: a proxy, then the server behind it.
  return begins_with(segments_of(path), wanted) || begins_with(segments_of(once), wanted) ||
         begins_with(segments_of(decoded(once)), wanted);
}

}  // namespace sallyport::policy
