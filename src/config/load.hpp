// Reads the settings: defaults, then one YAML file, then the environment, then flags.
//
// Loading never stops at the first problem: an operator wants to see them all. Nothing may be
// started while there is one.
#pragma once

#include "src/config/setting.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::config {

// Where a value came from.
struct Origin {
  enum class Kind { Default, File, Environment, Flag };
  Kind kind{Kind::Default};
  std::string where;  // "sallyport.yaml:4:9", "PORT", "--port"
};

// "default", "sallyport.yaml:4:9", "env PORT", "flag --port".
std::string describe(Origin const& origin);

struct Problem {
  Origin origin;
  std::string key;  // may be empty
  std::string message;
};

// "sallyport.yaml:4:9: listen.port: must be 0 to 65535". SECURITY: never holds a secret.
std::string to_string(Problem const& problem);

using Variables = std::vector<std::pair<std::string, std::string>>;

// A flag that was given, with its values in order.
struct GivenFlag {
  Setting const* setting;
  std::vector<std::string> values;
};

struct Sources {
  std::optional<std::string> file;  // else the variable SALLYPORT_CONFIG, else none
  Variables environment;
  std::vector<GivenFlag> flags;
};

// What the settings are for: a program on stdio opens no port, so it needs no authentication.
enum class Purpose { Serve, Stdio };

// By key; what is not in it has its default.
using Origins = std::map<std::string, Origin, std::less<>>;

struct Loaded {
  Settings settings;
  Origins origins;
  std::vector<Problem> problems;
  std::vector<Problem> notices;  // what was left out of files of other programs; no problem

  bool good() const noexcept { return problems.empty(); }
};

Loaded load(Sources const& sources, Purpose purpose);

// The environment of this process.
Variables process_environment();

}  // namespace sallyport::config
