#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/template_lexer.hpp"
#include "src/rego/builtins/template_tree.hpp"

#include <algorithm>
#include <charconv>

namespace sallyport::rego::builtins {
namespace {

using Kind = TemplateToken::Kind;

constexpr int kDeepest = 64;

class Parser {
 public:
  Parser(std::vector<TemplateToken> tokens, std::string& error)
      : tokens_{std::move(tokens)}, error_{error} {}

  bool run(Templates& templates) {
    templates_ = &templates;
    TemplateBody body;
    if (!parse_body(body, 0)) return false;
    if (peek().kind != Kind::End) return fail("unexpected {{" + peek(1).text + "}}");
    templates["template"] = std::move(body);
    return true;
  }

 private:
  TemplateToken const& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  TemplateToken const& next() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
  bool take(Kind kind) {
    if (peek().kind != kind) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (take(Kind::Space)) {
    }
  }

  bool fail(std::string_view why) {
    error_ = "template: template:" + std::to_string(peek().line) + ": " + std::string{why};
    return false;
  }

  // Where the next action begins with this word, that word is where `at` says.
  std::string_view keyword() const {
    std::size_t ahead = 1;
    while (peek(ahead).kind == Kind::Space) ++ahead;
    return peek(ahead).kind == Kind::Identifier ? std::string_view{peek(ahead).text} : "";
  }

  void open_keyword() {
    take(Kind::Open);
    skip_space();
    take(Kind::Identifier);
    skip_space();
  }

  bool close_action() {
    skip_space();
    return take(Kind::Close) || fail("unexpected " + quoted(peek().text) + " in action");
  }

  // Up to {{end}} or {{else}}, or the end of the text.
  bool parse_body(TemplateBody& body, int depth) {
    if (depth > kDeepest) return fail("actions nest too deeply");
    while (peek().kind != Kind::End) {
      if (peek().kind == Kind::Text) {
        TemplateNode node;
        node.text = next().text;
        body.push_back(std::move(node));
        continue;
      }
      auto const word = keyword();
      if (word == "end" || word == "else") return true;
      if (!parse_action(body, word, depth)) return false;
    }
    return true;
  }

  bool parse_action(TemplateBody& body, std::string_view word, int depth) {
    if (word == "define") return parse_define(depth);
    TemplateNode node;
    node.line = peek().line;
    auto const parsed = word == "if"         ? parse_control(node, TemplateNode::Kind::If, depth)
                        : word == "with"     ? parse_control(node, TemplateNode::Kind::With, depth)
                        : word == "range"    ? parse_control(node, TemplateNode::Kind::Range, depth)
                        : word == "block"    ? parse_block(node, depth)
                        : word == "template" ? parse_template_call(node)
                        : word == "break"    ? parse_jump(node, TemplateNode::Kind::Break)
                        : word == "continue" ? parse_jump(node, TemplateNode::Kind::Continue)
                                             : parse_plain_action(node);
    if (parsed) body.push_back(std::move(node));
    return parsed;
  }

  bool parse_plain_action(TemplateNode& node) {
    take(Kind::Open);
    node.kind = TemplateNode::Kind::Action;
    return parse_pipe(node.pipe.emplace(), Kind::Close, 0) && close_action();
  }

  bool parse_jump(TemplateNode& node, TemplateNode::Kind kind) {
    node.kind = kind;
    open_keyword();
    if (ranges_ == 0) {
      return fail(kind == TemplateNode::Kind::Break ? "{{break}} outside {{range}}"
                                                    : "{{continue}} outside {{range}}");
    }
    return close_action();
  }

  bool parse_control(TemplateNode& node, TemplateNode::Kind kind, int depth) {
    node.kind = kind;
    open_keyword();
    return parse_control_rest(node, depth);
  }

