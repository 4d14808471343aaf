// `sallyport servers add`, `remove` and `list`: which servers there are.
#pragma once

#include "src/app/cli.hpp"
#include "src/config/load.hpp"

#include <string>
#include <vector>

namespace sallyport::app::servers {

// What `add` was given.
struct AddRequest {
  std::string name;
  std::vector<std::string> where;    // a URL, or a command with its arguments
  std::vector<std::string> headers;  // "Name: value"
  bool private_network{false};
  std::string client_id;
  std::string client_secret_env;
  std::vector<std::string> scopes;
  std::vector<std::string> env;  // "NAME=value"
  std::string cwd;
  bool test{true};
};

// The entry as the file has it: values as they were given. Fails with InvalidInput where the flags
// do not fit together.
Result<json::Object> entry_of(AddRequest const& request);

// The same as settings, checked as the file will be when it is read. Fails with InvalidInput.
Result<config::McpServerSettings> settings_of(AddRequest const& request, json::Object const& entry,
                                              config::Variables const& variables);

// Exit codes. `add` tests the server first, and writes nothing where that fails, unless all that it
// lacks is somebody who signs in.
int add_server(config::Settings const& settings, AddRequest const& request,
               Surroundings const& surroundings);
int remove_server(config::Settings const& settings, std::string const& name,
                  Surroundings const& surroundings);

enum class ListForm { Table, Json };
int list_servers(config::Settings const& settings, ListForm form, Surroundings const& surroundings);

}  // namespace sallyport::app::servers
