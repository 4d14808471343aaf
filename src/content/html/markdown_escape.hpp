// Text that Markdown would read as markup, with backslashes before it: as few as are needed.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::content::html {

struct EscapeContext {
  bool in_link{false};
  bool in_cell{false};
};

// What text can be copied over without a look. Not so: Markdown's own characters, white space, and
// what may begin an invisible character (0xC2 the no-break space and the soft hyphen, 0xE2 the
// zero-width space).
inline constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  plain.fill(true);
  for (auto const c : std::string_view{"\\`*_[]<&~|(: \t\n\r\f\0\xC2\xE2", 20}) {
    plain[static_cast<unsigned char>(c)] = false;
  }
  return plain;
}();
inline bool is_plain(char c) noexcept {
  return kPlain[static_cast<unsigned char>(c)];
}

// Whether the character at `index` needs a backslash. `before` is the character written last.
bool needs_escape(std::string_view text, std::size_t index, char before,
                  EscapeContext context) noexcept;

// Whether '<' or '&', the last character written, needs a backslash now that `next` follows.
bool needs_escape_before(char written, std::string_view next) noexcept;

// Where a backslash belongs in text that begins a line ("# ", "- ", "1. ", "> "); npos: nowhere.
std::size_t line_start_escape(std::string_view text) noexcept;

}  // namespace sallyport::content::html
