#include "src/app/usage_error.hpp"

#include "src/config/suggest.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace sallyport::app {
namespace {

// The command that the words led to before they went wrong.
CLI::App const& reached(CLI::App const& root) {
  auto const parsed = root.get_subcommands();
  return parsed.empty() ? root : reached(*parsed.front());
}

std::string path_of(CLI::App const& command) {
  auto const* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

std::vector<std::string> command_names(CLI::App const& command) {
  std::vector<std::string> names;
  for (auto const* sub : command.get_subcommands([](CLI::App const*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::vector<std::string> flag_names(CLI::App const& command) {
  std::vector<std::string> names;
  for (auto const* option : command.get_options()) {
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown_word(CLI::App const& command, std::string const& word) {
  if (!word.starts_with('-')) {
    auto const names = command_names(command);
    if (names.empty()) return fmt::format("unexpected argument {}", word);
    return fmt::format("unknown command {}{}", word, config::did_you_mean(word, names));
  }
  auto const name = word.substr(0, word.find('='));
  return fmt::format("unknown flag {}{}", name, config::did_you_mean(name, flag_names(command)));
}

std::string what_is_wrong(CLI::App const& root, CLI::App const& command,
                          CLI::ParseError const& error) {
  auto const words = root.remaining(true);
  if (!words.empty()) return unknown_word(command, words.front());
  if (error.get_name() == "RequiredError" && !command_names(command).empty()) {
    return "a command is missing: " + fmt::format("{}", fmt::join(command_names(command), ", "));
  }
  return error.what();
}

}  // namespace

std::string usage_error(CLI::App const& root, CLI::ParseError const& error) {
  auto const& command = reached(root);
  return fmt::format("sallyport: {}\nSee `{} --help`.\n", what_is_wrong(root, command, error),
                     path_of(command));
}

}  // namespace sallyport::app
