// What was seen of each server when it was last tested, beside the file of servers: so that it can
// be listed without asking anybody. A test that fails keeps what was known.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app::servers {

struct KnownServer {
  std::string where;      // it was then: the URL or the command
  std::string tested_at;  // the last time, as `2026-07-28T12:00:00.000Z`
  std::string error;      // of that test; empty: it passed
  std::string seen_at;    // the last test that passed; empty: none
  std::string server;     // its name and version then
  std::string revision;   // of the protocol
  std::vector<json::Object> tools;  // definitions
};

class KnownServers {
 public:
  // Empty where there is no file, or none that can be read: it is only a memory.
  static KnownServers open(std::filesystem::path file);
  // Beside the file of servers.
  static std::filesystem::path file_beside(std::filesystem::path const& servers_file);

  // Null: nothing is known, or it was elsewhere then.
  KnownServer const* find(std::string_view name, std::string_view where) const;

  void passed(std::string const& name, KnownServer seen);
  void failed(std::string const& name, std::string const& where, std::string tested_at,
              std::string error);
  void forget(std::string_view name);

  Result<void> save() const;

 private:
  explicit KnownServers(std::filesystem::path file) : file_{std::move(file)} {}

  std::filesystem::path file_;
  std::map<std::string, KnownServer, std::less<>> servers_;
};

}  // namespace sallyport::app::servers
