// The built program in front of other MCP servers.
#pragma once

#include "tests/support/gateway.hpp"
#include "tests/support/small_mcp_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::test {

class GatewayRoadTest : public testing::Test {
 protected:
  // Every server has answered or failed: on a busy machine the program listens before that.
  class Gateway : public test::Gateway {
   public:
    explicit Gateway(GatewayOptions options) : test::Gateway{std::move(options)} {
      EXPECT_TRUE(within_seconds(30, [this] { return is_settled(); })) << log();
    }

   private:
    bool is_settled() const {
      auto const servers = ready(*this).at("servers").as_object();
      return std::ranges::none_of(servers, [](auto const& server) {
        return text_of(server.value().as_object(), "state") == "connecting";
      });
    }
  };

  // Settings with `servers`, entries of `mcp_servers`, and `gateway`, more lines below that.
  GatewayOptions in_front_of(std::string const& servers, std::string const& gateway = {},
                             std::string const& more = {}) const {
    auto const file = [this](char const* name) { return '"' + folder_.file(name) + '"'; };
    return {.more = "gateway:\n  grants_file: " + file("grants.db") + "\n  approvals_file: " +
                    file("approvals.db") + "\n  servers_file: " + file("servers.json") + "\n" +
                    gateway + "mcp_servers:\n" + servers + more};
  }
  static std::string entry(std::string const& name, SmallMcpServer const& server,
                           std::string const& more = {}) {
    return "- name: " + name + "\n  url: " + server.url() + "\n  private_network: true\n" + more;
  }

  // What a list of tools says about the servers.
  static json::Object servers_in(Reply const& list) {
    return list.result.at("_meta").as_object().at("sallyport/servers").as_object();
  }
  static json::Object ready(test::Gateway const& gateway) {
    RawClient client{gateway.port()};
    client.send(http_request("GET", "/readyz", {}));
    return parsed(client.receive().body);
  }
  // What /readyz says about a server.
  static json::Object state_of(Gateway const& gateway, std::string_view server) {
    return ready(gateway).at("servers").as_object().at(server).as_object();
  }
  static std::string text_of(json::Object const& object, std::string_view name) {
    return Reply::text_in(object, name);
  }
  template <class Condition>
  static bool within_seconds(int seconds, Condition const& condition) {
    for (int left = seconds * 50; left > 0; --left) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    return condition();
  }

  static std::set<std::string> tools(Gateway const& gateway) {
    auto const reply = gateway.call(Modern{.method = "tools/list"});
    std::set<std::string> names;
    for (auto const& each : reply.result.at("tools").as_array()) {
      names.insert(text_of(each.as_object(), "name"));
    }
    return names;
  }

  TempFolder folder_;
};

}  // namespace sallyport::test
