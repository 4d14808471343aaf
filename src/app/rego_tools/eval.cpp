#include "src/app/rego_tools/eval.hpp"

#include "src/app/rego_tools/coverage_report.hpp"
#include "src/app/rego_tools/eval_output.hpp"
#include "src/app/rego_tools/explain.hpp"
#include "src/app/rego_tools/files.hpp"
#include "src/app/rego_tools/limits.hpp"
#include "src/app/rego_tools/text.hpp"
#include "src/rego/policy.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace sallyport::app::rego_tools {
namespace {

// The explanation and the coverage of one evaluation.
struct Both final : rego::Observer {
  Both(Explainer& explanation, rego::Coverage& lines) : explainer{explanation}, coverage{lines} {}
  void event(rego::TraceEvent const& event) override {
    explainer.event(event);
    coverage.event(event);
  }
  Explainer& explainer;
  rego::Coverage& coverage;
};

class Eval {
 public:
  Eval(EvalRequest const& request, Surroundings const& surroundings)
      : request_{request},
        surroundings_{surroundings},
        explainer_{explain_named(request.explain).value_or(Explain::Off)} {}

  int run();

 private:
  bool is_json() const { return request_.format == "json"; }
  int refuse(Error const& error);
  int refuse(rego::Diagnostics const& errors);
  int evaluate(rego::Query const& query);
  void print(AnswerList const& answers, rego::Query const& query);
  std::string explanation_json() const;

  EvalRequest const& request_;
  Surroundings const& surroundings_;
  rego::CompileOptions options_;
  Files files_;
  Explainer explainer_;
  rego::Coverage coverage_;
};

int Eval::refuse(Error const& error) {
  if (is_json()) {
    surroundings_.out << indented(fmt::format("{{\"errors\":[{{\"message\":{}}}]}}",
                                              json_string(error.message)))
                      << '\n';
  } else {
    surroundings_.err << "1 error occurred: " << error.message << '\n';
  }
  return 2;
}

int Eval::refuse(rego::Diagnostics const& errors) {
  if (is_json()) {
    surroundings_.out << indented(errors_json(errors)) << '\n';
  } else {
    surroundings_.err << errors_text(errors, files_.modules, request_.query);
  }
  return 2;
}

std::string Eval::explanation_json() const {
  std::string list;
  for (auto const& line : explainer_.lines(files_.modules, request_.query)) {
    list += (list.empty() ? "" : ",") + json_string(line);
  }
  return list.empty() ? list : "\"explanation\":[" + list + "]";
}

void Eval::print(AnswerList const& answers, rego::Query const& query) {
  auto& out = surroundings_.out;
  auto const expressions = expressions_of(request_.query, options_);
  auto const covered = [&] { return coverage_report(coverage_, *query.policy()); };
  if (is_json()) {
    std::string members;
    auto const add = [&](std::string const& member) {
      if (!member.empty()) members += (members.empty() ? "" : ",") + member;
    };
    if (request_.coverage) add("\"coverage\":" + coverage_json(covered()));
    add(result_member(answers, expressions));
    add(explanation_json());
    out << indented("{" + members + "}") << '\n';
    return;
  }
  if (request_.format == "raw") out << raw_answers(answers);
  if (request_.format == "bindings") out << bindings_of(answers);
  if (request_.format != "pretty") return;
  for (auto const& line : explainer_.lines(files_.modules, request_.query)) out << line << '\n';
  out << pretty_answers(answers, expressions);
  if (request_.coverage) out << coverage_text(covered());
}

int Eval::evaluate(rego::Query const& query) {
  auto const limits = generous_limits(request_.timeout);
  if (!limits) return refuse(limits.error());
  rego::Evaluation evaluation;
  rego::Value input;
  if (!request_.input.empty()) {
    auto const document = read_document(request_.input, evaluation.arena());
    if (!document) return refuse(document.error());
    input = *document;
  }
  Both observers{explainer_, coverage_};
  auto const came = evaluation.answers_of(
      query, input, {.limits = *limits, .host = &explainer_, .observer = &observers});
  surroundings_.err << explainer_.printed();
  if (came.error) return refuse(rego::Diagnostics{*came.error});
  if (came.built_in_error) {
    surroundings_.err << "note: something is undefined because a built-in failed: "
                      << to_text(*came.built_in_error) << '\n';
  }
  print(came.answers, query);
  bool const defined = !came.answers.empty();
  return (request_.fail && !defined) || (request_.fail_defined && defined) ? 1 : 0;
}

int Eval::run() {
  options_.syntax = request_.v0_compatible ? rego::Syntax::V0 : rego::Syntax::V1;
  options_.strict_builtin_errors = request_.strict_builtin_errors;
  options_.instrument = request_.coverage || request_.explain != "off";
  auto files = read_files(request_.data, Wanted::ModulesAndData);
  if (!files) return refuse(files.error());
  files_ = std::move(*files);
  auto const compiled = rego::compile(files_.modules, options_, files_.data);
  if (!compiled) return refuse(compiled.errors);
  auto const query = rego::compile_query(compiled.policy, request_.query, options_);
  if (query.query == nullptr) return refuse(query.errors);
  return evaluate(*query.query);
}

}  // namespace

int run_eval(EvalRequest const& request, Surroundings const& surroundings) {
  return Eval{request, surroundings}.run();
}

}  // namespace sallyport::app::rego_tools
