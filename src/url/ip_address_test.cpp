#include "src/url/ip_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace sallyport::url {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

IpAddress address(std::string_view text) {
  auto const parsed = IpAddress::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(IpAddress{});
}

std::string reprinted(std::string_view text) {
  auto const parsed = IpAddress::parse(text);
  return parsed ? parsed->to_string() : "no address";
}

TEST(IpAddress, ReadsAndWritesDottedIpv4) {
  for (char const* text : {"0.0.0.0", "127.0.0.1", "255.255.255.255", "8.8.4.4", "10.20.30.40"}) {
    EXPECT_EQ(reprinted(text), text);
    EXPECT_TRUE(address(text).is_v4());
  }
}

TEST(IpAddress, RefusesIpv4InAnyOtherSpelling) {
  for (char const* text :
       {"",         "1",        "1.2.3",      "1.2.3.4.5",  "1.2.3.4.",   ".1.2.3.4", "1..2.3",
        "01.2.3.4", "1.2.3.00", "256.1.1.1",  "1.2.3.1000", "0x7f.0.0.1", "1.2.3.4 ", " 1.2.3.4",
        "-1.2.3.4", "1.2.3.a",  "2130706433", "127.1",      "1.2.3.4/32", "１.2.3.4"}) {
    EXPECT_EQ(reprinted(text), "no address") << text;
  }
}

