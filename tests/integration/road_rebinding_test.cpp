// Names whose addresses change while somebody uses them, over real DNS and real sockets. 127.0.0.2
// plays the public internet (it is opened), 127.0.0.3 what must not be reached.
#include "tests/support/dns_server.hpp"
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;

constexpr auto const* kPublic = "127.0.0.2";
constexpr auto const* kForbidden = "127.0.0.3";

class RoadRebinding : public testing::Test {
 protected:
  std::string url(std::string const& host, std::string const& path = "/") const {
    return "http://" + host + ":" + std::to_string(good_.port()) + path;
  }
  GatewayOptions options() const {
    return {.egress = open({kPublic + (":" + std::to_string(good_.port()))}) +
                      "  dns_servers: [\"" + dns_.address() + "\"]\n  dns_timeout: 500ms"};
  }

  static std::string answer(std::string const& request) {
    auto const path = RequestLog::path_of(request);
    if (path.starts_with("/to?")) return redirect(302, path.substr(4));
    if (path == "/robots.txt") return Origin::ok("User-agent: *\nDisallow: /private\n");
    return Origin::ok("public");
  }

  DnsServer dns_;
  RequestLog asked_;
  Origin good_{asked_.answering(&answer), {}, kPublic};
  // The same port, so that only the address tells them apart.
  Origin bad_{Origin::answering(Origin::ok("SECRET")), {}, kForbidden, good_.port()};
};

TEST_F(RoadRebinding, ANameThatTurnsToAForbiddenAddressIsRefusedFromThenOn) {
  dns_.sequence("turn.example",
                {{.addresses = {kPublic}, .ttl = 0}, {.addresses = {kForbidden}, .ttl = 0}});
  Gateway gateway{options()};

  EXPECT_EQ(gateway.fetch(url("turn.example")).text, "public");
  auto const later = gateway.fetch(url("turn.example"));

  EXPECT_EQ(later.code, "egress_blocked");
  EXPECT_THAT(later.text, HasSubstr("turn.example is refused: one of its addresses is"));
  EXPECT_THAT(later.whole, testing::Not(HasSubstr(kForbidden)));
  EXPECT_EQ(bad_.connections(), 0);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0].hop(0, "connected"), kPublic);
  EXPECT_EQ(records[1].text("verdict"), "denied");
  EXPECT_THAT(json::to_text(records[1].body.at("reasons")), HasSubstr("turn.example is refused"));
  EXPECT_EQ(records[1].hop(0, "connected"), "");
}

// Every answer but the judged one is forbidden: whoever asked DNS a second time would go there.
TEST_F(RoadRebinding, NobodyAsksDnsAgainBetweenJudgingAndDialling) {
  Gateway gateway{options()};
  for (int i = 0; i < 40; ++i) {
    auto const name = "flip" + std::to_string(i) + ".example";
    dns_.sequence(name,
                  {{.addresses = {kPublic}, .ttl = 0}, {.addresses = {kForbidden}, .ttl = 0}});
    EXPECT_EQ(gateway.fetch(url(name)).text, "public");
    EXPECT_EQ(dns_.questions(name), 2);  // one for each family
  }
  EXPECT_EQ(bad_.connections(), 0);
}

TEST_F(RoadRebinding, ANameThatAlternatesReachesOnlyTheJudgedAddress) {
  std::vector<DnsScript> scripts;
  for (int i = 0; i < 60; ++i) {
    scripts.push_back({.addresses = {i % 2 == 0 ? kPublic : kForbidden}, .ttl = 0});
  }
  dns_.sequence("alternate.example", scripts);
  Gateway gateway{options()};
  std::size_t good = 0;
  std::size_t refused = 0;

  for (int i = 0; i < 60; ++i) {
    auto const reply = gateway.fetch(url("alternate.example"));
    good += reply.text == "public" ? 1U : 0U;
    refused += reply.code == "egress_blocked" ? 1U : 0U;
  }

  EXPECT_EQ(good, 30);
  EXPECT_EQ(refused, 30);
  EXPECT_EQ(bad_.connections(), 0);
}

TEST_F(RoadRebinding, OneForbiddenAddressAmongGoodOnesRefusesTheName) {
  dns_.answer("mixed.example", {.addresses = {kPublic, kForbidden}});
  dns_.answer("private.example", {.addresses = {kPublic, "10.0.0.1"}});
  dns_.answer("six.example", {.addresses = {kPublic, "::1"}});
  dns_.answer("mapped.example", {.addresses = {kPublic, "::ffff:127.0.0.3"}});
  Gateway gateway{options()};

  for (auto const* name : {"mixed.example", "private.example", "six.example", "mapped.example"}) {
    EXPECT_EQ(gateway.fetch(url(name)).code, "egress_blocked") << name;
  }
  EXPECT_EQ(bad_.connections(), 0);
  EXPECT_EQ(good_.connections(), 0);
}

