#include "src/url/ascii.hpp"
#include "src/url/url.hpp"

#include <algorithm>

namespace sallyport::url {
namespace {

// The character that `text` begins with and how long it is, reading %2e, %2f and %5c as some
// servers do.
struct Lenient {
  char character;
  std::size_t length;
};

Lenient first_of(std::string_view text) noexcept {
  if (text.size() >= 3 && text[0] == '%') {
    auto const value = hex_value(text[1]) * 16 + hex_value(text[2]);
    if (value == '.' || value == '/' || value == '\\') return {static_cast<char>(value), 3};
  }
  return {text.front(), 1};
}

// Whether a lenient server could find a dot segment in it: "..", "..%2f", "%2e.\", "..;x".
bool may_climb(std::string_view path) noexcept {
  std::size_t dots = 0;
  bool only_dots = true;
  while (!path.empty()) {
    auto const [character, length] = first_of(path);
    path.remove_prefix(length);
    if (character == '/' || character == '\\' || character == ';') {
      if (only_dots && dots == 2) return true;
      dots = 0;
      only_dots = character != ';';
    } else if (character == '.') {
      ++dots;
    } else {
      only_dots = false;
    }
  }
  return only_dots && dots == 2;
}

bool has_hidden_separator(std::string_view path) noexcept {
  while (!path.empty()) {
    auto const [character, length] = first_of(path);
    if (character == '\\' || length > 1) return true;
    path.remove_prefix(length);
  }
  return false;
}

}  // namespace

bool path_has_prefix(std::string_view path, std::string_view prefix) noexcept {
  if (prefix.empty() || prefix == "/") return true;
  if (!path.starts_with(prefix) || has_hidden_separator(prefix)) return false;
  auto const below = path.substr(prefix.size());
  auto const is_whole =
      below.empty() || below.front() == '/' || below.front() == '?' || prefix.ends_with('/');
  return is_whole && !may_climb(below);
}

}  // namespace sallyport::url
