// One flag for each setting that has one, made from the table of settings.
#pragma once

#include "src/config/load.hpp"

#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
class Option;
}  // namespace CLI

namespace sallyport::app {

class SettingFlags {
 public:
  // Adds the flags that make sense for `purpose` to `command`, which must outlive this.
  void add(CLI::App& command, config::Purpose purpose);

  // Those that were on the command line.
  std::vector<config::GivenFlag> given() const;

 private:
  std::vector<std::pair<CLI::Option*, config::Setting const*>> flags_;
};

}  // namespace sallyport::app
