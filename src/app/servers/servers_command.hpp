// `sallyport servers …`: the MCP servers behind the gateway.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/servers/approve_tools.hpp"
#include "src/app/servers/call_tool.hpp"
#include "src/app/servers/keep_servers.hpp"
#include "src/app/servers/sign_in_server.hpp"

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app::servers {

class ServersCommand {
 public:
  // `config_file` gets what --config says; it must outlive the tree.
  void add(CLI::App& root, std::optional<std::string>& config_file);
  bool parsed() const;

  // The exit code.
  int run(config::Settings const& settings, Surroundings const& surroundings) const;

 private:
  CLI::App* add_command(char const* name, char const* description, char const* examples);
  CLI::App* add_visit(char const* name, char const* description, char const* examples);
  void add_add();
  void add_call();
  void add_approve();
  int visit(config::Settings const& settings, Surroundings const& surroundings) const;

  CLI::App* group_{nullptr};
  CLI::App* add_{nullptr};
  CLI::App* remove_{nullptr};
  CLI::App* list_{nullptr};
  CLI::App* test_{nullptr};
  CLI::App* tools_{nullptr};
  CLI::App* call_{nullptr};
  CLI::App* approve_{nullptr};
  CLI::App* login_{nullptr};
  CLI::App* logout_{nullptr};
  std::optional<std::string>* config_file_{nullptr};

  // What was given.
  std::string name_;
  AddRequest addition_;
  CallRequest call_request_;
  LoginRequest login_request_;
  ApproveRequest approve_request_;
  bool json_{false};
  bool no_test_{false};
  bool no_browser_{false};
};

}  // namespace sallyport::app::servers
