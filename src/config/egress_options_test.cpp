#include "src/config/egress_options.hpp"

#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

TEST(EgressOptions, AreTheDefaultsOfTheModulesWhereNothingIsSet) {
  EgressSettings const settings;

  EXPECT_EQ(guard_options(settings).ports, egress::GuardOptions{}.ports);
  EXPECT_THAT(guard_options(settings).open, IsEmpty());
  EXPECT_THAT(dns_options(settings).servers, IsEmpty());
  EXPECT_FALSE(proxy_of(settings));
  auto const limits = limiter_options(settings);
  EXPECT_EQ(limits.per_principal.count, 0U);
  EXPECT_EQ(limits.per_tool.count, 0U);
  EXPECT_EQ(limits.per_host.count, 0U);
}

TEST(EgressOptions, AreWhatTheFileSays) {
  auto const loaded = load_text(R"(egress:
  ports: [80, 9000]
  open: [10.1.0.0/16, "intranet.example:8080"]
  dns_servers: [192.0.2.53]
  dns_timeout: 2s
  rate_per_principal: 20/min
  rate_per_host: 5/s
)");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& settings = loaded.settings.egress;
  auto const guard = guard_options(settings);
  EXPECT_THAT(guard.ports, ElementsAre(80, 9000));
  ASSERT_EQ(guard.open.size(), 2U);
  EXPECT_EQ(guard.open[1].host, "intranet.example");
  EXPECT_EQ(guard.open[1].port, 8080);
  EXPECT_THAT(dns_options(settings).servers, ElementsAre("192.0.2.53"));
  EXPECT_EQ(dns_options(settings).timeout, 2s);
  auto const limits = limiter_options(settings);
  EXPECT_EQ(limits.per_principal.count, 20U);
  EXPECT_EQ(limits.per_principal.period, 1min);
  EXPECT_EQ(limits.per_host.count, 5U);
  EXPECT_EQ(limits.per_tool.count, 0U);
}

TEST(EgressOptions, PutTheLoginIntoTheProxysUrl) {
  EgressSettings settings;
  settings.proxy = "http://proxy.example:3128";
  EXPECT_EQ(proxy_of(settings)->href(), "http://proxy.example:3128/");

  settings.proxy_login = Secret{"me:p@ss/w?rd:%41"};
  auto const url = proxy_of(settings);
  EXPECT_EQ(url->host(), "proxy.example");
  EXPECT_EQ(url->effective_port(), 3128);
  EXPECT_EQ(url->username(), "me");
  EXPECT_EQ(url->password(), "p%40ss%2Fw%3Frd%3A%2541");
}

TEST(EgressOptions, LeaveRoomForTwiceTheCallsThatMayRunAtOnce) {
  EgressSettings settings;
  settings.limits.concurrent = 7;
  EXPECT_EQ(connector_options(settings).max_exchanges, 14U);

  settings.limits.concurrent = 0;
  EXPECT_EQ(connector_options(settings).max_exchanges, egress::ConnectorOptions{}.max_exchanges);
}

}  // namespace
}  // namespace sallyport::config
