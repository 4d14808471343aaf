#include "src/transport/origin_guard.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace sallyport::transport {
namespace {

http::ServerRequest from(std::string host, std::optional<std::string> origin = {}) {
  http::ServerRequest request;
  request.headers.add("Host", std::move(host));
  if (origin) request.headers.add("Origin", std::move(*origin));
  return request;
}

TEST(OriginGuard, LetsThroughHostsThatNameThisMachine) {
  HttpOptions const options;
  OriginGuard const guard{options};

  for (auto const* host : {"localhost", "localhost:3000", "LocalHost:3000", "127.0.0.1",
                           "127.0.0.1:65535", "[::1]", "[::1]:3000"}) {
    EXPECT_FALSE(guard.check(from(host))) << host;
  }
}

TEST(OriginGuard, RefusesHostsOfDnsRebinding) {
  HttpOptions const options;
  OriginGuard const guard{options};

  for (auto const* host :
       {"evil.example.com", "evil.example.com:3000", "localhost.evil.com", "127.0.0.1.evil.com",
        "[::1].evil.com", "[::2]:3000", "::1", "localhost@evil.com", "evil.com:localhost", "",
        "localhost.", "0.0.0.0:3000", "[::1", "[::ffff:127.0.0.1]:80", "192.168.0.1"}) {
    auto const refused = guard.check(from(host));

    ASSERT_TRUE(refused) << host;
    EXPECT_EQ(refused->status, 403) << host;
  }
}

TEST(OriginGuard, LetsThroughAllowedHostsInAnyCaseAndWithAnyPort) {
  HttpOptions options;
  options.allowed_hosts = {"mcp.example.com", "[fd00::1]"};
  OriginGuard const guard{options};

  for (auto const* host :
       {"mcp.example.com", "MCP.example.com:8443", "[FD00::1]:3000", "localhost:3000"}) {
    EXPECT_FALSE(guard.check(from(host))) << host;
  }
  EXPECT_TRUE(guard.check(from("sub.mcp.example.com")));
}

TEST(OriginGuard, ChecksHostsElsewhereOnlyWhenThereIsAList) {
  HttpOptions options;
  options.loopback = false;
  OriginGuard const guard{options};
  EXPECT_FALSE(guard.check(from("anything.example.com")));

  options.allowed_hosts = {"mcp.example.com"};

  EXPECT_TRUE(guard.check(from("anything.example.com")));
  EXPECT_FALSE(guard.check(from("mcp.example.com")));
  EXPECT_FALSE(guard.check(from("127.0.0.1:3000")));
}

TEST(OriginGuard, LetsThroughOwnAndAllowedOriginsOnly) {
  HttpOptions options;
  options.allowed_origins = {"https://app.example.com", "http://localhost:5173"};
  OriginGuard const guard{options};
  struct Case {
    std::string origin;
    bool allowed;
  };

  for (auto const& [origin, allowed] : {
           Case{"http://127.0.0.1:3000", true},
           Case{"HTTP://127.0.0.1:3000", true},
           Case{"https://app.example.com", true},
           Case{"http://localhost:5173", true},
           Case{"https://127.0.0.1:3000", false},
           Case{"http://127.0.0.1:3001", false},
           Case{"http://127.0.0.1", false},
           Case{"http://app.example.com", false},
           Case{"https://app.example.com:8443", false},
           Case{"https://app.example.com.evil.com", false},
           Case{"http://evil.example.com", false},
           Case{"null", false},
           Case{"", false},
       }) {
    auto const refused = guard.check(from("127.0.0.1:3000", origin));

    EXPECT_EQ(!refused, allowed) << origin;
    if (refused) EXPECT_EQ(refused->status, 403);
  }
}

TEST(OriginGuard, WantsTheSchemeOfTheConnection) {
  HttpOptions const options;
  OriginGuard const guard{options};
  auto request = from("localhost:3000", "https://localhost:3000");
  EXPECT_TRUE(guard.check(request));

  request.secure = true;

  EXPECT_FALSE(guard.check(request));
}

}  // namespace
}  // namespace sallyport::transport
