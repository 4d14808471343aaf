#include "src/egress/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sallyport::egress {
namespace {

using testing::HasSubstr;

url::Url parse(std::string_view text) {
  auto parsed = url::Url::parse(text);
  EXPECT_TRUE(parsed) << text;
  return *parsed;
}

std::vector<url::IpAddress> addresses(std::vector<std::string_view> const& texts) {
  std::vector<url::IpAddress> all;
  for (auto const text : texts) all.push_back(*url::IpAddress::parse(text));
  return all;
}

Guard with(std::vector<std::string_view> const& open) {
  GuardOptions options;
  for (auto const text : open) {
    auto opening = Opening::parse(text);
    EXPECT_TRUE(opening) << text;
    options.open.push_back(*opening);
  }
  return Guard{options};
}

// Why the guard refuses; empty when it does not.
std::string refusal(Guard const& guard, std::string_view text,
                    std::vector<std::string_view> const& found = {"93.184.215.14"}) {
  auto const judged = guard.judge(parse(text), addresses(found));
  if (judged) return "";
  EXPECT_EQ(judged.error().code, Errc::EgressBlocked);
  return judged.error().message;
}

TEST(Guard, PassesPublicHostsOnListedPorts) {
  Guard const guard;
  for (auto const* const text :
       {"http://example.com/", "https://example.com:8443/", "http://example.com./",
        "http://8.8.8.8/", "https://[2606:4700:4700::1111]/", "http://_dmarc.example.com/",
        "http://localhost.example.com/", "http://10.example.com/", "http://internal.example.com/",
        "http://pub.example/", "http://mylocalhost.com/", "http://xn--bcher-kva.example/"}) {
    EXPECT_EQ(refusal(guard, text), "") << text;
  }
}

TEST(Guard, RefusesAnAddressAndSaysWhichRuleAndHowToOpenIt) {
  EXPECT_EQ(refusal(Guard{}, "http://127.1/"),
            "127.0.0.1 is a loopback address (127.0.0.0/8). An operator can open it in "
            "egress.open.");
  EXPECT_EQ(refusal(Guard{}, "http://[::ffff:127.0.0.1]/"),
            "::ffff:7f00:1 carries 127.0.0.1 (IPv4-mapped), which is a loopback address "
            "(127.0.0.0/8). An operator can open it in egress.open.");
  EXPECT_EQ(refusal(Guard{}, "http://224.0.0.1/"),
            "224.0.0.1 is a multicast address (224.0.0.0/4).");
}

TEST(Guard, RefusesAddressesBeforeAnythingIsLookedUp) {
  EXPECT_FALSE(Guard{}.check_url(parse("http://2130706433/")));
  EXPECT_FALSE(Guard{}.check_url(parse("http://[::1]/")));
  EXPECT_TRUE(Guard{}.check_url(parse("http://example.com/")));
}

TEST(Guard, RefusesSchemesThatItDoesNotKnow) {
  for (auto const* const text :
       {"ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "ws://example.com/",
        "wss://example.com/", "mailto:a@b.example", "data:text/html,x", "javascript:alert(1)"}) {
    EXPECT_THAT(refusal(Guard{}, text), HasSubstr("scheme")) << text;
  }
  EXPECT_EQ(refusal(Guard{{.websockets = true}}, "wss://example.com/"), "");
}

TEST(Guard, RefusesCredentialsInAUrl) {
  EXPECT_THAT(refusal(Guard{}, "http://127.0.0.1@example.com/"), HasSubstr("credentials"));
  EXPECT_THAT(refusal(Guard{}, "http://u:p@example.com/"), HasSubstr("credentials"));
}

TEST(Guard, RefusesPortsThatAreNotListed) {
  EXPECT_THAT(refusal(Guard{}, "http://example.com:22/"),
              HasSubstr("Port 22 is not allowed; these are: 80, 443"));
  EXPECT_THAT(refusal(Guard{}, "http://example.com:22/"), HasSubstr("egress.ports"));
  EXPECT_THAT(refusal(Guard{}, "http://8.8.8.8:25/"), HasSubstr("egress.ports"));
  EXPECT_THAT(refusal(Guard{}, "http://example.com:0/"), HasSubstr("Port 0"));
  EXPECT_EQ(refusal(Guard{{.ports = {22}}}, "http://example.com:22/"), "");
}

TEST(Guard, SaysThatAnOpenedPlaceIsNotOpenForThePort) {
  Guard const guard{{.open = {*Opening::parse("10.1.0.0/16"), *Opening::parse("127.0.0.1:8080"),
                              *Opening::parse("db.internal")}}};
  for (auto const& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {"http://10.1.2.3:9000/", "10.1.2.3"}, {"http://db.internal:9000/", "db.internal"}}) {
    EXPECT_EQ(refusal(guard, text),
              place +
                  " is open in egress.open, but not for port 9000. An operator can add 9000 to "
                  "egress.ports, or write the port with the entry in egress.open (\"…:9000\").");
  }
  EXPECT_EQ(refusal(guard, "http://10.1.2.3/"), "");
  // Opened for one port: another in egress.ports would change nothing.
  EXPECT_THAT(refusal(guard, "http://127.0.0.1:9000/"), HasSubstr("is a loopback address"));
  EXPECT_THAT(refusal(guard, "http://10.2.0.1:9000/"), HasSubstr("is a private address"));
  EXPECT_THAT(refusal(guard, "http://0.0.0.0:9000/"), testing::Not(HasSubstr("egress.open")));
}

