#include "src/config/servers_json.hpp"

#include "src/base/ascii.hpp"
#include "src/config/servers_json_entry.hpp"
#include "src/json/parse.hpp"

#include <fmt/format.h>

namespace sallyport::config {
namespace {

class ServersReader {
 public:
  ServersReader(Variables const& variables, ServersJson& read)
      : variables_{variables}, read_{read} {}

  void read(json::Value const& root) {
    auto const* const object = root.if_object();
    if (object == nullptr) return problem({}, "must be an object");
    if (auto const* const list = json::find(*object, "mcpServers")) {
      return read_list("mcpServers", *list);
    }
    if (auto const* const list = json::find(*object, "servers")) {
      return read_list("servers", *list);
    }
    auto const* const inner = json::find_object(*object, "mcp");
    auto const* const list = inner == nullptr ? nullptr : json::find(*inner, "servers");
    if (list != nullptr) return read_list("mcp.servers", *list);
    problem({}, "has no mcpServers");
  }

 private:
  void problem(std::string path, std::string message) {
    read_.problems.push_back({std::move(path), std::move(message)});
  }

  void read_list(std::string const& key, json::Value const& list) {
    if (auto const* const array = list.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        read_one(fmt::format("{}[{}]", key, i), {}, (*array)[i]);
      }
    } else if (auto const* const object = list.if_object()) {
      for (auto const& [name, value] : *object) {
        read_one(fmt::format("{}.{}", key, std::string_view{name}), std::string_view{name}, value);
      }
    } else {
      problem(key, "must be an object or an array");
    }
  }

  void read_one(std::string path, std::string_view name, json::Value const& value) {
    ServersJsonEntry entry{std::move(path), variables_, read_};
    entry.read(name, value);
  }

  Variables const& variables_;
  ServersJson& read_;
};

}  // namespace

ServersJson read_servers_json(std::string_view text, Variables const& variables) {
  ServersJson read;
  auto const root = json::parse(text);
  if (!root) {
    read.problems.push_back({{}, root.error().message});
    return read;
  }
  ServersReader{variables, read}.read(*root);
  return read;
}

}  // namespace sallyport::config
