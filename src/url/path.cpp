#include "src/url/path.hpp"

#include "src/url/ascii.hpp"
#include "src/url/percent_encode.hpp"

namespace sallyport::url {
namespace {

// How many dots a segment stands for when it consists of "." and "%2e" only; 0 for all others.
int dots_of(std::string_view segment) noexcept {
  if (segment.empty() || segment.size() > 6) return 0;
  int dots = 0;
  while (!segment.empty()) {
    auto const is_encoded = segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' &&
                            to_lower(segment[2]) == 'e';
    if (segment.front() != '.' && !is_encoded) return 0;
    segment.remove_prefix(is_encoded ? 3 : 1);
    ++dots;
  }
  return dots <= 2 ? dots : 0;
}

void append_segment(std::string& path, std::string_view segment, PathScheme scheme) {
  auto const is_first = path.empty();
  path.push_back('/');
  if (scheme == PathScheme::File && is_first && is_drive_letter(segment)) {
    path.append({segment.front(), ':'});
    return;
  }
  append_encoded(path, segment, kPathSet);
}

}  // namespace

bool is_drive_letter(std::string_view text) noexcept {
  return text.size() == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool starts_with_drive_letter(std::string_view text) noexcept {
  return is_drive_letter(text.substr(0, 2)) &&
         (text.size() == 2 || std::string_view{"/\\?#"}.find(text[2]) != std::string_view::npos);
}

std::string_view drive_of(std::string_view path) noexcept {
  auto const has_drive = path.size() >= 3 && is_alpha(path[1]) && path[2] == ':' &&
                         (path.size() == 3 || path[3] == '/');
  return has_drive ? path.substr(0, 3) : std::string_view{};
}

void shorten(std::string& path, PathScheme scheme) {
  auto const is_drive_alone = path.size() == 3 && !drive_of(path).empty();
  if (path.empty() || (scheme == PathScheme::File && is_drive_alone)) return;
  path.resize(path.rfind('/'));
}

std::size_t append_segments(std::string& path, std::string_view input, PathScheme scheme) {
  std::string_view const ends = scheme == PathScheme::Other ? "/?#" : "/\\?#";
  std::size_t at = 0;
  while (true) {
    auto const stop = std::min(input.find_first_of(ends, at), input.size());
    auto const segment = input.substr(at, stop - at);
    auto const is_last = stop == input.size() || input[stop] == '?' || input[stop] == '#';
    auto const dots = dots_of(segment);
    if (dots == 0) append_segment(path, segment, scheme);
    if (dots == 2) shorten(path, scheme);
    if (dots != 0 && is_last) path.push_back('/');
    if (is_last) return stop;
    at = stop + 1;
  }
}

}  // namespace sallyport::url
