// For tests of the checker: source text in, errors or the rewritten rules as text out.
#pragma once

#include "src/rego/checked.hpp"
#include "src/rego/parser.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::check {

class CheckTest {
 public:
  explicit CheckTest(std::vector<std::string_view> sources, CompileOptions options = {});

  // "rego_type_error 3:1 undefined function foo", the first line of each.
  std::vector<std::string> messages() const;
  // The rules of the first module as they are left for the planner, one expression a line.
  std::string rules() const;
  CheckedQuery query(std::string_view text);
  Checked const& checked() const { return checked_; }
  Diagnostics const& errors() const { return errors_; }

  static std::string to_text(ast::Body const& body);

 private:
  CompileOptions options_;
  Arena arena_;
  Diagnostics errors_;
  Checked checked_;
};

}  // namespace sallyport::rego::check
