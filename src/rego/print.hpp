// Nodes as text on one line, for messages. Not for files: format.hpp does that.
#pragma once

#include "src/rego/ast.hpp"

#include <string>
#include <string_view>

namespace sallyport::rego {

std::string to_text(ast::Term const& term);
std::string to_text(ast::Expr const& expr);
std::string to_text(ast::Body const& body);  // separated by "; "

// As OPA's messages call it: "var", "ref", "number", "arraycomprehension", …
std::string_view kind_name(ast::Term const& term) noexcept;

// "+" for "plus"; empty for what is no operator.
std::string_view operator_symbol(std::string_view function) noexcept;

// A name that can stand behind a dot.
bool is_name(std::string_view text) noexcept;

void append_constant(Value value, std::string& out);
void append_quoted(std::string_view text, std::string& out);
// Part of a template: braces are escaped as well.
void append_template_text(std::string_view text, bool raw, std::string& out);

}  // namespace sallyport::rego
