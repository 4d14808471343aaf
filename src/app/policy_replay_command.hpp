// `sallyport policy replay`: what another policy would have said of recorded calls.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/policy_replay.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

class PolicyReplayCommand {
 public:
  // `config_file` gets what --config says; it must outlive the tree.
  void add(CLI::App& policy_group, std::optional<std::string>& config_file);
  bool parsed() const;

  // `settings_file` is where the settings say the log is. Returns the exit code: 0 when nothing
  // changes, 1 when something does, 2 when nobody can tell.
  int run(std::string const& settings_file, Surroundings const& surroundings) const;
  // Whether --file was given, so that nobody needs to look into the settings.
  bool names_file() const noexcept { return !file_.empty(); }

 private:
  Result<int> replay(std::string const& log_file, Surroundings const& surroundings) const;

  CLI::App* command_{nullptr};

  // What was given.
  std::string file_;
  std::string since_;
  std::string until_;
  std::string policy_;
  std::string rule_{"data.mcp.fetch.allow"};
  std::string format_{"text"};
  std::size_t limit_{100};
};

}  // namespace sallyport::app