TEST(IpAddress, WritesIpv6AsRfc5952Asks) {
  std::map<std::string, std::string> const cases{{"::", "::"},
                                                 {"::1", "::1"},
                                                 {"1::", "1::"},
                                                 {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
                                                 {"2001:DB8::0001", "2001:db8::1"},
                                                 {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
                                                 {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
                                                 {"1:0:0:4:0:0:0:8", "1:0:0:4::8"},
                                                 {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
                                                 {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
                                                 {"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
                                                 {"0:0:0:4:5:6:7:8", "::4:5:6:7:8"},
                                                 {"::ffff:1.2.3.4", "::ffff:102:304"},
                                                 {"1:2:3:4:5::1.2.3.4", "1:2:3:4:5:0:102:304"},
                                                 {"fe80::AbCd", "fe80::abcd"}};
  for (auto const& [text, written] : cases) EXPECT_EQ(reprinted(text), written) << text;
}

TEST(IpAddress, RefusesBrokenIpv6) {
  for (char const* text : {":",
                           ":::",
                           "1",
                           "1:",
                           ":1",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "1:2:3:4:5:6:7:8::",
                           "1::2:3:4:5:6:7:8",
                           "1::2::3",
                           "12345::",
                           "g::",
                           "::1%eth0",
                           "[::1]",
                           "::1 ",
                           "::1/128",
                           "::1.2.3",
                           "::1.2.3.4.5",
                           "::01.2.3.4",
                           "::256.1.1.1",
                           "1.2.3.4::",
                           "::1.2.3.4:5",
                           "1:2:3:4:5:6:7:1.2.3.4",
                           "1:2:3:4:5:6::1.2.3.4",
                           "::.1.2.3"}) {
    EXPECT_EQ(reprinted(text), "no address") << text;
  }
}

TEST(IpAddress, TellsFamiliesApart) {
  EXPECT_NE(IpAddress::parse("::"), IpAddress::parse("0.0.0.0"));
  EXPECT_EQ(IpAddress::v4(0x7F000001), IpAddress::parse("127.0.0.1"));
  EXPECT_THAT(address("1.2.3.4").v4_bytes(), ElementsAre(1, 2, 3, 4));
}

TEST(Cidr, HoldsTheAddressesOfItsRange) {
  struct Case {
    char const* range;
    char const* inside;
    char const* outside;
  };
  for (auto const& [range, inside, outside] :
       {Case{"10.0.0.0/8", "10.255.0.1", "11.0.0.0"},
        Case{"172.16.0.0/12", "172.31.9.9", "172.32.0.0"},
        Case{"100.64.0.0/10", "100.127.255.255", "100.128.0.0"}, Case{"0.0.0.0/0", "9.9.9.9", "::"},
        Case{"192.0.2.7", "192.0.2.7", "192.0.2.6"}, Case{"fe80::/10", "febf::1", "fec0::"},
        Case{"::1", "::1", "::"}, Case{"::/0", "ffff::", "1.2.3.4"},
        Case{"::ffff:0:0/96", "::ffff:1.2.3.4", "1.2.3.4"}}) {
    auto const parsed = Cidr::parse(range);
    ASSERT_TRUE(parsed) << range;
    EXPECT_TRUE(parsed->contains(address(inside))) << range;
    EXPECT_FALSE(parsed->contains(address(outside))) << range;
  }
}

TEST(Cidr, WritesItsPrefixAlways) {
  EXPECT_EQ(Cidr::parse("10.0.0.0/8")->to_string(), "10.0.0.0/8");
  EXPECT_EQ(Cidr::parse("::1")->to_string(), "::1/128");
}

TEST(Cidr, SaysWhatIsWrongWithARange) {
  std::map<std::string, std::string> const cases{{"10.0.0.1/8", "bits set behind the first 8"},
                                                 {"2001:db8::1/32", "bits set behind the first 32"},
                                                 {"10.0.0.0/33", "from 0 to 32"},
                                                 {"::/129", "from 0 to 128"},
                                                 {"10.0.0.0/08", "without leading zeros"},
                                                 {"10.0.0.0/", "from 0 to 32"},
                                                 {"10.0.0.0/+8", "from 0 to 32"},
                                                 {"10.0.0.0/8/8", "from 0 to 32"},
                                                 {"10.0/8", "write an address"},
                                                 {"corp.example", "write an address"}};
  for (auto const& [text, why] : cases) {
    auto const parsed = Cidr::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::InvalidInput);
    EXPECT_THAT(parsed.error().message, HasSubstr(why));
    EXPECT_THAT(parsed.error().message, HasSubstr("\"" + text + "\""));
  }
}

using Found = std::vector<std::pair<std::string, std::string>>;

Found embedded_in(std::string_view text) {
  Found found;
  for (auto const& [carried, form] : embedded_v4(address(text))) {
    found.emplace_back(form, carried.to_string());
  }
  return found;
}

TEST(EmbeddedV4, FindsEachForm) {
  std::map<std::string, Found> const cases{
      {"::ffff:127.0.0.1", {{"mapped", "127.0.0.1"}}},
      {"::10.1.2.3", {{"compatible", "10.1.2.3"}}},
      {"::ffff:0:10.1.2.3", {{"siit", "10.1.2.3"}}},
      {"64:ff9b::169.254.169.254", {{"nat64", "169.254.169.254"}}},
      {"2002:7f00:1::", {{"6to4", "127.0.0.1"}}},
      // RFC 4380's own example has the client behind 192.0.2.45.
      {"2001:0:4136:e378:8000:63bf:3fff:fdd2",
       {{"teredo", "65.54.227.120"}, {"teredo", "192.0.2.45"}}},
      {"fe80::5efe:192.168.1.1", {{"isatap", "192.168.1.1"}}},
      {"2001:db8::200:5efe:192.168.1.1", {{"isatap", "192.168.1.1"}}}};
  for (auto const& [text, found] : cases) EXPECT_EQ(embedded_in(text), found) << text;
}

TEST(EmbeddedV4, ReadsALocalNat64AddressInEveryLayout) {
  // 192.0.2.33 as RFC 6052, section 2.4, lays it out behind prefixes of 48, 56, 64 and 96 bits.
  for (char const* text : {"64:ff9b:1:c000:2:2100::", "64:ff9b:1:1c0:0:221::",
                           "64:ff9b:1:1:c0:2:2100:0", "64:ff9b:1::192.0.2.33"}) {
    EXPECT_THAT(embedded_in(text), ::testing::Contains(std::pair<std::string, std::string>{
                                       "nat64-local", "192.0.2.33"}))
        << text;
  }
}

TEST(EmbeddedV4, FindsBothReadingsOfOneAddress) {
  EXPECT_EQ(embedded_in("2002:0808:0808::5efe:10.0.0.1"),
            (Found{{"6to4", "8.8.8.8"}, {"isatap", "10.0.0.1"}}));
}

TEST(EmbeddedV4, FindsNoneWhereThereIsNone) {
  for (char const* text : {"::", "::1", "2001:db8::1", "2606:4700::1111", "fe80::1", "1.2.3.4",
                           "64:ff9b:2::1", "2001:1::7f00:1", "fe80::1:5efe:7f00:1"}) {
    EXPECT_TRUE(embedded_in(text).empty()) << text;
  }
}

}  // namespace
}  // namespace sallyport::url
