// The text of a template to tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::builtins {

struct TemplateToken {
  enum class Kind : std::uint8_t {
    Text,        // outside of any action
    Open,        // {{
    Close,       // }}
    Space,       // within an action
    Identifier,  // also keywords, true, false, nil
    Field,       // .name; the text has no dot
    Variable,    // $name, with the dollar sign
    Dot,
    String,     // the text is what it stands for
    Character,  // 'x'; the text is its rune
    Number,
    Pipe,     // |
    Declare,  // :=
    Assign,   // =
    Comma,
    OpenParenthesis,
    CloseParenthesis,
    End,
  };
  Kind kind{Kind::End};
  std::string text;
  int line{1};
};

std::optional<std::vector<TemplateToken>> lex_template(std::string_view text, std::string& error);

}  // namespace sallyport::rego::builtins
