// Cuts HTML into tags and text, by the states of the HTML Standard (§13.2.5).
//
// Every byte is looked at a bounded number of times and nothing is copied: a token's views point
// into the input, or, for a character reference, into the tokenizer, until the next call.
#pragma once

#include "src/content/html/attributes.hpp"
#include "src/content/html/character_references.hpp"
#include "src/content/html/elements.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::content::html {

struct Token {
  enum class Kind : std::uint8_t { Text, StartTag, EndTag };

  Kind kind{Kind::Text};
  std::string_view text;  // of Text; the name of a tag, as written
  Element element{Element::Unknown};
  bool self_closing{false};
  Attributes attributes;  // of StartTag
};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view input) noexcept : input_{input} {}

  // False at the end. Comments, doctypes and what is not finished at the end are left out.
  bool next(Token& token);

  // How to read what follows the start tag of `element`; back to Data at its end tag.
  void enter(TextState state, Element element, std::string_view name) noexcept;
  // Inside <svg> and <math>, "<![CDATA[" is text.
  void set_foreign(bool foreign) noexcept { foreign_ = foreign; }

 private:
  enum class Step : std::uint8_t { Token, Nothing };

  Step text(Token& token, std::size_t end);
  Step reference(Token& token);
  Step markup(Token& token);
  Step markup_declaration(Token& token);
  Step comment();
  Step skip_past(std::string_view terminator);
  Step tag(Token& token, Token::Kind kind, std::size_t name_start);
  bool attribute(Attributes* attributes);
  std::string_view attribute_value();
  Step raw_text(Token& token);
  Step rcdata(Token& token);

  bool is_end_tag_of_raw(std::size_t at) const noexcept;
  std::size_t raw_text_end() const noexcept;
  std::size_t script_end() const noexcept;
  std::size_t next_less_than() noexcept;
  std::size_t less_than_after(std::size_t position) noexcept;
  std::size_t skip_spaces(std::size_t at) const noexcept;
  char at(std::size_t position) const noexcept {
    return position < input_.size() ? input_[position] : '\0';
  }

  std::string_view input_;
  std::size_t position_{0};
  std::size_t less_than_{0};  // the next '<' at or after position_, once looked for
  bool less_than_known_{false};
  bool foreign_{false};
  TextState state_{TextState::Data};
  std::string_view raw_name_;  // the element whose end tag ends a raw text
  CharacterReference reference_;
};

}  // namespace sallyport::content::html
