// `sallyport js` and `sallyport js run`: scripts under the same settings and policies as `run_js`.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/setting_flags.hpp"

#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

class JsCommand {
 public:
  // `config_file` gets what --config says; it and `flags` must outlive the tree.
  void add(CLI::App& root, std::optional<std::string>& config_file, SettingFlags& flags);
  bool parsed() const;

  // The exit code: 0, 1 when the script failed, 2 when it could not be run, 130 after Ctrl+C.
  int run(config::Settings const& settings, Surroundings const& surroundings) const;

 private:
  CLI::App* group_{nullptr};
  CLI::App* run_{nullptr};

  // What was given.
  std::string file_;
  bool print_{false};
};

}  // namespace sallyport::app
