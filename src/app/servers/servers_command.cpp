#include "src/app/servers/servers_command.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/servers_file.hpp"
#include "src/app/servers/sign_in_client.hpp"
#include "src/app/servers/visit_server.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <unistd.h>

namespace sallyport::app::servers {
namespace {

constexpr char const* kServersExamples = R"(Examples:
  sallyport servers add docs https://mcp.example.com/mcp
  sallyport servers add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files
  sallyport servers list
  sallyport servers test docs
  sallyport servers login docs
  sallyport servers call docs search --arg query=hello

What `add` writes is in gateway.servers_file; servers of the settings are used the same way.)";

constexpr char const* kAddExamples = R"(Examples:
  sallyport servers add docs https://mcp.example.com/mcp --header 'X-Key: ${DOCS_KEY}'
  sallyport servers add inside http://10.1.2.3:8080/mcp --private-network
  sallyport servers add files --env LOG=debug -- npx -y @modelcontextprotocol/server-filesystem /srv

The server is tested first; nothing is added where that fails. ${NAME} in a value is filled in from the environment
each time the file is read, so that the secret itself is not in it.)";

constexpr char const* kRemoveExamples = R"(Example:
  sallyport servers remove docs)";

constexpr char const* kServersListExamples = R"(Examples:
  sallyport servers list
  sallyport servers list --json

Nobody is asked: it shows what the last test of each saw.)";

constexpr char const* kTestExamples = R"(Example:
  sallyport servers test docs

Shows each step: may the address be reached, does a session begin, which tools are there. Exit code 0: all is
well; 1: something failed, and what can be done about it.)";

constexpr char const* kToolsExamples = R"(Examples:
  sallyport servers tools docs
  sallyport servers tools docs --json)";

constexpr char const* kCallExamples = R"(Examples:
  sallyport servers call docs search --arg query=hello --arg limit=5
  sallyport servers call docs search --json '{"query": "hello"}'

The result goes to standard output, progress and log to standard error. Questions of the server are asked at the terminal; where
there is none, they are refused. Exit code 1: the call failed, or the tool says that it did.)";

constexpr char const* kLoginExamples = R"(Examples:
  sallyport servers login docs
  sallyport servers login docs --no-browser

The URL to sign in is printed in any case. The browser must be on this machine: it comes back to 127.0.0.1.)";

constexpr char const* kApproveExamples = R"(Examples:
  sallyport servers approve docs                 what is withheld, and how it differs from before
  sallyport servers approve docs search          that tool, as it was shown
  sallyport servers approve docs --all

A tool whose definition changed since it was approved is withheld until somebody has looked at it (gateway.approval). Exit
code 1: something is still withheld.)";

constexpr char const* kLogoutExamples = R"(Example:
  sallyport servers logout docs)";

std::string_view text_member(json::Object const& object, std::string_view key) {
  auto const* const text = json::find_string(object, key);
  return text == nullptr ? std::string_view{} : json::view(*text);
}

Steps::Style steps_style(std::ostream const& out) {
  return &out == &std::cout && isatty(STDOUT_FILENO) == 1 ? Steps::Style::Terminal
                                                          : Steps::Style::Plain;
}

Task<int> test_and_remember(Visit& visit, config::McpServerSettings const& server,
                            std::ostream& out) {
  auto const& name = server.server.name;
  out << for_terminal(fmt::format("{}  {}", name, where_of(server.server))) << '\n';
  Steps steps{out, steps_style(out)};
  SP_CO_TRY(auto const tested, co_await test_server(visit, server, steps));
  remember(visit.settings(), name, tested);
  co_return tested.failure ? kFailed : kDone;
}

