// The lines of the output: blank lines between blocks, the prefixes of quotes and list items.
//
// Everything is written late: a line begins when its first text comes, so that empty elements leave
// no trace and nothing ends in a space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::content::html {

class Lines {
 public:
  explicit Lines(std::size_t max_output) : max_output_{max_output} {}

  // A list item ("- ", whose later lines are indented) or a quote ("> ", before every line). False
  // when the nesting is so deep that it adds nothing more: lines must not grow with it.
  bool push(std::string_view marker, std::string_view later);
  void pop();

  // At least so many line breaks before what comes next: 1 a new line, 2 a new block.
  void want_break(unsigned line_breaks) noexcept;
  // Exactly one, whatever was asked for: between the items of a list.
  void want_line() noexcept { breaks_ = text_.empty() ? 0 : 1; }

  bool at_line_start() const noexcept { return breaks_ > 0 || text_.empty(); }
  // Begins the line if it has not begun.
  void begin();
  // Ends the line at once, for lines that are written whole.
  void next_line();
  // A blank line that belongs to what is being written, as in a fenced block.
  void blank_line();

  std::string& text() noexcept { return text_; }
  bool full() const noexcept { return text_.size() >= max_output_; }
  std::size_t max_output() const noexcept { return max_output_; }

 private:
  struct Container {
    std::string marker;
    std::string later;
    bool marked{false};  // the marker is written
  };

  void write_prefix(std::size_t containers, bool blank);

  std::size_t max_output_;
  std::string text_;
  std::vector<Container> containers_;
  std::size_t prefix_size_{0};
  std::size_t common_{0};  // containers open ever since the last line
  unsigned breaks_{0};
};

}  // namespace sallyport::content::html