TEST(Guard, RefusesNamesThatLeadInsideWhateverDnsSays) {
  for (auto const* const host : {"localhost",
                                 "localhost.",
                                 "LOCALHOST",
                                 "a.b.localhost.",
                                 "localhost6.localdomain6",
                                 "localhost.localdomain",
                                 "ip6-loopback",
                                 "loopback",
                                 "intranet",
                                 "unix",
                                 "db.internal",
                                 "nas.local",
                                 "router.lan",
                                 "x.home.arpa",
                                 "app.corp",
                                 "kubernetes.default.svc",
                                 "a.svc.cluster.local",
                                 "host.docker.internal",
                                 "x.onion",
                                 "x.test",
                                 "x.invalid",
                                 "metadata.google.internal.",
                                 "metadata.goog",
                                 "metadata.tencentyun.com",
                                 "metadata.packet.net",
                                 "metadata.platformequinix.com",
                                 "instance-data"}) {
    auto const text = "http://" + std::string{host} + "/";
    EXPECT_THAT(refusal(Guard{}, text), HasSubstr("egress.open")) << host;
  }
}

TEST(Guard, RefusesHostsThatAreNoDnsNames) {
  std::string const longest(63, 'a');
  EXPECT_EQ(refusal(Guard{}, "http://" + longest + ".example/"), "");
  auto const three = longest + "." + longest + "." + longest + ".";
  EXPECT_EQ(refusal(Guard{}, "http://" + three + std::string(61, 'b') + "/"), "");
  for (auto const& host :
       {longest + "a.example", three + std::string(62, 'b'), std::string{"a..example.com"},
        std::string{".example.com"}, std::string{"."}, std::string{"example.com.."},
        std::string{"127.0.0.1,example.com"}, std::string{"a;b.example.com"}}) {
    EXPECT_THAT(refusal(Guard{}, "http://" + host + "/"), HasSubstr("DNS could know")) << host;
  }
}

TEST(Guard, RefusesANameWithOneBadAddressAmongGoodOnes) {
  auto const judged =
      Guard{}.judge(parse("http://m.example/"), addresses({"8.8.8.8", "2606:4700::1", "10.0.0.1"}));

  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().message,
            "m.example is refused: one of its addresses is a private address (10.0.0.0/8). An "
            "operator can open it in egress.open.");
  EXPECT_EQ(judged.error().detail, "10.0.0.1 is a private address (10.0.0.0/8)");
}

TEST(Guard, RefusesANameWithoutAddresses) {
  EXPECT_EQ(refusal(Guard{}, "http://a.example/", {}), "a.example has no address.");
}

TEST(Guard, JudgesTheUrlAgainSoThatNoAddressPassesForAUrlThatDoesNot) {
  EXPECT_NE(refusal(Guard{}, "http://localhost/", {"8.8.8.8"}), "");
  EXPECT_NE(refusal(Guard{}, "http://example.com:22/", {"8.8.8.8"}), "");
}