  bool parse_control_rest(TemplateNode& node, int depth) {
    if (depth > kDeepest) return fail("actions nest too deeply");
    auto const is_range = node.kind == TemplateNode::Kind::Range;
    in_range_header_ = is_range;
    if (!parse_pipe(node.pipe.emplace(), Kind::Close, 0) || !close_action()) return false;
    ranges_ += is_range ? 1 : 0;
    auto const parsed = parse_body(node.body, depth + 1);
    ranges_ -= is_range ? 1 : 0;
    if (!parsed) return false;
    if (keyword() == "else") return parse_else(node, depth);
    return parse_end();
  }

  bool parse_else(TemplateNode& node, int depth) {
    open_keyword();
    auto const word = peek().kind == Kind::Identifier ? peek().text : "";
    auto const chains = (word == "if" && node.kind == TemplateNode::Kind::If) ||
                        (word == "with" && node.kind == TemplateNode::Kind::With);
    if (chains) {
      // {{else if}} has one {{end}} for both.
      TemplateNode inner;
      inner.kind = node.kind;
      inner.line = peek().line;
      take(Kind::Identifier);
      skip_space();
      if (!parse_control_rest(inner, depth + 1)) return false;
      node.otherwise.push_back(std::move(inner));
      return true;
    }
    if (!close_action() || !parse_body(node.otherwise, depth + 1)) return false;
    if (keyword() == "else") return fail("expected end; found {{else}}");
    return parse_end();
  }

  bool parse_end() {
    if (peek().kind != Kind::Open || keyword() != "end") return fail("unexpected EOF");
    open_keyword();
    return close_action();
  }

  bool parse_name(std::string& name) {
    skip_space();
    if (peek().kind != Kind::String)
      return fail("unexpected " + quoted(peek().text) + " in template clause");
    name = next().text;
    skip_space();
    return true;
  }

  bool parse_define(int depth) {
    open_keyword();
    std::string name;
    TemplateBody body;
    if (!parse_name(name) || !close_action() || !parse_body(body, depth + 1)) return false;
    (*templates_)[name] = std::move(body);
    return parse_end();
  }

  bool parse_template_call(TemplateNode& node) {
    node.kind = TemplateNode::Kind::Template;
    open_keyword();
    if (!parse_name(node.text)) return false;
    if (take(Kind::Close)) return true;
    return parse_pipe(node.pipe.emplace(), Kind::Close, 0) && close_action();
  }

  bool parse_block(TemplateNode& node, int depth) {
    if (!parse_template_call(node)) return false;
    if (!node.pipe) return fail("missing value for block clause");
    TemplateBody body;
    if (!parse_body(body, depth + 1)) return false;
    templates_->try_emplace(node.text, std::move(body));
    return parse_end();
  }

  bool parse_pipe(TemplatePipe& pipe, Kind end, int depth) {
    if (depth > kDeepest) return fail("parentheses nest too deeply");
    pipe.line = peek().line;
    skip_space();
    if (depth == 0) parse_variables(pipe);
    in_range_header_ = false;
    while (peek().kind != end) {
      TemplateCommand command;
      if (!parse_command(command, end, depth)) return false;
      pipe.commands.push_back(std::move(command));
      skip_space();
      if (take(Kind::Pipe)) {
        skip_space();
        if (peek().kind == end) return fail("missing value for command");
        continue;
      }
      if (peek().kind != end) return fail("unexpected " + quoted(peek().text) + " in command");
    }
    return !pipe.commands.empty() || fail("missing value for command");
  }

  // "$x :=", "$x =", "$key, $value :="
  void parse_variables(TemplatePipe& pipe) {
    auto const start = at_;
    std::vector<std::string> names;
    while (peek().kind == Kind::Variable) {
      names.push_back(next().text);
      skip_space();
      if (peek().kind == Kind::Declare || peek().kind == Kind::Assign) {
        pipe.declares = next().kind == Kind::Declare;
        pipe.variables = std::move(names);
        skip_space();
        return;
      }
      if (!in_range_header_ || names.size() > 1 || !take(Kind::Comma)) break;
      skip_space();
    }
    at_ = start;
  }

