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

enum class EmptyUser { Refused, Allowed };

bool names_user(std::string_view authority, EmptyUser empty) {
  auto const at = authority.find('@');
  if (at == std::string_view::npos) return false;
  bool const is_empty = at == 0 || authority.substr(0, at) == ":";
  bool const once = authority.find('@', at + 1) == std::string_view::npos;
  return !(empty == EmptyUser::Allowed && is_empty && once);
}

Result<void> check(std::string_view url, EmptyUser empty) {
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
  if (names_user(authority_of(before_query), empty)) {
    return fail(Errc::InvalidInput,
                "The URL has a user name before its host; send credentials in a header instead.");
  }
  return {};
}

}  // namespace

Result<void> check_spelling(std::string_view url) {
  return check(url, EmptyUser::Refused);
}

Result<void> check_location_spelling(std::string_view url) {
  return check(url, EmptyUser::Allowed);
}

}  // namespace sallyport::pipeline
