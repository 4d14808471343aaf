#include "src/tools/run_js/execution_output.hpp"

#include "src/content/utf8.hpp"

#include <algorithm>
#include <limits>

namespace sallyport::tools {
namespace {

std::size_t character_after(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && content::is_utf8_continuation(text[at])) ++at;
  return std::min(at, text.size());
}

std::size_t character_before(std::string_view text, std::size_t at) noexcept {
  while (at > 0 && at < text.size() && content::is_utf8_continuation(text[at])) --at;
  return std::min(at, text.size());
}

// Where a part ends that begins at `start`: it has at least one character.
std::size_t part_end(std::string_view text, std::size_t start, std::size_t limit) noexcept {
  if (start >= text.size() || limit >= text.size() - start) return text.size();
  auto const end = character_before(text, start + limit);
  return end > start ? end : character_after(text, start + 1);
}

}  // namespace

void ExecutionOutput::add(std::string_view text) {
  if (is_cut_) return;
  // Starts of lines are kept in 32 bits: that index is four times as large as empty lines already.
  auto const most = std::min<std::size_t>(most_bytes_, std::numeric_limits<std::uint32_t>::max());
  auto const room = most - std::min(most, text_.size());
  is_cut_ = text.size() >= room;
  if (is_cut_) {
    add_bytes(text.substr(0, character_before(text, room)));
  } else {
    add_bytes(text);
    add_bytes("\n");
  }
}

void ExecutionOutput::add_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  auto const begin = text_.size();
  if (begin == 0 || text_.back() == '\n') line_starts_.push_back(static_cast<std::uint32_t>(begin));
  text_ += bytes;
  for (auto at = text_.find('\n', begin); at < text_.size() - 1; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

OutputPage ExecutionOutput::lines(std::size_t offset, std::size_t limit,
                                  std::size_t most_bytes) const {
  auto const first = std::min(offset, total_lines());
  auto const start = line_start(first);
  auto end_line = first + std::min(limit, total_lines() - first);
  if (line_start(end_line) - start > most_bytes) {
    end_line = std::max(first, line_of(start + most_bytes));
  }
  if (end_line > first || first == total_lines() || limit == 0) {
    return page(start, line_start(end_line));
  }
  return page(start, part_end(std::string_view{text_}, start, most_bytes));
}

OutputPage ExecutionOutput::bytes(std::size_t offset, std::size_t limit) const {
  auto const start = character_after(text_, std::min(offset, text_.size()));
  return page(start, part_end(text_, start, limit));
}

std::size_t ExecutionOutput::memory() const noexcept {
  return text_.capacity() + line_starts_.capacity() * sizeof(line_starts_[0]);
}

std::size_t ExecutionOutput::line_start(std::size_t line) const noexcept {
  return line < line_starts_.size() ? line_starts_[line] : text_.size();
}

// The line that has the byte.
std::size_t ExecutionOutput::line_of(std::size_t byte) const noexcept {
  auto const behind = std::ranges::upper_bound(line_starts_, byte);
  return static_cast<std::size_t>(behind - line_starts_.begin()) - (line_starts_.empty() ? 0 : 1);
}

OutputPage ExecutionOutput::page(std::size_t start, std::size_t end) const {
  OutputPage page{.data = text_.substr(start, end - start),
                  .start_byte = start,
                  .end_byte = end,
                  .total_lines = total_lines(),
                  .total_bytes = total_bytes()};
  page.start_line = start < text_.size() ? line_of(start) : total_lines();
  page.end_line = end > start ? line_of(end - 1) + 1 : page.start_line;
  page.cuts_line = end > start && end < text_.size() && text_[end - 1] != '\n';
  return page;
}

}  // namespace sallyport::tools
