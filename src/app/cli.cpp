#include "src/app/cli.hpp"

#include "src/app/command_tree.hpp"
#include "src/app/completion.hpp"
#include "src/app/serve.hpp"
#include "src/app/stdio.hpp"
#include "src/app/usage_error.hpp"
#include "src/base/log.hpp"
#include "src/config/show.hpp"
#include "src/json/write.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

namespace sallyport::app {
namespace {

// Prints every problem; returns whether there was none.
bool report(config::Loaded const& loaded, std::ostream& err) {
  for (auto const& problem : loaded.problems) err << to_string(problem) << '\n';
  return loaded.good();
}

config::Loaded load(CommandTree const& tree, Surroundings const& surroundings,
                    config::Purpose purpose) {
  config::Sources const sources{tree.config_file, surroundings.environment, tree.flags.given()};
  return config::load(sources, purpose);
}

int serve_or_stdio(CommandTree const& tree, Surroundings const& surroundings) {
  bool const serve = tree.serve->parsed();
  auto const purpose = serve ? config::Purpose::Serve : config::Purpose::Stdio;
  auto const loaded = load(tree, surroundings, purpose);
  if (!report(loaded, surroundings.err)) return kUsageError;
  log::configure(loaded.settings.log);
  for (auto const& notice : loaded.notices) {
    log::warn("left out",
              {{"where", notice.origin.where}, {"what", notice.key}, {"why", notice.message}});
  }
  return serve ? run_serve(loaded.settings) : run_stdio(loaded.settings);
}

int check_config(CommandTree const& tree, Surroundings const& surroundings) {
  auto const loaded = load(tree, surroundings, config::Purpose::Serve);
  if (!report(loaded, surroundings.err)) return kUsageError;
  for (auto const& notice : loaded.notices) {
    surroundings.err << "note: " << to_string(notice) << '\n';
  }
  surroundings.out << "The settings are good.\n";
  return 0;
}

int show_config(CommandTree const& tree, Surroundings const& surroundings) {
  auto const loaded = load(tree, surroundings, config::Purpose::Serve);
  if (!report(loaded, surroundings.err)) return kUsageError;
  auto const format = tree.format == "json" ? config::ShowFormat::Json : config::ShowFormat::Yaml;
  surroundings.out << config::show(loaded, format);
  return 0;
}

int explain(CommandTree const& tree, Surroundings const& surroundings) {
  auto const& request = tree.check_request;
  if (request.urls.empty() && request.simulate.empty()) {
    surroundings.err << "sallyport check: name a URL, or a file with --simulate\n";
    return kUsageError;
  }
  auto const loaded = load(tree, surroundings, config::Purpose::Stdio);
  if (!report(loaded, surroundings.err)) return kUsageError;
  log::configure(loaded.settings.log);
  return run_check(loaded.settings, request, surroundings.out, surroundings.err);
}

int print_version(CommandTree const& tree, std::ostream& out) {
  json::Object const version{{"name", "sallyport"}, {"version", SALLYPORT_VERSION}};
  out << (tree.json ? json::to_text(version) : "sallyport " SALLYPORT_VERSION) << '\n';
  return 0;
}

// A command that reads the audit log, wherever the settings say it is.
template <class Command>
int read_audit_log(Command const& command, CommandTree const& tree,
                   Surroundings const& surroundings) {
  if (command.names_file()) return command.run({}, surroundings);
  auto const loaded = load(tree, surroundings, config::Purpose::Stdio);
  if (!report(loaded, surroundings.err)) return kUsageError;
  return command.run(loaded.settings.audit.file, surroundings);
}

int run_scripts(CommandTree const& tree, Surroundings const& surroundings) {
  auto const loaded = load(tree, surroundings, config::Purpose::Stdio);
  if (!report(loaded, surroundings.err)) return kUsageError;
  auto logging = loaded.settings.log;
  // Standard error is the script's; nobody asked for news of the gateway there.
  if (!loaded.origins.contains("log.level")) logging.level = log::Level::Warn;
  log::configure(logging);
  return tree.js.run(loaded.settings, surroundings);
}

int dispatch(CommandTree const& tree, Surroundings const& surroundings) {
  if (tree.check->parsed()) return explain(tree, surroundings);
  if (tree.version->parsed()) return print_version(tree, surroundings.out);
  if (tree.config_check->parsed()) return check_config(tree, surroundings);
  if (tree.config_show->parsed()) return show_config(tree, surroundings);
  if (tree.config_reference->parsed()) {
    surroundings.out << config::reference();
    return 0;
  }
  if (tree.audit.parsed()) return read_audit_log(tree.audit, tree, surroundings);
  if (tree.policy_replay.parsed()) return read_audit_log(tree.policy_replay, tree, surroundings);
  if (tree.js.parsed()) return run_scripts(tree, surroundings);
  if (tree.policy.parsed()) return tree.policy.run(surroundings);
  if (tree.completion->parsed()) {
    surroundings.out << completion_script(*tree.root, tree.shell);
    return 0;
  }
  return serve_or_stdio(tree, surroundings);
}

}  // namespace

int run(std::vector<std::string> const& arguments, Surroundings const& surroundings) {
  CommandTree tree;
  try {
    // CLI11 takes them from the back.
    std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};
    tree.root->parse(std::move(reversed));
  } catch (CLI::ParseError const& error) {
    // Help and version come as errors with exit code 0.
    if (error.get_exit_code() == 0) {
      return tree.root->exit(error, surroundings.out, surroundings.err);
    }
    surroundings.err << usage_error(*tree.root, error);
    return kUsageError;
  }
  return dispatch(tree, surroundings);
}

}  // namespace sallyport::app
