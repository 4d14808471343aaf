#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::prepared_result;
using test::result;

TEST(NetBuiltins, ContainsFollowsTheAddressAndItsFamily) {
  struct Case {
    char const* operands;
    char const* contained;
  };
  for (auto const& [operands, contained] : std::initializer_list<Case>{
           {R"(["10.0.0.0/8", "10.1.2.3"])", "true"},
           {R"(["10.0.0.0/8", "11.0.0.0"])", "false"},
           {R"(["10.0.0.0/8", "10.1.0.0/24"])", "true"},
           {R"(["172.17.0.0/24", "172.17.0.0/16"])", "false"},
           {R"(["10.1.2.3/08", "10.255.255.255"])", "true"},
           {R"(["10.0.0.0/8", "::ffff:10.0.0.1"])", "true"},
           {R"(["::ffff:10.0.0.0/104", "10.9.9.9"])", "true"},
           {R"(["::/0", "10.0.0.1"])", "false"},
           {R"(["::/0", "::1"])", "true"},
           {R"(["0.0.0.0/0", "::1"])", "false"},
           {R"(["2001:4860:4860::8888/32", "2001:4860:4860:1234::8888/40"])", "true"},
       }) {
    EXPECT_EQ(result("net.cidr_contains", operands), contained) << operands;
    EXPECT_EQ(prepared_result("net.cidr_contains", operands), contained) << operands;
  }
}

TEST(NetBuiltins, SayWhatIsNoRange) {
  EXPECT_EQ(result("net.cidr_contains", R"(["10.0.0.0/33", "10.0.0.1"])"),
            "error: invalid CIDR address: 10.0.0.0/33");
  EXPECT_EQ(result("net.cidr_contains", R"(["10.0.0.0/8", "x"])"),
            "error: not a valid textual representation of an IP address or CIDR: x");
  EXPECT_EQ(result("net.cidr_contains", R"(["10.0.0.0/8", 1])"),
            "type error: operand 1 must be string but got number");
  for (auto const* const text :
       {"", "/", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "010.0.0.0/8", "::1%lo/64",
        "10.0.0.0/8 ", "::/129", "10.0.0.0/99999999999999999999"}) {
    EXPECT_EQ(result("net.cidr_is_valid", "[\"" + std::string{text} + "\"]"), "false") << text;
  }
}

TEST(NetBuiltins, IntersectsIsSymmetric) {
  EXPECT_EQ(result("net.cidr_intersects", R"(["10.0.0.0/8", "10.1.0.0/16"])"), "true");
  EXPECT_EQ(result("net.cidr_intersects", R"(["10.1.0.0/16", "10.0.0.0/8"])"), "true");
  EXPECT_EQ(result("net.cidr_intersects", R"(["10.1.0.0/16", "10.2.0.0/16"])"), "false");
}

TEST(NetBuiltins, MatchesNamesWhatItFound) {
  EXPECT_EQ(result("net.cidr_contains_matches",
                   R"([[["1.1.2.0/24", 1], "1.1.1.0/24"], ["1.1.1.1", "1.1.2.1"]])"),
            "{[0, 1], [1, 0]}");
  EXPECT_EQ(result("net.cidr_contains_matches",
                   R"([{"k1": "1.1.1.1/24", "k2": ["1.1.1.2/24", 1]}, "1.1.1.128"])"),
            R"({["k1", "1.1.1.128"], ["k2", "1.1.1.128"]})");
  EXPECT_EQ(result("net.cidr_contains_matches", R"([["1.1.2.0/24"], ["1.1.1.1", 1]])"),
            "error: operand 2: element must be string or non-empty array");
  EXPECT_EQ(result("net.cidr_contains_matches", R"([[[]], ["1.1.1.1"]])"),
            "error: operand 1: element must be string or non-empty array");
  EXPECT_EQ(result("net.cidr_contains_matches", R"([["bad"], []])"), "set()");
}

TEST(NetBuiltins, ExpandListsEveryAddress) {
  EXPECT_EQ(result("net.cidr_expand", R"(["172.16.100.255/30"])"),
            R"({"172.16.100.252", "172.16.100.253", "172.16.100.254", "172.16.100.255"})");
  EXPECT_EQ(result("net.cidr_expand", R"(["255.255.255.255/32"])"), R"({"255.255.255.255"})");
  EXPECT_EQ(result("net.cidr_expand", R"(["::fffe/127"])"), R"({"::fffe", "::ffff"})");
}

TEST(NetBuiltins, ExpandRefusesWhatNobodyCanHold) {
  for (auto const* const range : {"0.0.0.0/0", "::/0", "10.0.0.0/8"}) {
    EXPECT_TRUE(result("net.cidr_expand", "[\"" + std::string{range} + "\"]").starts_with("halt: "))
        << range;
  }
}

TEST(NetBuiltins, MergeFindsTheFewestRanges) {
  struct Case {
    char const* ranges;
    char const* merged;
  };
  for (auto const& [ranges, merged] : std::initializer_list<Case>{
           {R"([["192.0.128.0/24", "192.0.129.0/24"]])", R"({"192.0.128.0/23"})"},
           {R"([["192.0.2.112/31", "192.0.2.116/31", "192.0.2.118/31"]])",
            R"({"192.0.2.112/31", "192.0.2.116/30"})"},
           {R"([["192.0.128.0/24", "0.0.0.0/0"]])", R"({"0.0.0.0/0"})"},
           {R"([["::/0", "fe80::1/128"]])", R"({"::/0"})"},
           {R"([["fe80::/120", "192.0.2.0/24", "192.0.3.0/24"]])",
            R"({"192.0.2.0/23", "fe80::/120"})"},
           {R"([["192.0.128.0", "192.0.129.0"]])", R"({"192.0.128.0/23"})"},
           {R"([["192.0.2.112"]])", R"({"192.0.2.112/24"})"},
           {R"([["10.0.0.1/32", "10.0.0.2/32", "10.0.0.3/32", "10.0.0.4/32"]])",
            R"({"10.0.0.1/32", "10.0.0.2/31", "10.0.0.4/32"})"},
           {R"([[]])", "set()"},
       }) {
    EXPECT_EQ(result("net.cidr_merge", ranges), merged) << ranges;
  }
  EXPECT_EQ(result("net.cidr_merge", R"([["::1"]])"), "error: IPv6 invalid: needs prefix length");
  EXPECT_EQ(result("net.cidr_merge", R"([[1]])"), "error: element must be string");
}

TEST(NetBuiltins, LookUpKnowsAddressesOnly) {
  EXPECT_EQ(result("net.lookup_ip_addr", R"(["::"])"), R"({"::"})");
  EXPECT_TRUE(result("net.lookup_ip_addr", R"(["localhost"])").starts_with("error: "));
}

}  // namespace
}  // namespace sallyport::rego
