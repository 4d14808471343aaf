// What a script has written to its console, so that a page of it costs only the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools {

// Lines and bytes are counted from 0; `end` is the first that is not in the page. A page never
// splits a character.
struct OutputPage {
  std::string data;
  std::size_t start_line{0};
  std::size_t end_line{0};
  std::size_t start_byte{0};
  std::size_t end_byte{0};
  std::size_t total_lines{0};
  std::size_t total_bytes{0};
  bool cuts_line{false};  // its last line goes on behind the page

  bool has_more() const noexcept { return end_byte < total_bytes; }
};

class ExecutionOutput {
 public:
  explicit ExecutionOutput(std::size_t most_bytes) : most_bytes_{most_bytes} {}

  // Adds the text and ends its line. What goes beyond the limit is dropped.
  void add(std::string_view text);

  // Whole lines, as many as both limits allow. A line that is longer than `most_bytes` all alone is
  // cut: `end_byte` is then where it goes on.
  OutputPage lines(std::size_t offset, std::size_t limit, std::size_t most_bytes) const;
  // An offset inside a character moves to the next one. At least one character, if there is one.
  OutputPage bytes(std::size_t offset, std::size_t limit) const;

  std::size_t total_lines() const noexcept { return line_starts_.size(); }
  std::size_t total_bytes() const noexcept { return text_.size(); }
  bool is_cut() const noexcept { return is_cut_; }
  std::size_t memory() const noexcept;

 private:
  void add_bytes(std::string_view bytes);
  std::size_t line_start(std::size_t line) const noexcept;
  std::size_t line_of(std::size_t byte) const noexcept;
  OutputPage page(std::size_t start, std::size_t end) const;

  std::size_t most_bytes_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  bool is_cut_{false};
};

}  // namespace sallyport::tools
