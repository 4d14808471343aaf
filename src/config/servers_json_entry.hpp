// One server in the JSON of another program. Private to this module.
#pragma once

#include "src/config/servers_json.hpp"
#include "src/json/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

class ServersJsonEntry {
 public:
  // `path` is that of the server in the JSON. The others must outlive this.
  ServersJsonEntry(std::string path, Variables const& variables, ServersJson& read)
      : path_{std::move(path)}, variables_{variables}, read_{read} {}

  // `name` is empty where a member gives it. Adds to what was read: a server, problems, notices.
  void read(std::string_view name, json::Value const& value);

 private:
  // `where` is the member, or a path below it; empty: the server itself.
  void problem(std::string_view where, std::string message);
  void notice(std::string_view where, std::string message);
  std::string path_of(std::string_view where) const;

  void take_name(std::string_view name, json::Object const& object);
  void take(std::string_view key, json::Value const& value);
  bool take_scalar(std::string_view key, json::Value const& value);
  void take_kind(json::Value const& value);
  void take_args(json::Value const& value);
  void take_pairs(std::string_view key, json::Value const& value);
  void take_oauth(json::Value const& value);
  void take_oauth_member(std::string_view key, json::Value const& value);
  void take_endpoint(std::string_view field, std::string const& where, json::Value const& value);
  void check_endpoints();
  void take_tools(json::Value const& value);
  void take_time(std::string_view key, json::Value const& value);
  void take_switch(std::string_view key, json::Value const& value, bool& into);
  void finish();

  // With variables filled in; notes a problem and gives nothing where it is no text.
  std::optional<std::string> text(std::string_view where, json::Value const& value);
  std::optional<std::vector<std::string>> texts(std::string_view where, json::Value const& value);

  std::string path_;
  Variables const& variables_;
  ServersJson& read_;
  McpServerEntry entry_;
  bool leave_out_{false};  // of a kind that we do not have
};

}  // namespace sallyport::config
