// Text that Markdown would read as markup, with backslashes before it: as few as are needed.
#pragma once

#include <cstddef>
#include <string_view>

namespace sallyport::content::html {

struct EscapeContext {
  bool in_link{false};
  bool in_cell{false};
};

// Not so: Markdown's own characters, white space, and what may begin an invisible character.
bool is_plain(char c) noexcept;

// Whether the character at `index` needs a backslash. `before` is the character written last.
bool needs_escape(std::string_view text, std::size_t index, char before,
                  EscapeContext context) noexcept;

// Where a backslash belongs in text that begins a line ("# ", "- ", "1. ", "> "); npos: nowhere.
std::size_t line_start_escape(std::string_view text) noexcept;

}  // namespace sallyport::content::html