void print_tool(json::Object const& tool, std::ostream& out) {
  out << for_terminal(text_member(tool, "name")) << '\n';
  auto const description = text_member(tool, "description");
  if (!description.empty()) {
    out << "    " << for_terminal(description.substr(0, description.find('\n'))) << '\n';
  }
  auto const* const schema = json::find_object(tool, "inputSchema");
  auto const* const properties =
      schema == nullptr ? nullptr : json::find_object(*schema, "properties");
  if (properties == nullptr) return;
  auto const* const required = json::find_array(*schema, "required");
  for (auto const& [name, value] : *properties) {
    auto const* const property = value.if_object();
    auto const type = property == nullptr ? std::string_view{} : text_member(*property, "type");
    bool const needed =
        required != nullptr && std::ranges::find(*required, json::Value(name)) != required->end();
    out << for_terminal(fmt::format("    --arg {}={}{}", std::string_view{name},
                                    type.empty() ? "…" : type, needed ? "  (required)" : ""))
        << '\n';
  }
}

Task<std::vector<json::Object>> tools_of(Visit& visit, config::McpServerSettings const& server) {
  SP_CO_TRY(auto const link, ServerLink::create(visit, server));
  auto listing = co_await capture(link->connection().list("tools/list", "tools"));
  co_await link->close();
  if (!listing) co_return listing.error();
  co_return std::move(listing->entries);
}

Task<int> print_tools(Visit& visit, config::McpServerSettings const& server, bool as_json,
                      Surroundings const& surroundings) {
  auto const tools = co_await capture(tools_of(visit, server));
  if (!tools) {
    if (tools.error().code == Errc::Cancelled) co_return tools.error();
    surroundings.err << "sallyport: " << for_terminal(tools.error().message) << '\n';
    auto const mend = how_to_mend(tools.error(), server);
    if (!mend.empty()) surroundings.err << mend << '\n';
    co_return kFailed;
  }
  if (as_json) {
    json::Array all;
    for (auto const& tool : *tools) all.push_back(tool);
    surroundings.out << indented(all) << '\n';
    co_return kDone;
  }
  for (auto const& tool : *tools) print_tool(tool, surroundings.out);
  co_return kDone;
}

int not_visited(Error const& error, std::ostream& err) {
  err << "sallyport servers: " << error.message << '\n';
  if (!error.detail.empty()) err << error.detail << '\n';
  return kUsageError;
}