TEST(Guard, AnAddressInTheUrlIsTheOnlyOneWhateverAResolverSays) {
  auto const judged = Guard{}.judge(parse("http://8.8.8.8/"), addresses({"1.1.1.1"}));

  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->all(), addresses({"8.8.8.8"}));
}

TEST(Guard, KeepsTheOrderLetsFamiliesTakeTurnsAndDropsDuplicates) {
  auto const judged = Guard{}.judge(
      parse("https://a.example/"),
      addresses({"8.8.8.8", "8.8.4.4", "8.8.8.8", "1.1.1.1", "2606:4700::1", "2606:4700::2"}));

  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->all(),
            addresses({"8.8.8.8", "2606:4700::1", "8.8.4.4", "2606:4700::2", "1.1.1.1"}));
  EXPECT_EQ(judged->port(), 443);
}

TEST(Guard, JudgedAddressesHoldWhatWasJudgedAndNothingElse) {
  auto const judged = Guard{}.judge(parse("https://a.example/"), addresses({"8.8.8.8"}));

  ASSERT_TRUE(judged);
  EXPECT_TRUE(judged->contains(*url::IpAddress::parse("8.8.8.8"), 443));
  EXPECT_FALSE(judged->contains(*url::IpAddress::parse("8.8.8.8"), 80));
  EXPECT_FALSE(judged->contains(*url::IpAddress::parse("8.8.4.4"), 443));
  EXPECT_FALSE(judged->contains(*url::IpAddress::parse("::ffff:8.8.8.8"), 443));
}

TEST(GuardOpenings, AnOpenedHostMayLeadIntoAPrivateNetwork) {
  auto const guard = with({"db.corp.example", "*.svc", "localhost:3000"});

  EXPECT_EQ(refusal(guard, "http://db.corp.example/", {"10.0.0.1", "fd12::1"}), "");
  EXPECT_EQ(refusal(guard, "http://db.corp.example./", {"10.0.0.1"}), "");
  EXPECT_EQ(refusal(guard, "http://api.default.svc/", {"10.0.0.1"}), "");
  EXPECT_EQ(refusal(guard, "http://localhost:3000/", {"127.0.0.1", "::1"}), "");
  EXPECT_NE(refusal(guard, "http://other.corp.example/", {"10.0.0.1"}), "");
  EXPECT_NE(refusal(guard, "http://x.db.corp.example/", {"10.0.0.1"}), "");
  EXPECT_NE(refusal(guard, "http://svc/", {"10.0.0.1"}), "");
  EXPECT_NE(refusal(guard, "http://localhost/", {"127.0.0.1"}), "");
}

TEST(GuardOpenings, AnOpenedRangeHoldsForAddressesAndForNamesThatLeadThere) {
  auto const guard = with({"10.1.0.0/16", "[::1]:3000", "192.168.0.5:9000"});

  EXPECT_EQ(refusal(guard, "http://10.1.2.3/"), "");
  EXPECT_EQ(refusal(guard, "http://a.example/", {"10.1.2.3", "8.8.8.8"}), "");
  EXPECT_EQ(refusal(guard, "http://[::1]:3000/"), "");
  EXPECT_EQ(refusal(guard, "http://a.example:9000/", {"192.168.0.5"}), "");
  EXPECT_NE(refusal(guard, "http://10.2.0.1/"), "");
  EXPECT_NE(refusal(guard, "http://a.example/", {"10.1.2.3", "10.2.0.1"}), "");
  EXPECT_NE(refusal(guard, "http://[::1]/"), "");
  EXPECT_THAT(refusal(guard, "http://a.example:9000/", {"8.8.8.8"}), HasSubstr("Port 9000"));
  EXPECT_NE(refusal(guard, "http://[::ffff:10.1.2.3]/"), "");
}

TEST(GuardOpenings, AnOpenedPortHoldsForThatHostOnly) {
  auto const guard = with({"a.example:5000"});

  EXPECT_EQ(refusal(guard, "http://a.example:5000/"), "");
  EXPECT_NE(refusal(guard, "http://b.example:5000/"), "");
  EXPECT_NE(refusal(guard, "http://a.example:5001/"), "");
}

