#include "src/pipeline/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sallyport::pipeline {
namespace {

// More than any server takes.
constexpr std::size_t kLongestUrl = 64UL * 1024;

bool is_control(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

// Between the slashes and the path; empty without them.
std::string_view authority_of(std::string_view url) {
  auto const slashes = url.find("//");
  if (slashes == std::string_view::npos) return {};
  auto const rest = url.substr(slashes + 2);
  return rest.substr(0, rest.find_first_of("/?#"));
}

}  // namespace

Result<void> check_spelling(std::string_view url) {
  if (url.size() > kLongestUrl) {
    return fail(Errc::InvalidInput, fmt::format("The URL has {} bytes, but at most {} are allowed.",
                                                url.size(), kLongestUrl));
  }
  if (std::ranges::any_of(url, is_control)) {
    return fail(Errc::InvalidInput,
                "The URL contains a control character; write it as %XX, or leave it out.");
  }
  auto const before_query = url.substr(0, url.find_first_of("?#"));
  if (before_query.find('\\') != std::string_view::npos) {
    return fail(Errc::InvalidInput, "The URL contains a backslash; write a slash, or %5C.");
  }
  if (authority_of(before_query).find('@') != std::string_view::npos) {
    return fail(Errc::InvalidInput,
                "The URL has a user name before its host; send credentials in a header instead.");
  }
  return {};
}

}  // namespace sallyport::pipeline
