#include "src/egress/address_ranges.hpp"

#include "src/egress/guard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace sallyport::egress {
namespace {

url::IpAddress address(std::string_view text) {
  auto const parsed = url::IpAddress::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(url::IpAddress{});
}

TEST(AddressRanges, EveryRangeIsClosedFromItsFirstToItsLastAddressAndNoFurther) {
  struct Case {
    char const* before;
    char const* first;
    char const* last;
    char const* after;
  };
  // An empty neighbour lies in another closed range.
  for (auto const& [before, first, last, after] : std::vector<Case>{
           {"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
           {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
           {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
           {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
           {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
           {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
           {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
           {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
           {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
           {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
           {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
           {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
           {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
           {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
           {"223.255.255.255", "224.0.0.0", "255.255.255.255", ""},
           {"", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"},
           {"2000:ffff::", "2001::", "2001:1ff:ffff::", "2001:200::"},
           {"2001:db7:ffff::", "2001:db8::", "2001:db8:ffff::1", "2001:db9::"},
           {"2001:ffff::", "2002::", "2002:ffff:ffff::", "2003::"},
           {"3ffe:ffff::", "3fff::", "3fff:fff:ffff::", "3fff:1000::"},
           {"3fff:ffff:ffff::", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
       }) {
    if (*before) EXPECT_EQ(why_not_public(address(before)), std::nullopt) << before;
    EXPECT_TRUE(why_not_public(address(first))) << first;
    EXPECT_TRUE(why_not_public(address(last))) << last;
    if (*after) EXPECT_EQ(why_not_public(address(after)), std::nullopt) << after;
  }
}

TEST(AddressRanges, SaysWhichRangeAndRule) {
  struct Case {
    char const* text;
    char const* why;
  };
  for (auto const& [text, why] : std::vector<Case>{
           {"127.0.0.1", "is a loopback address (127.0.0.0/8)"},
           {"169.254.169.254", "is a cloud's metadata service (169.254.169.254)"},
           {"255.255.255.255", "is the broadcast address (255.255.255.255)"},
           {"::1", "is a loopback address (::1)"},
           {"fe80::1", "is a link-local address (fe80::/10)"},
           {"fd00:ec2::254", "is a cloud's metadata service (fd00:ec2::/32)"},
           {"4000::1", "is outside the public IPv6 addresses (2000::/3)"},
           {"::ffff:127.0.0.1",
            "carries 127.0.0.1 (IPv4-mapped), which is a loopback address (127.0.0.0/8)"},
           {"::ffff:8.8.8.8", "is an IPv4-mapped address (::ffff:0:0/96)"},
           {"64:ff9b::10.0.0.1",
            "carries 10.0.0.1 (NAT64), which is a private address (10.0.0.0/8)"},
           {"2002:a9fe:a9fe::",
            "carries 169.254.169.254 (6to4), which is a cloud's metadata service "
            "(169.254.169.254)"},
           {"2606:4700::5efe:192.168.0.1",
            "carries 192.168.0.1 (ISATAP), which is a private address (192.168.0.0/16)"},
           {"2606:4700::200:5efe:10.0.0.1",
            "carries 10.0.0.1 (ISATAP), which is a private address (10.0.0.0/8)"},
       }) {
    EXPECT_EQ(why_not_public(address(text)).value_or("public"), why) << text;
  }
}

TEST(AddressRanges, ATranslatedPublicAddressIsPublicSoThatNetworksWithoutIpv4Work) {
  EXPECT_EQ(why_not_public(address("64:ff9b::8.8.8.8")), std::nullopt);
  EXPECT_TRUE(why_not_public(address("64:ff9b::1:808:808")));
  EXPECT_TRUE(why_not_public(address("64:ff9b:1::8.8.8.8")));
}

// A second, slow way to the same verdict: texts of ranges, tried one after the other.
bool is_public_by_list(url::IpAddress const& candidate) {
  static auto const closed_v4 = [] {
    std::vector<url::Cidr> ranges;
    for (auto const* text :
         {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32",
          "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
          "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"}) {
      ranges.push_back(url::Cidr::parse(text).value());
    }
    return ranges;
  }();
  static auto const closed_v6 = [] {
    std::vector<url::Cidr> ranges;
    for (auto const* text : {"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"}) {
      ranges.push_back(url::Cidr::parse(text).value());
    }
    return ranges;
  }();
  auto const outside = [&](auto const& ranges) {
    return std::ranges::none_of(ranges,
                                [&](auto const& range) { return range.contains(candidate); });
  };
  if (candidate.is_v4()) return outside(closed_v4);
  auto const& bytes = candidate.v6_bytes();
  auto const tail = url::IpAddress::v4({bytes[12], bytes[13], bytes[14], bytes[15]});
  static auto const nat64 = url::Cidr::parse("64:ff9b::/96").value();
  if (nat64.contains(candidate)) return is_public_by_list(tail);
  static auto const unicast = url::Cidr::parse("2000::/3").value();
  if (!unicast.contains(candidate) || !outside(closed_v6)) return false;
  auto const text = candidate.to_string();
  auto const is_isatap =
      (bytes[8] == 0 || bytes[8] == 2) && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
  return !is_isatap || is_public_by_list(tail);
}

TEST(AddressRanges, AgreesWithASimpleListOnRandomAddresses) {
  std::mt19937 random{20'26};  // NOLINT(cert-msc51-cpp): the same addresses in each run
  std::vector<url::IpAddress::V6Bytes> const starts{
      {},
      {0x20, 0x01},
      {0x20, 0x01, 0x0d, 0xb8},
      {0x20, 0x02},
      {0x3f, 0xff},
      {0x00, 0x64, 0xff, 0x9b},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},
      {0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0x5e, 0xfe},
      {0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 2, 0, 0x5e, 0xfe},
  };
  std::size_t open = 0;
  for (int i = 0; i < 200'000; ++i) {
    auto bytes = starts[random() % starts.size()];
    auto const from = bytes == url::IpAddress::V6Bytes{} ? 0U : random() % 13U;
    for (auto at = std::max<std::size_t>(from, 2 * (from > 0)); at < bytes.size(); ++at) {
      bytes[at] = static_cast<std::uint8_t>(random());
    }
    auto const v6 = url::IpAddress::v6(bytes);
    auto const v4 = url::IpAddress::v4(static_cast<std::uint32_t>(random()));

    ASSERT_EQ(!find_closed(v6), is_public_by_list(v6)) << v6.to_string();
    ASSERT_EQ(!find_closed(v4), is_public_by_list(v4)) << v4.to_string();
    open += find_closed(v6) ? 0 : 1;
  }
  EXPECT_GT(open, 10'000);
}

}  // namespace
}  // namespace sallyport::egress
