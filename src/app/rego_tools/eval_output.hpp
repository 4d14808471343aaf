// The answers of a query in each of the forms of `--format`.
#pragma once

#include "src/rego/rego.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app::rego_tools {

// An expression as the author wrote it.
struct WrittenExpression {
  std::string text;
  rego::Location at;
};
std::vector<WrittenExpression> expressions_of(std::string_view query,
                                              rego::CompileOptions const& options);

using AnswerList = std::vector<rego::Answer>;

// "result":[…], or nothing where there is no answer.
std::string result_member(AnswerList const& answers,
                          std::vector<WrittenExpression> const& expressions);
// The value itself where there is only one, else a table. "undefined".
std::string pretty_answers(AnswerList const& answers,
                           std::vector<WrittenExpression> const& expressions);
// One line for each answer, texts without quotes.
std::string raw_answers(AnswerList const& answers);
// An object for each answer.
std::string bindings_of(AnswerList const& answers);

}  // namespace sallyport::app::rego_tools
