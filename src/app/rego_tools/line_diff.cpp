#include "src/app/rego_tools/line_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sallyport::app::rego_tools {
namespace {

constexpr std::size_t kContext = 3;
// The table of common subsequences has a cell for each pair of lines. Beyond this everything
// between the first and the last difference is shown as one change.
constexpr std::size_t kMostCells = std::size_t{16} << 20;

using Lines = std::vector<std::string_view>;

struct Edit {
  char mark;  // ' ', '-' or '+'
  std::string_view line;
};

// Each with its end, so that a last line without one differs from one that has it.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    auto const end = text.find('\n');
    auto const size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// What both have in common stays, by the classic table of longest common subsequences.
void add_middle(Lines const& before, Lines const& after, std::vector<Edit>& edits) {
  auto const columns = after.size() + 1;
  bool const small = (before.size() + 1) * columns <= kMostCells;
  std::vector<std::uint32_t> longest(small ? (before.size() + 1) * columns : 0);
  auto const at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return longest[i * columns + j];
  };
  for (std::size_t i = before.size(); small && i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      at(i, j) =
          before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    bool const both = i < before.size() && j < after.size();
    if (small && both && before[i] == after[j]) {
      edits.push_back({' ', before[i++]});
      ++j;
    } else if (j == after.size() || (both && (!small || at(i + 1, j) >= at(i, j + 1)))) {
      edits.push_back({'-', before[i++]});
    } else {
      edits.push_back({'+', after[j++]});
    }
  }
}

std::vector<Edit> edits_between(Lines const& before, Lines const& after) {
  auto const shorter = std::min(before.size(), after.size());
  std::size_t same = 0;
  while (same < shorter && before[same] == after[same]) ++same;
  std::size_t same_end = 0;
  while (same_end < shorter - same &&
         before[before.size() - 1 - same_end] == after[after.size() - 1 - same_end]) {
    ++same_end;
  }
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < same; ++i) edits.push_back({' ', before[i]});
  auto const middle = [&](Lines const& all) {
    return Lines(all.begin() + static_cast<std::ptrdiff_t>(same),
                 all.end() - static_cast<std::ptrdiff_t>(same_end));
  };
  add_middle(middle(before), middle(after), edits);
  for (std::size_t i = before.size() - same_end; i < before.size(); ++i) {
    edits.push_back({' ', before[i]});
  }
  return edits;
}

struct Hunk {
  std::size_t first;
  std::size_t end;
};

std::vector<Hunk> hunks_of(std::vector<Edit> const& edits) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    auto const first = i - std::min(i, kContext);
    auto const end = std::min(i + kContext + 1, edits.size());
    if (!hunks.empty() && hunks.back().end >= first) {
      hunks.back().end = end;
    } else {
      hunks.push_back({first, end});
    }
  }
  return hunks;
}

std::string range_text(std::size_t first, std::size_t count) {
  // A range of no lines is named by the line before it.
  auto const start = count == 0 ? first - 1 : first;
  return count == 1 ? fmt::format("{}", start) : fmt::format("{},{}", start, count);
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return {};
  auto const edits = edits_between(lines_of(before), lines_of(after));
  auto text = fmt::format("--- {0}\n+++ {0} (formatted)\n", name);
  std::size_t old_row = 1;
  std::size_t new_row = 1;
  std::size_t done = 0;
  for (auto const& [first, end] : hunks_of(edits)) {
    old_row += first - done;  // only lines that both have lie between hunks
    new_row += first - done;
    std::string body;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (auto i = first; i < end; ++i) {
      body += fmt::format("{}{}", edits[i].mark, edits[i].line);
      if (!edits[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
      old_count += edits[i].mark == '+' ? 0 : 1;
      new_count += edits[i].mark == '-' ? 0 : 1;
    }
    text += fmt::format("@@ -{} +{} @@\n{}", range_text(old_row, old_count),
                        range_text(new_row, new_count), body);
    old_row += old_count;
    new_row += new_count;
    done = end;
  }
  return text;
}

}  // namespace sallyport::app::rego_tools
