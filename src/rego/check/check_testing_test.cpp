#include "src/rego/check/check_testing.hpp"

#include "src/rego/json.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego::check {
namespace {

std::string show(ast::Term const& term);
std::string show(ast::Body const& body, std::string_view between);

std::string list(ast::Terms const& items, std::size_t from = 0) {
  std::string text;
  for (auto i = from; i < items.size(); ++i) {
    if (i > from) text += ", ";
    text += show(*items[i]);
  }
  return text;
}

std::string show_ref(ast::Term const& term) {
  auto text = show(*term.items[0]);
  for (std::size_t i = 1; i < term.items.size(); ++i) {
    auto const& item = *term.items[i];
    auto const is_text = item.kind == ast::TermKind::Constant && item.value.is(Kind::String);
    text += is_text ? "." + std::string{item.value.as_string()} : "[" + show(item) + "]";
  }
  return text;
}

std::string show_object(ast::Term const& term) {
  std::string text = "{";
  for (std::size_t i = 0; i + 1 < term.items.size(); i += 2)
    text += (i > 0 ? ", " : "") + show(*term.items[i]) + ": " + show(*term.items[i + 1]);
  return text + "}";
}

std::string show(ast::Term const& term) {
  switch (term.kind) {
    case ast::TermKind::Constant: return to_rego(term.value);
    case ast::TermKind::Var:
      // Variables by their numbers: names differ with what else was compiled.
      return term.value.is_defined() ? "v" + std::to_string(term.value.as_int64())
                                     : std::string{term.name};
    case ast::TermKind::Ref: return show_ref(term);
    case ast::TermKind::Call: return show(*term.items[0]) + "(" + list(term.items, 1) + ")";
    case ast::TermKind::Array: return "[" + list(term.items) + "]";
    case ast::TermKind::Set: return "{" + list(term.items) + "}";
    case ast::TermKind::Object: return show_object(term);
    case ast::TermKind::ArrayOf:
      return "[" + list(term.items) + " | " + show(term.body, "; ") + "]";
    case ast::TermKind::SetOf: return "{" + list(term.items) + " | " + show(term.body, "; ") + "}";
    case ast::TermKind::ObjectOf:
      return "{" + show(*term.items[0]) + ": " + show(*term.items[1]) + " | " +
             show(term.body, "; ") + "}";
    case ast::TermKind::Template: return "template";
  }
  return {};
}

std::string show(ast::Expr const& expr) {
  std::string text = expr.negated ? "not " : "";
  switch (expr.kind) {
    case ast::ExprKind::Term: text += show(*expr.term); break;
    case ast::ExprKind::Every:
      text += "every " + list(expr.symbols) + " in " + show(*expr.domain) + " { " +
              show(expr.body, "; ") + " }";
      break;
    case ast::ExprKind::Body: text += "{ " + show(expr.body, "; ") + " }"; break;
    case ast::ExprKind::And:
      text += "{ " + show(expr.left, "; ") + " } and { " + show(expr.right, "; ") + " }";
      break;
    case ast::ExprKind::Or:
      text += "{ " + show(expr.left, "; ") + " } or { " + show(expr.right, "; ") + " }";
      break;
    case ast::ExprKind::Some:
    case ast::ExprKind::SomeIn: text += "some"; break;
  }
  for (auto const& with : expr.with)
    text += " with " + show(*with.target) + " as " + (with.value_is_function ? "function " : "") +
            show(*with.value);
  return text;
}

std::string show(ast::Body const& body, std::string_view between) {
  std::string text;
  for (auto const* const expr : body) {
    if (!text.empty()) text += between;
    text += show(*expr);
  }
  return text;
}

std::string show(ast::Rule const& rule) {
  auto text = (rule.is_default ? "default " : "") + show_ref(*rule.reference);
  if (!rule.parameters.empty()) text += "(" + list(rule.parameters) + ")";
  if (rule.key != nullptr) text += " contains " + show(*rule.key);
  if (rule.value != nullptr) text += " := " + show(*rule.value);
  if (!rule.body.empty()) text += "\n  " + show(rule.body, "\n  ");
  if (rule.otherwise != nullptr) text += "\nelse " + show(*rule.otherwise);
  return text;
}

}  // namespace

CheckTest::CheckTest(std::vector<std::string_view> sources, CompileOptions options)
    : options_{std::move(options)} {
  std::vector<ast::Module*> modules;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto* const module =
        parse_module(sources[i], static_cast<std::uint32_t>(i), options_, arena_, errors_);
    EXPECT_NE(module, nullptr) << sources[i];
    if (module != nullptr) modules.push_back(module);
  }
  if (errors_.empty()) checked_ = check_modules(modules, options_, {}, arena_, errors_);
}

std::vector<std::string> CheckTest::messages() const {
  std::vector<std::string> result;
  for (auto const& error : errors_)
    result.push_back(std::string{name_of(error.code)} + " " + std::to_string(error.at.row) + ":" +
                     std::to_string(error.at.column) + " " +
                     error.message.substr(0, error.message.find('\n')));
  return result;
}

std::string CheckTest::rules() const {
  std::string text;
  for (auto const* const rule : checked_.modules.at(0)->rules) text += show(*rule) + "\n";
  return text;
}

std::string CheckTest::to_text(ast::Body const& body) {
  return show(body, "\n");
}

CheckedQuery CheckTest::query(std::string_view text) {
  auto const body = parse_query(text, options_, arena_, errors_);
  EXPECT_TRUE(errors_.empty()) << text;
  return check_query(body, checked_, options_, arena_, errors_);
}

}  // namespace sallyport::rego::check
