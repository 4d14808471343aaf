#include "src/app/js_command.hpp"

#include "src/app/js_repl.hpp"
#include "src/app/js_session.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace sallyport::app {
namespace {

constexpr char const* kJsExamples = R"(Examples:
  sallyport js                          line by line, with the globals of the lines before
  sallyport js run script.js
  echo 'console.log(1 + 1)' | sallyport js

Scripts run in the sandbox of run_js, under the same settings, limits and policies.)";

constexpr char const* kJsRunExamples = R"(Examples:
  sallyport js run script.js
  sallyport js run --print - <<< '1 + 1'
  sallyport js run script.js --js-timeout 5s --js-heap-mb 64

console.warn() and console.error() go to standard error. Exit code 0: the script completed; 1: it threw, or met a
limit; 2: it could not be run; 130: Ctrl+C.)";

void add_settings(CLI::App& command, std::optional<std::string>& config_file, SettingFlags& flags) {
  command
      .add_option_function<std::string>(
          "-c,--config", [&config_file](std::string const& path) { config_file = path; },
          "YAML file with settings; else the variable SALLYPORT_CONFIG names one")
      ->type_name("FILE");
  flags.add(command, config::Purpose::Stdio);
}

Result<std::string> read_script(std::string const& file) {
  using Bytes = std::istreambuf_iterator<char>;
  if (file == "-") return std::string{Bytes{std::cin}, Bytes{}};
  std::ifstream stream{file, std::ios::binary};
  // A folder opens, but cannot be read.
  if (!stream || stream.peek() == std::char_traits<char>::eof()) {
    if (stream.eof() && !stream.bad()) return std::string{};
    return fail(Errc::InvalidInput, file + " cannot be read.");
  }
  return std::string{Bytes{stream}, Bytes{}};
}

int not_run(Error const& error, std::ostream& err) {
  err << "sallyport js: " << error.message << '\n';
  return kScriptNotRun;
}

}  // namespace

void JsCommand::add(CLI::App& root, std::optional<std::string>& config_file, SettingFlags& flags) {
  group_ = root.add_subcommand("js", "Run JavaScript in the sandbox, line by line");
  group_->footer(kJsExamples);
  group_->require_subcommand(0, 1);
  add_settings(*group_, config_file, flags);
  run_ = group_->add_subcommand("run", "Run a file of JavaScript");
  run_->footer(kJsRunExamples);
  run_->add_option("file", file_, "The script; - reads standard input")
      ->required()
      ->type_name("FILE");
  run_->add_flag("--print", print_, "Print the value of the last expression, as JSON");
  add_settings(*run_, config_file, flags);
}

bool JsCommand::parsed() const {
  return group_->parsed();
}

int JsCommand::run(config::Settings const& settings, Surroundings const& surroundings) const {
  ScriptStreams const streams{surroundings.out, surroundings.err};
  bool const reads_lines = !run_->parsed() && isatty(STDIN_FILENO) == 1;
  std::string code;
  if (!reads_lines) {
    auto read = read_script(run_->parsed() ? file_ : "-");
    if (!read) return not_run(read.error(), streams.err);
    code = std::move(*read);
  }
  auto session = JsSession::create(settings, streams);
  if (!session) return not_run(session.error(), streams.err);
  if (reads_lines) return (*session)->read_lines();
  js::Script script{.code = std::move(code), .name = file_.empty() ? "-" : file_};
  return (*session)->run(std::move(script), print_ ? PrintValue::Yes : PrintValue::No);
}

}  // namespace sallyport::app