// Repeated flags, of which each takes one word: what follows is the server's.
void add_repeated(CLI::App& command, char const* flag, std::vector<std::string>& into,
                  char const* help, char const* type) {
  command.add_option(flag, into, help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

CLI::App* ServersCommand::add_command(char const* name, char const* description,
                                      char const* examples) {
  auto* const command = group_->add_subcommand(name, description);
  command->footer(examples);
  command
      ->add_option_function<std::string>(
          "-c,--config", [this](std::string const& path) { *config_file_ = path; },
          "YAML file with settings; else the variable SALLYPORT_CONFIG names one")
      ->type_name("FILE");
  return command;
}

CLI::App* ServersCommand::add_visit(char const* name, char const* description,
                                    char const* examples) {
  auto* const command = add_command(name, description, examples);
  command->add_option("name", name_, "Which server")->required()->type_name("NAME");
  return command;
}

void ServersCommand::add_add() {
  add_ = add_command("add", "Add a server, once it was tested", kAddExamples);
  add_->add_option("name", addition_.name, "How to call it")->required()->type_name("NAME");
  add_->add_option("where", addition_.where, "Its URL; or, after --, a command with its arguments")
      ->required()
      ->type_name("URL, or -- COMMAND");
  add_repeated(*add_, "--header", addition_.headers, "Header of every request; may be repeated",
               "'NAME: VALUE'");
  add_->add_flag("--private-network", addition_.private_network,
                 "It may have an address that is not public");
  add_->add_option("--oauth-client-id", addition_.client_id, "Who we are to it")->type_name("ID");
  add_->add_option("--oauth-client-secret-env", addition_.client_secret_env,
                   "Variable with our secret")
      ->type_name("NAME");
  add_repeated(*add_, "--oauth-scope", addition_.scopes, "Scope to ask for; may be repeated",
               "SCOPE");
  add_repeated(*add_, "--env", addition_.env, "Variable of the program; may be repeated",
               "NAME=VALUE");
  add_->add_option("--cwd", addition_.cwd, "Folder that the program is started in")
      ->type_name("FOLDER");
  add_->add_flag("--no-test", no_test_, "Add it without asking it anything");
}

void ServersCommand::add_call() {
  call_ = add_visit("call", "Call a tool of a server", kCallExamples);
  call_->add_option("tool", call_request_.tool, "Which tool")->required()->type_name("TOOL");
  add_repeated(*call_, "--arg", call_request_.pairs, "Argument of the tool; may be repeated",
               "NAME=VALUE");
  call_->add_option("--json", call_request_.arguments, "All arguments, as a JSON object")
      ->type_name("JSON");
  call_->add_flag("--raw", call_request_.raw, "Print the whole result, as JSON");
}

void ServersCommand::add_approve() {
  approve_ = add_visit("approve", "Show and approve tools that are withheld", kApproveExamples);
  auto* const tools =
      approve_->add_option("tool", approve_request_.tools, "Which tools; none: show all")
          ->type_name("TOOL");
  approve_->add_flag("--all", approve_request_.all, "Approve all that are withheld now")
      ->excludes(tools);
}

void ServersCommand::add(CLI::App& root, std::optional<std::string>& config_file) {
  config_file_ = &config_file;
  group_ = root.add_subcommand("servers", "Manage and try the MCP servers behind the gateway");
  group_->footer(kServersExamples);
  group_->require_subcommand(1);
  add_add();
  remove_ = add_visit("remove", "Remove a server that was added", kRemoveExamples);
  list_ = add_command("list", "List the servers and how they were", kServersListExamples);
  list_->add_flag("--json", json_, "Print JSON");
  test_ = add_visit("test", "Test a server, step by step", kTestExamples);
  tools_ = add_visit("tools", "List the tools of a server", kToolsExamples);
  tools_->add_flag("--json", json_, "Print their definitions as JSON");
  add_call();
  add_approve();
  login_ = add_visit("login", "Sign in to a server", kLoginExamples);
  login_->add_flag("--no-browser", no_browser_, "Print the URL only");
  login_->add_option("--port", login_request_.port, "Port that the browser comes back to")
      ->type_name("PORT");
  logout_ = add_visit("logout", "Revoke and forget the tokens of a server", kLogoutExamples);
}

bool ServersCommand::parsed() const {
  return group_->parsed();
}

int ServersCommand::run(config::Settings const& settings, Surroundings const& surroundings) const {
  if (add_->parsed()) {
    auto request = addition_;
    request.test = !no_test_;
    return add_server(settings, request, surroundings);
  }
  if (remove_->parsed()) return remove_server(settings, name_, surroundings);
  if (list_->parsed()) {
    return list_servers(settings, json_ ? ListForm::Json : ListForm::Table, surroundings);
  }
  if (approve_->parsed()) return approve_tools(settings, name_, approve_request_, surroundings);
  return visit(settings, surroundings);
}

int ServersCommand::visit(config::Settings const& settings,
                          Surroundings const& surroundings) const {
  auto const server = find_server(settings, name_);
  if (!server) return not_visited(server.error(), surroundings.err);
  auto const visit = Visit::create(settings);
  if (!visit) return not_visited(visit.error(), surroundings.err);
  auto& there = **visit;
  bool const signs = logout_->parsed() || (login_->parsed() && (*server)->server.http);
  if (signs || needs_sign_in((*server)->server)) {
    auto const prepared = there.prepare_grants(surroundings.err);
    if (!prepared) return not_visited(prepared.error(), surroundings.err);
  }
  if (test_->parsed()) return there.drive(test_and_remember(there, **server, surroundings.out));
  if (tools_->parsed()) return there.drive(print_tools(there, **server, json_, surroundings));
  if (call_->parsed()) return there.drive(call_tool(there, **server, call_request_, surroundings));
  if (logout_->parsed()) return there.drive(log_out(there, **server, surroundings));
  auto request = login_request_;
  request.open_browser = !no_browser_;
  return there.drive(log_in(there, **server, request, surroundings));
}

}  // namespace sallyport::app::servers
