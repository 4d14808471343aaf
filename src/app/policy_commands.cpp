#include "src/app/policy_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

namespace sallyport::app {
namespace {

constexpr char const* kPolicyExamples = R"(Examples:
  sallyport policy check policies
  sallyport policy test policies -v
  sallyport policy eval -d policies -i call.json data.mcp.fetch.allow
  sallyport policy fmt -w policies

The flags are those of the same commands of OPA. Nothing is sent: http.send is off.)";

constexpr char const* kEvalExamples = R"(Examples:
  sallyport policy eval '1 + 2'
  sallyport policy eval -d fetch.rego -i call.json data.mcp.fetch.allow
  sallyport policy eval -d policies -i call.json --format pretty --explain fails data.mcp.fetch
  sallyport policy eval -d users.yaml --format raw 'some name, user in data.users; user.admin'

A folder is read with all below it; what a/b.json holds in it is at data.a. x.y:FILE puts data at data.x.y.
Exit code 0: evaluated; 1: --fail or --fail-defined says so; 2: errors.)";

constexpr char const* kTestExamples = R"(Examples:
  sallyport policy test policies
  sallyport policy test fetch.rego fetch_test.rego -v --run 'test_deny'
  sallyport policy test policies --coverage --threshold 90

Tests are rules whose names start with test_; todo_test_ are skipped.
Exit code 0: all passed; 1: they could not be run; 2: some failed, or too few lines are covered.)";

constexpr char const* kModuleCheckExamples = R"(Examples:
  sallyport policy check fetch.rego
  sallyport policy check --strict policies

Exit code 0: good; 1: not, and where.)";

constexpr char const* kFmtExamples = R"(Examples:
  sallyport policy fmt fetch.rego
  sallyport policy fmt -w policies
  sallyport policy fmt --list --fail policies
  sallyport policy fmt --diff policies

Exit code 0: done; 1: something cannot be read as Rego; 2: --fail, and not everything is formatted.)";

void add_words(CLI::App& command, char const* flag, std::string& value, char const* description,
               std::vector<std::string> const& words) {
  CLI::IsMember one_of_them{words};
  one_of_them.description("");
  command.add_option(flag, value, description)
      ->default_str(value)
      ->check(one_of_them)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

void add_v0_flag(CLI::App& command, bool& value) {
  command.add_flag("--v0-compatible", value, "Rego as it was before OPA 1.0");
}

void add_timeout(CLI::App& command, std::string& value, char const* description) {
  command.add_option("--timeout", value, description)->default_str(value)->type_name("DURATION");
}

}  // namespace

void PolicyCommands::add(CLI::App& root) {
  policy_ = root.add_subcommand("policy", "Try, test, check and format Rego policies");
  policy_->footer(kPolicyExamples);
  policy_->require_subcommand(1);
  add_eval();
  add_test();
  add_check();
  add_fmt();
}

void PolicyCommands::add_eval() {
  auto& request = eval_request_;
  eval_ = policy_->add_subcommand("eval", "Evaluate a query");
  eval_->footer(kEvalExamples);
  eval_->add_option("query", request.query, "What to evaluate")->required()->type_name("QUERY");
  eval_
      ->add_option("-d,--data", request.data,
                   "Modules and data: .rego, .json, .yaml, or a folder; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* input = eval_->add_option("-i,--input", request.input, "JSON or YAML; -: standard input")
                    ->type_name("FILE");
  eval_
      ->add_flag_callback(
          "-I,--stdin-input", [&request] { request.input = "-"; }, "Input from standard input")
      ->excludes(input);
  add_words(*eval_, "-f,--format", request.format, "Form of the output",
            {"json", "pretty", "raw", "bindings"});
  add_words(*eval_, "--explain", request.explain, "Show how it came to the answer (json, pretty)",
            {"off", "notes", "fails", "full"});
  eval_->add_flag("--coverage", request.coverage, "Show which lines were evaluated (json, pretty)");
  eval_->add_flag("--strict-builtin-errors", request.strict_builtin_errors,
                  "End at the first error of a built-in");
  add_v0_flag(*eval_, request.v0_compatible);
  eval_->add_flag("--fail", request.fail, "Exit code 1 if the query is undefined");
  eval_->add_flag("--fail-defined", request.fail_defined, "Exit code 1 if it is not");
  add_timeout(*eval_, request.timeout, "The longest that it may take");
}

void PolicyCommands::add_test() {
  auto& request = test_request_;
  test_ = policy_->add_subcommand("test", "Run the tests of policies");
  test_->footer(kTestExamples);
  test_->add_option("path", request.paths, "Modules and data, or folders of them")
      ->required()
      ->type_name("FILE");
  test_->add_flag("-v,--verbose", request.verbose, "All tests, and why one failed");
  test_->add_option("-r,--run", request.run, "Only tests whose full names match")
      ->type_name("REGEX");
  add_words(*test_, "-f,--format", request.format, "Form of the output", {"pretty", "json"});
  test_->add_flag("-c,--coverage", request.coverage, "Show which lines the tests evaluated");
  test_->add_option("--threshold", request.threshold, "So many percent of the lines must be")
      ->type_name("PERCENT");
  add_v0_flag(*test_, request.v0_compatible);
  add_timeout(*test_, request.timeout, "The longest that one test may take");
}

void PolicyCommands::add_check() {
  auto& request = check_request_;
  check_ = policy_->add_subcommand("check", "Say what is wrong with policies");
  check_->footer(kModuleCheckExamples);
  check_->add_option("path", request.paths, "Modules, or folders of them")
      ->required()
      ->type_name("FILE");
  check_->add_flag("-S,--strict", request.strict, "Refuse unused variables and imports as well");
  add_words(*check_, "-f,--format", request.format, "Form of the output", {"pretty", "json"});
  add_v0_flag(*check_, request.v0_compatible);
}

void PolicyCommands::add_fmt() {
  auto& request = fmt_request_;
  fmt_ = policy_->add_subcommand("fmt", "Write policies in one style");
  fmt_->footer(kFmtExamples);
  fmt_->add_option("path", request.paths, "Modules, or folders of them; else standard input")
      ->type_name("FILE");
  fmt_->add_flag("-w,--write", request.write, "Into the files themselves");
  fmt_->add_flag("-l,--list", request.list, "Only the names of files that would change");
  fmt_->add_flag("-d,--diff", request.diff, "Only what would change");
  fmt_->add_flag("--fail", request.fail, "Exit code 2 if anything would change");
  add_v0_flag(*fmt_, request.v0_compatible);
}

bool PolicyCommands::parsed() const {
  return policy_->parsed();
}

int PolicyCommands::run(Surroundings const& surroundings) const {
  if (eval_->parsed()) return rego_tools::run_eval(eval_request_, surroundings);
  if (test_->parsed()) return rego_tools::run_tests(test_request_, surroundings);
  if (check_->parsed()) return rego_tools::run_module_check(check_request_, surroundings);
  return rego_tools::run_fmt(fmt_request_, surroundings);
}

}  // namespace sallyport::app
