// A regular expression of a schema: ECMA-262 syntax, run by RE2 in time linear in the text.
//
// A backtracking engine would let a foreign schema stop a thread for as long as it likes. The
// price: lookaround and backreferences are refused when the schema is compiled.
#pragma once

#include "src/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sallyport::json {

class Pattern {
 public:
  // Fails with InvalidInput; the message says what of the expression is not possible.
  // `memory`, in bytes, is for the program and for the cache of the automaton together.
  static Result<Pattern> create(std::string_view ecma, std::int64_t memory = 4 << 20);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Whether it matches anywhere in `text`. From any thread.
  bool found_in(std::string_view text) const;

  // In instructions; RE2 takes time of at most instructions times bytes.
  std::size_t size() const noexcept { return size_; }

  std::string const& source() const noexcept { return source_; }

 private:
  Pattern(std::string source, std::unique_ptr<re2::RE2> compiled);

  std::string source_;
  std::unique_ptr<re2::RE2> compiled_;
  std::size_t size_{0};
};

// The expression in RE2's syntax. What differs: `.` and `\s` (ECMA-262 knows more line ends and
// spaces), \cX, \uXXXX with surrogate pairs, \u{X}, \0, [\b], the empty classes [] and [^], a '['
// within a class, named groups, and the long names of \p{…}.
Result<std::string> to_re2_syntax(std::string_view ecma);

}  // namespace sallyport::json
