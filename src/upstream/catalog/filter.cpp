#include "src/upstream/catalog/filter.hpp"

#include <algorithm>
#include <optional>

namespace sallyport::upstream {
namespace {

// Behind the character that begins at `at`, which may have several bytes.
std::size_t after_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

}  // namespace

// Only the last `*` has to be tried with more characters: if what stands before it has matched at
// all, it has matched as early as possible.
bool matches_glob(std::string_view pattern, std::string_view name) {
  struct Retry {
    std::size_t pattern;
    std::size_t name;
  };
  std::optional<Retry> retry;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      retry = {++p, n};
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n = after_character(name, n);
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (retry) {
      retry->name = after_character(name, retry->name);
      p = retry->pattern;
      n = retry->name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool offers(ToolFilter const& filter, std::string_view name) {
  auto const matches = [&](std::string const& pattern) { return matches_glob(pattern, name); };
  return std::ranges::any_of(filter.allow, matches) && std::ranges::none_of(filter.deny, matches);
}

}  // namespace sallyport::upstream
