// An MCP server behind us, as the configuration describes it.
#pragma once

#include "src/base/secret.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::upstream {

// Which tools of a server are offered: those that a pattern of `allow` matches and none of `deny`.
// `*` stands for any characters, `?` for one.
struct ToolFilter {
  std::vector<std::string> allow{"*"};
  std::vector<std::string> deny;
};

// How long a server may take.
struct ServerTimes {
  std::chrono::milliseconds request{30'000};       // to say something about a request
  std::chrono::milliseconds notification{10'000};  // to take one
  std::chrono::milliseconds tool_call{60'000};     // to say something about a tool call
  std::chrono::milliseconds longest{600'000};      // for any request, whatever it says meanwhile
};

// A server that is reached over HTTP.
struct HttpAddress {
  url::Url url;
  std::vector<std::pair<std::string, Secret>> headers;
  bool private_network{false};  // it may have an address that is not public
};

// A server that is a program on this machine.
struct Program {
  std::string command;  // a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  std::map<std::string, Secret> env;  // besides what every program needs
  std::string cwd;                    // empty: ours
};

struct ServerSettings {
  std::string name;  // unique, also once it is part of a tool's name (catalog/names.hpp)
  std::optional<HttpAddress> http;  // one of the two
  std::optional<Program> program;
  ToolFilter tools;
  ServerTimes times;
};

}  // namespace sallyport::upstream
