#include "src/stream/handle.hpp"

#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"

#include <algorithm>
#include <array>

namespace sallyport::stream {

std::string new_handle() {
  std::array<char, 16> bytes{};
  fill_random(bytes.data(), bytes.size());
  return base64::encode_url({bytes.data(), bytes.size()});
}

bool is_view_name(std::string_view name) noexcept {
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kLongest = 64;
  auto const is_allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return name.size() >= kShortest && name.size() <= kLongest &&
         std::ranges::all_of(name, is_allowed);
}

}  // namespace sallyport::stream
