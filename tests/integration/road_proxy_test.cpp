// The way through a proxy: only where the operator says so, and to the address that was judged.
#include "tests/support/connect_proxy.hpp"
#include "tests/support/dns_server.hpp"
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The tunnel leads to 127.0.0.1 whatever is asked for; the judged address is 127.0.0.2.
class RoadProxy : public testing::Test {
 protected:
  void SetUp() override { dns_.answer("site.example", {.addresses = {"127.0.0.2"}}); }

  std::string port() const { return std::to_string(origin_.port()); }
  std::string url() const { return "http://site.example:" + port() + "/page"; }
  std::string settings() const {
    return open({"127.0.0.2:" + port()}) + "  dns_servers: [\"" + dns_.address() +
           "\"]\n  proxy: \"" + proxy_.url("") + "\"\n";
  }

  DnsServer dns_;
  RequestLog log_;
  Origin origin_{log_.answering(Origin::ok("page"))};
  ProxyLog tunnels_;
  Origin proxy_{connect_proxy(tunnels_)};
};

TEST_F(RoadProxy, IsAskedForTheJudgedAddress) {
  Gateway gateway{{.egress = settings()}};

  auto const reply = gateway.fetch(url());

  EXPECT_EQ(reply.text, "page");
  ASSERT_EQ(tunnels_.heads().size(), 1);
  EXPECT_THAT(tunnels_.heads().front(), StartsWith("CONNECT 127.0.0.2:" + port() + " HTTP/1.1"));
  EXPECT_THAT(tunnels_.heads().front(), Not(HasSubstr("site.example")));
  EXPECT_THAT(log_.all().front(), HasSubstr("Host: site.example:" + port()));
  EXPECT_ONE_RECORD(gateway, reply, "");
}

TEST_F(RoadProxy, IsToldTheNameWhereTheOperatorWantsThat) {
  Gateway gateway{{.egress = settings() + "  proxy_by_name: true\n"}};

  EXPECT_EQ(gateway.fetch(url()).text, "page");

  EXPECT_THAT(tunnels_.heads().front(), StartsWith("CONNECT site.example:" + port()));
}

TEST_F(RoadProxy, DoesNotOpenWhatTheGuardCloses) {
  dns_.answer("inside.example", {.addresses = {"127.0.0.3"}});
  Gateway gateway{{.egress = settings()}};

  EXPECT_EQ(gateway.fetch("http://inside.example:" + port() + "/").code, "egress_blocked");
  EXPECT_EQ(gateway.fetch(proxy_.url()).code, "egress_blocked");  // nor itself

  EXPECT_EQ(proxy_.connections(), 0);
}

TEST_F(RoadProxy, ThatSaysNoIsNamedInTheError) {
  Origin const refusing{
      Origin::answering_once("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")};
  Gateway gateway{
      {.egress = open({"127.0.0.2:" + port()}) + "  proxy: \"" + refusing.url("") + "\"\n"}};

  auto const reply = gateway.fetch("http://127.0.0.2:" + port() + "/");

  EXPECT_EQ(reply.text, "Error: The proxy refused the connection to 127.0.0.2.");
  EXPECT_ONE_RECORD(gateway, reply, "upstream_failed");
}

TEST_F(RoadProxy, IsNeverTakenFromTheEnvironment) {
  Origin const other{Origin::answering(Origin::ok("direct")), {}, "127.0.0.2"};
  std::vector<std::string> environment;
  for (auto const* name :
       {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    environment.push_back(name + ("=" + proxy_.url("")));
  }
  environment.emplace_back("no_proxy=");
  Gateway gateway{
      {.egress = open({"127.0.0.2:" + std::to_string(other.port())}), .environment = environment}};

  EXPECT_EQ(gateway.fetch(other.url("/", "127.0.0.2")).text, "direct");

  EXPECT_EQ(proxy_.connections(), 0);
  EXPECT_EQ(other.connections(), 1);
}

}  // namespace
}  // namespace sallyport::test