TEST(GuardOpenings, MetadataServicesOpenForTheirOwnAddressOnly) {
  std::string const metadata = "http://169.254.169.254/";

  EXPECT_NE(refusal(with({"a.example"}), "http://a.example/", {"169.254.169.254"}), "");
  EXPECT_NE(refusal(with({"a.example"}), "http://a.example/", {"169.254.1.1"}), "");
  EXPECT_NE(refusal(with({"a.example"}), "http://a.example/", {"168.63.129.16"}), "");
  EXPECT_NE(refusal(with({"*.google.internal"}), "http://metadata.google.internal/"), "");
  EXPECT_NE(refusal(with({"0.0.0.0/0"}), metadata), "");
  EXPECT_NE(refusal(with({"169.254.0.0/16"}), metadata), "");
  EXPECT_NE(refusal(with({"64:ff9b::/96"}), "http://[64:ff9b::a9fe:a9fe]/"), "");
  EXPECT_EQ(refusal(with({"169.254.0.0/16"}), "http://169.254.1.1/"), "");
  EXPECT_EQ(refusal(with({"169.254.169.254"}), metadata), "");
}

TEST(GuardOpenings, WhereNoHostCanBeStaysClosed) {
  auto const guard = with({"0.0.0.0/0", "::/0", "a.example"});
  for (auto const* const text : {"http://0.0.0.0/", "http://224.0.0.1/", "http://255.255.255.255/",
                                 "http://[::]/", "http://[ff02::1]/"}) {
    EXPECT_NE(refusal(guard, text), "") << text;
  }
  EXPECT_NE(refusal(guard, "http://a.example/", {"0.0.0.0"}), "");
}

TEST(GuardOpenings, FurtherOpeningsLeaveTheFirstGuardAsItWas) {
  Guard const guard;
  std::vector const further{*Opening::parse("10.0.0.0/8")};

  EXPECT_EQ(refusal(guard.with_openings(further), "http://10.0.0.1/"), "");
  EXPECT_NE(refusal(guard, "http://10.0.0.1/"), "");
}

TEST(Opening, ReadsHostsAddressesAndRangesWithAndWithoutPort) {
  struct Case {
    char const* text;
    char const* host;
    char const* range;
    int port;
  };
  for (auto const& [text, host, range, port] : std::vector<Case>{
           {"db.corp.example", "db.corp.example", "", 0},
           {"DB.Corp.Example.", "db.corp.example", "", 0},
           {"bücher.example", "xn--bcher-kva.example", "", 0},
           {"*.corp.example:8443", "*.corp.example", "", 8443},
           {"localhost:3000", "localhost", "", 3000},
           {"10.1.0.0/16", "", "10.1.0.0/16", 0},
           {"10.1.0.0/16:8080", "", "10.1.0.0/16", 8080},
           {"127.0.0.1:8080", "", "127.0.0.1/32", 8080},
           {"::1", "", "::1/128", 0},
           {"[::1]", "", "::1/128", 0},
           {"[::1]:3000", "", "::1/128", 3000},
           {"[fd00::/8]:3000", "", "fd00::/8", 3000},
       }) {
    auto const opening = Opening::parse(text);
    ASSERT_TRUE(opening) << text;
    EXPECT_EQ(opening->host, host) << text;
    EXPECT_EQ(opening->range ? opening->range->to_string() : "", range) << text;
    EXPECT_EQ(opening->port.value_or(0), port) << text;
  }
}

TEST(Opening, RefusesWhatItCannotRead) {
  for (auto const* const text : {"",
                                 "*",
                                 "*.",
                                 "*.*.example",
                                 "a.*.example",
                                 "http://a.example/",
                                 "a.example:",
                                 "a.example:0",
                                 "a.example:70000",
                                 "a.example:x",
                                 "10.1.2.3/16",
                                 "10.0.0.0/33",
                                 "[::1",
                                 "[::1]x",
                                 "[a.example]",
                                 "127.1",
                                 "0x7f.1",
                                 "10.0.0.256",
                                 "a b.example",
                                 "a..example"}) {
    auto const opening = Opening::parse(text);
    ASSERT_FALSE(opening) << text;
    EXPECT_EQ(opening.error().code, Errc::InvalidInput);
  }
}

}  // namespace
}  // namespace sallyport::egress
