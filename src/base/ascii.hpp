// Case of ASCII letters, whatever the locale: names of headers, hosts and schemes ignore it.
#pragma once

#include <string>
#include <string_view>

namespace sallyport {

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lowered(std::string_view text) {
  std::string result{text};
  for (auto& c : result) c = to_lower(c);
  return result;
}

}  // namespace sallyport
