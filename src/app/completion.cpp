#include "src/app/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

namespace sallyport::app {
namespace {

struct Offer {
  std::string word;
  std::string description;
};

// What may follow a flag, or stand for the argument of a command.
struct Values {
  std::string after;  // the flag; empty for the argument
  bool files{false};
  std::vector<std::string> words;
};

struct Command {
  std::string path;  // " config show"; empty for the program itself
  std::vector<Offer> commands;
  std::vector<Offer> flags;
  std::vector<Values> values;
};

// Whether the arguments of a command are files.
bool takes_files(Command const& command) {
  return std::ranges::any_of(
      command.values, [](Values const& values) { return values.after.empty() && values.files; });
}

// The placeholder tells what follows: FILE, or the words of a|b.
Values values_of(CLI::Option const& option, std::string after) {
  Values values{.after = std::move(after)};
  auto const type = option.get_type_name();
  values.files = type == "FILE";
  if (type.find('|') == std::string::npos) return values;
  std::istringstream words{type};
  for (std::string word; std::getline(words, word, '|');) values.words.push_back(word);
  return values;
}

void add_option(CLI::Option const& option, Command& command) {
  if (option.get_positional()) command.values.push_back(values_of(option, {}));
  std::vector<std::string> names;
  for (auto const& name : option.get_snames()) names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) names.push_back("--" + name);
  for (auto const& name : names) {
    command.flags.push_back({name, option.get_description()});
    if (option.get_items_expected() > 0) command.values.push_back(values_of(option, name));
  }
}

void collect(CLI::App const& app, std::string const& path, std::vector<Command>& all) {
  Command command{.path = path};
  for (auto const* option : app.get_options()) add_option(*option, command);
  auto const subs = app.get_subcommands([](CLI::App const*) { return true; });
  for (auto const* sub : subs)
    command.commands.push_back({sub->get_name(), sub->get_description()});
  all.push_back(std::move(command));
  for (auto const* sub : subs) collect(*sub, path + " " + sub->get_name(), all);
}

// Inside single quotes, in all three shells.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (char const c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string joined(std::vector<std::string> const& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> words_of(std::vector<Offer> const& offers) {
  std::vector<std::string> words;
  std::ranges::transform(offers, std::back_inserter(words), &Offer::word);
  return words;
}

// The patterns of a `case` that recognises the paths of all commands.
std::string path_patterns(std::vector<Command> const& all) {
  std::vector<std::string> patterns;
  for (auto const& command : all) {
    if (!command.path.empty()) patterns.push_back(shell_quoted(command.path));
  }
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash_script(std::vector<Command> const& all) {
  std::string after;
  std::string words;
  for (auto const& command : all) {
    std::vector<std::string> offers = words_of(command.commands);
    for (auto const& values : command.values) {
      if (values.after.empty()) {
        offers.insert(offers.end(), values.words.begin(), values.words.end());
        continue;
      }
      auto const action = values.files           ? "compgen -f -- \"$current\""
                          : values.words.empty() ? std::string{"true"}
                                                 : fmt::format("compgen -W {} -- \"$current\"",
                                                               shell_quoted(joined(values.words)));
      after += fmt::format("    {}) mapfile -t COMPREPLY < <({}); return ;;\n",
                           shell_quoted(command.path + " " + values.after), action);
    }
    auto const flags = words_of(command.flags);
    offers.insert(offers.end(), flags.begin(), flags.end());
    words += fmt::format("    {}) words={}{} ;;\n", shell_quoted(command.path),
                         shell_quoted(joined(offers)), takes_files(command) ? " files=yes" : "");
  }
  return fmt::format(R"(# bash completion of sallyport: source <(sallyport completion bash)
_sallyport() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local place='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place ${{COMP_WORDS[i]}}" in
      {}) place="$place ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$place $previous" in
{}  esac
  case "$place" in
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -z $files ]] || mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
}}
complete -F _sallyport sallyport
)",
                     path_patterns(all), after, words);
}