TEST_F(RoadRebinding, AnAliasIsJudgedByWhereItLeads) {
  dns_.answer("alias.example", {.alias = "inside.example"});
  dns_.answer("inside.example", {.addresses = {kForbidden}});
  Gateway gateway{options()};

  EXPECT_EQ(gateway.fetch(url("alias.example")).code, "egress_blocked");
  EXPECT_EQ(bad_.connections(), 0);
}

TEST_F(RoadRebinding, ANameThatTurnsBetweenTwoRedirectsIsRefusedAtTheSecond) {
  dns_.sequence("hop.example",
                {{.addresses = {kPublic}, .ttl = 0}, {.addresses = {kForbidden}, .ttl = 0}});
  Gateway gateway{options()};

  auto const reply = gateway.fetch(url("hop.example", "/to?/again"));

  EXPECT_EQ(reply.code, "egress_blocked");
  EXPECT_EQ(bad_.connections(), 0);
  EXPECT_EQ(asked_.all().size(), 1);
  EXPECT_ONE_RECORD(gateway, reply, "egress_blocked");
  auto const record = gateway.records().front();
  ASSERT_EQ(record.hops().size(), 2);
  EXPECT_EQ(record.hop(0, "connected"), kPublic);
  EXPECT_EQ(record.hop(1, "connected"), "");
  EXPECT_EQ(record.text("verdict"), "denied");
}

TEST_F(RoadRebinding, ANameThatTurnsBetweenRobotsTxtAndThePageIsRefused) {
  // The page is judged first, then robots.txt: the second question already gets the other answer.
  dns_.sequence("robot.example",
                {{.addresses = {kPublic}, .ttl = 0}, {.addresses = {kForbidden}, .ttl = 0}});
  dns_.sequence("later.example", {{.addresses = {kPublic}, .ttl = 0},
                                  {.addresses = {kPublic}, .ttl = 0},
                                  {.addresses = {kForbidden}, .ttl = 0}});
  auto with_robots = options();
  with_robots.fetch = "  robots: true";
  Gateway gateway{with_robots};

  EXPECT_EQ(gateway.fetch(url("robot.example")).code, "egress_blocked");
  EXPECT_EQ(gateway.fetch(url("later.example")).text, "public");
  EXPECT_EQ(gateway.fetch(url("later.example")).code, "egress_blocked");  // robots.txt is known
  EXPECT_EQ(bad_.connections(), 0);
}

// A connection that is kept open was made to an address that was judged for another call.
TEST_F(RoadRebinding, AKeptConnectionIsNotUsedForANameThatHasTurned) {
  dns_.sequence("kept.example", {{.addresses = {kPublic}, .ttl = 0},
                                 {.addresses = {kForbidden}, .ttl = 0},
                                 {.addresses = {kPublic}, .ttl = 0}});
  Gateway gateway{options()};

  EXPECT_EQ(gateway.fetch(url("kept.example")).text, "public");
  EXPECT_EQ(gateway.fetch(url("kept.example")).code, "egress_blocked");
  EXPECT_EQ(gateway.fetch(url("kept.example")).text, "public");
  EXPECT_EQ(asked_.all().size(), 2);
  EXPECT_EQ(bad_.connections(), 0);
}

TEST_F(RoadRebinding, ANameThatDnsDoesNotKnowOrFailsForIsSaidSo) {
  dns_.answer("broken.example", {.reply = DnsReply::ServerFailure});
  dns_.answer("silent.example", {.reply = DnsReply::Silence});
  Gateway gateway{options()};

  EXPECT_EQ(gateway.fetch(url("none.example")).text,
            "Error: The name none.example does not exist.");
  EXPECT_EQ(gateway.fetch(url("broken.example")).text,
            "Error: DNS could not answer for broken.example.");
  EXPECT_EQ(gateway.fetch(url("silent.example")).text,
            "Error: DNS did not answer for silent.example in time.");
  for (auto const& record : gateway.records()) {
    EXPECT_EQ(record.text("error_code"), "upstream_failed") << record.all();
    EXPECT_EQ(record.text("verdict"), "allowed") << record.all();  // nobody said no
  }
}

}  // namespace
}  // namespace sallyport::test
