// Text to tokens, one at a time. Copying a lexer is cheap: the parser does it to look ahead.
#pragma once

#include "src/rego/token.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::rego {

// The words that are keywords only where a version or an import makes them so.
struct Keywords {
  bool in{false};
  bool every{false};
  bool contains{false};
  bool if_{false};
  bool logical_and{false};
  bool logical_or{false};
};

class Lexer {
 public:
  // `text` must outlive the tokens. It is well-formed UTF-8 without NUL (see find_illegal_byte).
  explicit Lexer(std::string_view text);

  // A comment comes as a token of its own, so that the parser can keep it.
  struct Comment {
    std::string_view text;  // after the #
    std::uint32_t offset{0};
    std::uint32_t row{0};
    std::uint32_t column{0};
  };
  // True with a comment, else `token` is set.
  bool next(Token& token, Comment& comment, Keywords const& keywords);

  // Where the current token is the `}` that ends the expression of a template: the text behind it.
  void continue_template(Token& token, bool raw);

  // What is wrong with an Illegal token.
  std::string_view problem() const noexcept { return problem_; }
  // The byte behind the last token.
  char following() const noexcept { return at(position_); }

 private:
  char at(std::size_t index) const noexcept { return index < text_.size() ? text_[index] : '\0'; }
  void skip_space(Token& token);
  void read(Token& token, Keywords const& keywords);
  TokenKind read_number();
  TokenKind read_string();
  TokenKind read_raw_string();
  TokenKind read_template(bool raw);
  TokenKind read_escape(bool in_template);
  TokenKind read_punctuation(char first);
  TokenKind fail(std::string_view problem);
  void count_lines(std::size_t begin);

  std::string_view text_;
  std::size_t position_{0};
  std::size_t line_start_{0};
  std::uint32_t row_{1};
  bool space_{false};
  bool new_line_{false};
  std::string_view problem_;
};

struct IllegalByte {
  std::size_t offset{std::string_view::npos};  // npos: there is none
  std::string_view problem;
};
IllegalByte find_illegal_byte(std::string_view text) noexcept;

// The keyword that `word` is in any version of Rego; Name if it is none.
TokenKind keyword_of(std::string_view word) noexcept;

}  // namespace sallyport::rego
