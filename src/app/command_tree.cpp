#include "src/app/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace sallyport::app {
namespace {

constexpr char const* kRootExamples = R"(Examples:
  sallyport serve                               MCP on http://127.0.0.1:3000/mcp
  sallyport serve --config sallyport.yaml       with settings from a file
  sallyport stdio                               for clients that start the server themselves
  sallyport check https://example.com/          whether and why that may be fetched
  sallyport config show                         every setting and where it came from
  sallyport audit list --since 1h               who called what, and what was decided
  sallyport policy test policies                the tests of Rego policies
  sallyport js run script.js                    a script in the sandbox of run_js
  sallyport servers add NAME URL                another MCP server, behind this one
  source <(sallyport completion bash)           completion in this shell

Every command has --help. All settings: sallyport config reference)";

constexpr char const* kServeExamples = R"(Examples:
  sallyport serve --port 8080
  SALLYPORT_AUTH_TOKEN=$(openssl rand -hex 32) sallyport serve --host 0.0.0.0
  sallyport serve --allowed-origins https://app.example,https://other.example
  sallyport serve --config sallyport.yaml --log-format json

Settings come from defaults, then the file, then the environment, then these flags.)";

constexpr char const* kStdioExamples = R"(Examples:
  sallyport stdio
  sallyport stdio --fetch-max-redirects 0 --log-level debug 2>sallyport.log

Messages are lines of JSON on standard input and output; the log goes to standard error.)";

constexpr char const* kExplainExamples = R"(Examples:
  sallyport check https://example.com/
  sallyport check --method POST --header 'Accept: text/html' --as alice https://api.example.com/v1
  sallyport check --egress-open 10.1.0.0/16 http://10.1.2.3/
  sallyport check --simulate vectors.json

Nothing is sent but DNS questions and what policies ask. Exit code 0: everything would be sent; 1: something would not; 2: no answer.
A simulation takes a JSON array of vectors, runs each over a made-up network and prints one JSON line for each.)";

constexpr char const* kCheckExamples = R"(Examples:
  sallyport config check --config sallyport.yaml
  HOST=0.0.0.0 sallyport config check

Prints every problem with file, line and column. Exit code 0: good; 2: not.)";

constexpr char const* kConfigExamples = R"(Examples:
  sallyport config show --config sallyport.yaml
  sallyport config show --format json | jq '."listen.port"'

Secrets are shown as ****.)";

constexpr char const* kReferenceExamples = R"(Example:
  sallyport config reference > settings.md)";

constexpr char const* kVersionExamples = R"(Examples:
  sallyport version
  sallyport version --json)";

constexpr char const* kCompletionExamples = R"(Examples:
  source <(sallyport completion bash)
  sallyport completion zsh > "${fpath[1]}/_sallyport"
  sallyport completion fish > ~/.config/fish/completions/sallyport.fish)";

CLI::App* add_command(CLI::App& parent, char const* name, char const* description,
                      char const* examples) {
  auto* command = parent.add_subcommand(name, description);
  command->footer(examples);
  return command;
}

// Without CLI11's description, which would stand beside our placeholder in the help.
CLI::Validator one_of(std::vector<std::string> words) {
  CLI::IsMember validator{std::move(words)};
  validator.description("");
  return validator;
}

void add_config_option(CLI::App& command, std::optional<std::string>& file) {
  command
      .add_option_function<std::string>(
          "-c,--config", [&file](std::string const& path) { file = path; },
          "YAML file with settings; else the variable SALLYPORT_CONFIG names one")
      ->type_name("FILE");
}

void add_check_options(CLI::App& command, CheckRequest& request) {
  auto* urls = command.add_option("url", request.urls, "URLs to explain")->type_name("URL");
  command.add_option("--method", request.method, "Method of the request")
      ->default_str(request.method)
      ->type_name("METHOD");
  command.add_option("--header", request.headers, "Header of the request; may be repeated")
      ->type_name("'NAME: VALUE'")
      ->expected(1)
      ->allow_extra_args(false)  // what follows is the URL
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--as", request.principal, "Who asks")->type_name("PRINCIPAL");
  auto* simulate =
      command.add_option("--simulate", request.simulate, "Run the vectors of a JSON file instead")
          ->type_name("FILE");
  command.add_flag("--json", request.json, "Print JSON, one line for each URL");
  urls->excludes(simulate);
}

}  // namespace

CommandTree::CommandTree()
    : root{std::make_unique<CLI::App>(
          "The guarded door through which AI agents reach the network: an MCP server.",
          "sallyport")} {
  root->require_subcommand(1);
  root->footer(kRootExamples);
  root->set_version_flag("--version", "sallyport " SALLYPORT_VERSION);
  root->get_formatter()->column_width(46);

  serve = add_command(*root, "serve", "Serve MCP over HTTP", kServeExamples);
  add_config_option(*serve, config_file);
  flags.add(*serve, config::Purpose::Serve);

  stdio = add_command(*root, "stdio", "Serve MCP on standard input and output", kStdioExamples);
  add_config_option(*stdio, config_file);
  flags.add(*stdio, config::Purpose::Stdio);

  auto* config = add_command(*root, "config", "Check and show settings", kConfigExamples);
  config->require_subcommand(1);
  config_check =
      add_command(*config, "check", "Say what is wrong with the settings", kCheckExamples);
  add_config_option(*config_check, config_file);
  config_show = add_command(*config, "show", "Print the settings in effect", kConfigExamples);
  add_config_option(*config_show, config_file);
  config_show->add_option("--format", format, "Form of the output")
      ->default_str(format)
      ->check(one_of({"yaml", "json"}))
      ->type_name("yaml|json");
  config_reference = add_command(*config, "reference", "Print a table of all settings in Markdown",
                                 kReferenceExamples);

  check = add_command(*root, "check", "Explain what would happen to a request, without sending it",
                      kExplainExamples);
  add_config_option(*check, config_file);
  add_check_options(*check, check_request);
  flags.add(*check, config::Purpose::Serve);
  audit.add(*root, config_file);
  policy_replay.add(policy.add(*root), config_file);
  js.add(*root, config_file, flags);
  servers.add(*root, config_file);

  version = add_command(*root, "version", "Print the version", kVersionExamples);
  version->add_flag("--json", json, "Print JSON");

  completion = add_command(*root, "completion", "Print a completion script for a shell",
                           kCompletionExamples);
  completion->add_option("shell", shell, "Which shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
}

CommandTree::~CommandTree() = default;

}  // namespace sallyport::app
