// The commands and their flags as CLI11 knows them. Help and shell completion are made from it.
#pragma once

#include "src/app/audit_commands.hpp"
#include "src/app/check.hpp"
#include "src/app/js_command.hpp"
#include "src/app/policy_commands.hpp"
#include "src/app/policy_replay_command.hpp"
#include "src/app/servers/servers_command.hpp"
#include "src/app/setting_flags.hpp"

#include <memory>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

struct CommandTree {
  CommandTree();
  ~CommandTree();
  CommandTree(CommandTree const&) = delete;
  CommandTree& operator=(CommandTree const&) = delete;

  std::unique_ptr<CLI::App> root;
  CLI::App* serve{nullptr};
  CLI::App* stdio{nullptr};
  CLI::App* check{nullptr};
  CLI::App* version{nullptr};
  CLI::App* config_check{nullptr};
  CLI::App* config_show{nullptr};
  CLI::App* config_reference{nullptr};
  CLI::App* completion{nullptr};

  // What was given.
  AuditCommands audit;
  PolicyCommands policy;
  PolicyReplayCommand policy_replay;
  JsCommand js;
  servers::ServersCommand servers;
  SettingFlags flags;
  CheckRequest check_request;
  std::optional<std::string> config_file;
  std::string format{"yaml"};
  std::string shell;
  bool json{false};
};

}  // namespace sallyport::app