// In _describe a colon separates the word from what it means.
std::string described(std::vector<Offer> const& offers) {
  std::string out;
  for (auto const& offer : offers) out += " " + shell_quoted(offer.word + ":" + offer.description);
  return out;
}

std::string zsh_script(std::vector<Command> const& all) {
  std::string after;
  std::string offers;
  for (auto const& command : all) {
    std::string words;
    for (auto const& values : command.values) {
      if (values.after.empty()) {
        for (auto const& word : values.words) words += " " + shell_quoted(word);
        continue;
      }
      auto const action = values.files           ? std::string{"_files"}
                          : values.words.empty() ? std::string{"_message value"}
                                                 : "compadd -- " + joined(values.words);
      after += fmt::format("    {}) {}; return ;;\n",
                           shell_quoted(command.path + " " + values.after), action);
    }
    offers += fmt::format("    {}) offers=({}{}) flags=({}){} ;;\n", shell_quoted(command.path),
                          words, described(command.commands), described(command.flags),
                          takes_files(command) ? " files=yes" : "");
  }
  return fmt::format(R"(#compdef sallyport
# zsh completion of sallyport: sallyport completion zsh > "${{fpath[1]}}/_sallyport"
_sallyport() {{
  local place='' files='' i
  local -a offers flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$place ${{words[i]}}" in
      {}) place="$place ${{words[i]}}" ;;
    esac
  done
  case "$place ${{words[CURRENT-1]}}" in
{}  esac
  case "$place" in
{}  esac
  _describe -t commands command offers
  _describe -t flags flag flags -o
  [[ -z $files ]] || _files
}}
if [[ "$funcstack[1]" = _sallyport ]]; then _sallyport "$@"; else compdef _sallyport sallyport; fi
)",
                     path_patterns(all), after, offers);
}

std::string fish_values(Command const& command, std::string const& flag) {
  auto const found = std::ranges::find(command.values, flag, &Values::after);
  if (found == command.values.end()) return {};
  if (found->files) return " -r -F";
  return found->words.empty() ? " -x" : " -x -a " + shell_quoted(joined(found->words));
}

std::string fish_script(std::vector<Command> const& all) {
  std::string lines;
  auto const out = std::back_inserter(lines);
  for (auto const& command : all) {
    auto const when = fmt::format("complete -c sallyport -n \"__sallyport_at '{}'\"", command.path);
    for (auto const& sub : command.commands) {
      fmt::format_to(out, "{} -f -a {} -d {}\n", when, sub.word, shell_quoted(sub.description));
    }
    for (auto const& values : command.values) {
      if (!values.after.empty()) continue;
      fmt::format_to(out, "{} {}\n", when,
                     values.files ? "-F" : "-f -a " + shell_quoted(joined(values.words)));
    }
    for (auto const& flag : command.flags) {
      bool const is_long = flag.word.starts_with("--");
      fmt::format_to(out, "{} -{} {}{} -d {}\n", when, is_long ? "l" : "s",
                     flag.word.substr(is_long ? 2 : 1), fish_values(command, flag.word),
                     shell_quoted(flag.description));
    }
  }
  std::string paths;
  for (auto const& command : all) {
    if (!command.path.empty()) paths += " " + shell_quoted(command.path);
  }
  return fmt::format(
      R"(# fish completion of sallyport: sallyport completion fish > ~/.config/fish/completions/sallyport.fish
function __sallyport_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$place $word"{}
      set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
complete -c sallyport -f
{})",
      paths, lines);
}

}  // namespace

std::string completion_script(CLI::App const& root, std::string_view shell) {
  std::vector<Command> all;
  collect(root, {}, all);
  if (shell == "zsh") return zsh_script(all);
  if (shell == "fish") return fish_script(all);
  return bash_script(all);
}

}  // namespace sallyport::app
