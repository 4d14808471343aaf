// A parsed template of strings.render_template: Go's text/template.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::builtins {

struct TemplatePipe;

// One operand: a literal, ".a.b", "$x.a", a function's name, or a pipe in parentheses.
struct TemplateOperand {
  enum class Kind : std::uint8_t {
    Dot,
    Nil,
    Boolean,
    Integer,
    Float,
    Text,
    Variable,
    Function,
    Pipe
  };
  Kind kind{Kind::Dot};
  bool boolean{false};
  std::int64_t integer{0};
  double real{0};
  std::string text;                 // of a Text; the name of a Variable or Function
  std::vector<std::string> fields;  // behind it: .a.b
  std::unique_ptr<TemplatePipe> pipe;
};

using TemplateCommand = std::vector<TemplateOperand>;

struct TemplatePipe {
  std::vector<std::string> variables;  // that take its value; in a range the key and the value
  bool declares{true};                 // := rather than =
  std::vector<TemplateCommand> commands;
  int line{1};
};

struct TemplateNode {
  enum class Kind : std::uint8_t { Text, Action, If, With, Range, Template, Break, Continue };
  Kind kind{Kind::Text};
  std::string text;  // of a Text; the name of a Template
  std::optional<TemplatePipe> pipe;
  std::vector<TemplateNode> body;
  std::vector<TemplateNode> otherwise;
  int line{1};
};

using TemplateBody = std::vector<TemplateNode>;
// By name; the template itself is "template", as OPA names it.
using Templates = std::map<std::string, TemplateBody, std::less<>>;

// Nothing, with Go's kind of words in `error`, where it is no template.
std::optional<Templates> parse_template(std::string_view text, std::string& error);

bool is_template_function(std::string_view name);

}  // namespace sallyport::rego::builtins