  bool parse_command(TemplateCommand& command, Kind end, int depth) {
    while (peek().kind != end && peek().kind != Kind::Pipe) {
      TemplateOperand operand;
      if (!parse_operand(operand, depth)) return false;
      command.push_back(std::move(operand));
      if (!take(Kind::Space)) break;
      skip_space();
    }
    return !command.empty() || fail("missing value for command");
  }

  bool parse_operand(TemplateOperand& operand, int depth) {
    using Operand = TemplateOperand::Kind;
    auto const& token = next();
    switch (token.kind) {
      case Kind::Dot: operand.kind = Operand::Dot; break;
      case Kind::Field:
        operand.kind = Operand::Dot;
        operand.fields.push_back(token.text);
        break;
      case Kind::Variable:
        operand.kind = Operand::Variable;
        operand.text = token.text;
        break;
      case Kind::String:
        operand.kind = Operand::Text;
        operand.text = token.text;
        break;
      case Kind::Character:
        operand.kind = Operand::Integer;
        operand.integer = static_cast<std::int64_t>(first_rune(token.text).code);
        break;
      case Kind::Number:
        if (!read_number(token.text, operand))
          return fail("bad number syntax: " + quoted(token.text));
        break;
      case Kind::Identifier:
        if (!read_identifier(token.text, operand)) {
          return fail("function " + quoted(token.text) + " not defined");
        }
        break;
      case Kind::OpenParenthesis:
        operand.kind = Operand::Pipe;
        operand.pipe = std::make_unique<TemplatePipe>();
        if (!parse_pipe(*operand.pipe, Kind::CloseParenthesis, depth + 1)) return false;
        if (!take(Kind::CloseParenthesis)) return fail("unclosed left paren");
        break;
      case Kind::End: return fail("unclosed action");
      case Kind::Text:
      case Kind::Open:
      case Kind::Close:
      case Kind::Space:
      case Kind::Pipe:
      case Kind::Declare:
      case Kind::Assign:
      case Kind::Comma:
      case Kind::CloseParenthesis: return fail("unexpected " + quoted(token.text) + " in operand");
    }
    while (peek().kind == Kind::Field) operand.fields.push_back(next().text);
    return true;
  }

  static bool read_identifier(std::string const& word, TemplateOperand& operand) {
    using Operand = TemplateOperand::Kind;
    if (word == "true" || word == "false") {
      operand.kind = Operand::Boolean;
      operand.boolean = word == "true";
    } else if (word == "nil") {
      operand.kind = Operand::Nil;
    } else {
      operand.kind = Operand::Function;
      operand.text = word;
      return is_template_function(word);
    }
    return true;
  }

  static bool read_number(std::string text, TemplateOperand& operand) {
    std::erase(text, '_');
    auto const* begin = text.data();
    auto const* const end = begin + text.size();
    auto const negative = text.starts_with('-');
    if (negative || text.starts_with('+')) ++begin;
    auto const is_hex = end - begin > 2 && begin[0] == '0' && (begin[1] | 0x20) == 'x';
    std::int64_t integer = 0;
    if (auto const read = std::from_chars(begin + (is_hex ? 2 : 0), end, integer, is_hex ? 16 : 10);
        read.ec == std::errc{} && read.ptr == end) {
      operand.kind = TemplateOperand::Kind::Integer;
      operand.integer = negative ? -integer : integer;
      return true;
    }
    auto const read = std::from_chars(begin, end, operand.real);
    operand.kind = TemplateOperand::Kind::Float;
    if (negative) operand.real = -operand.real;
    return read.ec == std::errc{} && read.ptr == end;
  }

  std::vector<TemplateToken> tokens_;
  std::string& error_;
  std::size_t at_{0};
  Templates* templates_{nullptr};
  int ranges_{0};
  bool in_range_header_{false};
};

}  // namespace

std::optional<Templates> parse_template(std::string_view text, std::string& error) {
  auto tokens = lex_template(text, error);
  if (!tokens) return std::nullopt;
  Templates templates;
  if (!Parser{std::move(*tokens), error}.run(templates)) return std::nullopt;
  return templates;
}

}  // namespace sallyport::rego::builtins
