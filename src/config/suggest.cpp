#include "src/config/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sallyport::config {
namespace {

constexpr std::size_t kLongestWord = 128;

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      current[j] = std::min({replaced, last[j] + 1, current[j - 1] + 1});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<std::string const> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::string const* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (auto const& candidate : candidates) {
    auto const d = distance(word, candidate);
    if (d >= best_distance) continue;
    best = &candidate;
    best_distance = d;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<std::string const> candidates) {
  auto const found = nearest(word, candidates);
  return found ? " (did you mean " + *found + "?)" : std::string{};
}

}  // namespace sallyport::config
