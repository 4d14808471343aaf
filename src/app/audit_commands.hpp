// The commands that read the audit log: list, show, tail, verify, export. None of them writes to
// it, and all of them work while a server does.
#pragma once

#include "src/app/cli.hpp"
#include "src/audit/log_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

class AuditCommands {
 public:
  // `config_file` gets what --config says; it must outlive the tree.
  void add(CLI::App& root, std::optional<std::string>& config_file);
  bool parsed() const;

  // `settings_file` is where the settings say the log is. Returns the exit code.
  int run(std::string const& settings_file, Surroundings const& surroundings) const;
  // Whether --file was given, so that nobody needs to look into the settings.
  bool names_file() const noexcept { return !file_.empty(); }

 private:
  CLI::App* add_command(char const* name, char const* description, char const* examples);
  void add_filter(CLI::App& command);

  Result<audit::Filter> filter() const;
  Result<void> list(audit::LogReader& log, std::ostream& out) const;
  Result<void> show(audit::LogReader& log, std::ostream& out) const;
  Result<void> tail(audit::LogReader& log, std::ostream& out) const;
  Result<void> dump(audit::LogReader& log, std::ostream& out) const;
  Result<int> verify(audit::LogReader& log, std::string const& file,
                     Surroundings const& surroundings) const;

  CLI::App* audit_{nullptr};
  CLI::App* list_{nullptr};
  CLI::App* show_{nullptr};
  CLI::App* tail_{nullptr};
  CLI::App* verify_{nullptr};
  CLI::App* export_{nullptr};
  std::optional<std::string>* config_file_{nullptr};

  // What was given.
  std::string file_;
  std::string since_;
  std::string until_;
  std::string principal_;
  std::string tool_;
  std::string host_;
  std::string verdict_;
  std::optional<int> status_;
  std::size_t limit_{50};
  std::string list_format_{"table"};
  std::string show_format_{"text"};
  std::string export_format_{"jsonl"};
  std::string id_;
  bool follow_{false};
  std::size_t last_{20};
  std::string public_key_;
};

}  // namespace sallyport::app
