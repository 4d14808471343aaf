#include "src/oauth/forward_auth.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth {
namespace {

bool contains(std::string_view range, char const* address) {
  return AddressRange::parse(range)->contains(boost::asio::ip::make_address(address));
}

TEST(AddressRange, MatchesThePrefixExactly) {
  struct Case {
    char const* range;
    char const* inside;
    char const* outside;
  };
  for (auto const& [range, inside, outside] :
       {Case{"10.1.2.3", "10.1.2.3", "10.1.2.4"}, Case{"10.1.0.0/16", "10.1.255.255", "10.2.0.0"},
        Case{"192.168.4.0/22", "192.168.7.255", "192.168.8.0"},
        Case{"128.0.0.0/1", "255.0.0.1", "127.255.255.255"}, Case{"::1", "::1", "::2"},
        Case{"fd00::/8", "fdff::1", "fe00::1"},
        Case{"2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"},
        Case{"10.1.2.3", "::ffff:10.1.2.3", "::ffff:10.1.2.4"},
        Case{"10.0.0.0/8", "10.9.9.9", "a00::"}}) {
    EXPECT_TRUE(contains(range, inside)) << range;
    EXPECT_FALSE(contains(range, outside)) << range;
  }
}

TEST(AddressRange, RefusesWhatIsNoRange) {
  for (auto const* text :
       {"", "proxy.example", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8",
        "0.0.0.0/0", "::/0", "fd00::/129", "fd00::1/8", "::ffff:10.0.0.1", "10.0.0/8",
        "10.0.0.0/8/8", "010.0.0.1", " 10.0.0.1"}) {
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  }
}

ForwardAuth make(std::string scopes_header = {}) {
  return *ForwardAuth::create({.proxies = {"10.1.0.0/16", "::1"},
                               .user_header = "X-Forwarded-User",
                               .scopes_header = std::move(scopes_header)});
}

http::ServerRequest request_from(std::string peer, http::Headers headers) {
  return {.headers = std::move(headers), .peer_address = std::move(peer)};
}

TEST(ForwardAuth, BelievesAProxy) {
  auto const principal =
      make("X-Scopes")
          .principal(request_from(
              "10.1.2.3", {{"x-forwarded-user", "alice"}, {"X-Scopes", "read, write admin"}}));

  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->id, "alice");
  EXPECT_EQ(principal->scopes, (std::vector<std::string>{"read", "write", "admin"}));
}

TEST(ForwardAuth, BelievesNobodyElse) {
  for (auto const* peer : {"10.2.0.1", "127.0.0.1", "::2", "", "10.1.2.3:80", "10.1", "unix"}) {
    EXPECT_FALSE(make().principal(request_from(peer, {{"X-Forwarded-User", "alice"}}))) << peer;
  }
}

// The address of the socket counts, whatever a header says about it.
TEST(ForwardAuth, DoesNotTakeThePeerFromAHeader) {
  EXPECT_FALSE(make().principal(request_from("192.0.2.1", {{"X-Forwarded-User", "alice"},
                                                           {"X-Forwarded-For", "10.1.2.3"},
                                                           {"Forwarded", "for=10.1.2.3"},
                                                           {"X-Real-IP", "10.1.2.3"}})));
}

TEST(ForwardAuth, WantsExactlyOneName) {
  for (auto const& headers :
       {http::Headers{}, http::Headers{{"X-Forwarded-User", ""}},
        http::Headers{{"X-Forwarded-User", "alice"}, {"x-forwarded-user", "root"}},
        http::Headers{{"X-Forwarded-User", "root, alice"}},
        http::Headers{{"X-Forwarded-User", std::string(1000, 'x')}},
        http::Headers{{"X-Forwarded-User", "a\tb"}},
        http::Headers{{"X-Forwarded-User", "alice"}, {"X-Scopes", "a"}, {"X-Scopes", "b"}}}) {
    EXPECT_FALSE(make("X-Scopes").principal(request_from("::1", headers)));
  }
}

TEST(ForwardAuth, TellsTheOperatorWhatIsWrong) {
  for (auto const& options : {ForwardAuthOptions{}, ForwardAuthOptions{.proxies = {"0.0.0.0/0"}},
                              ForwardAuthOptions{.proxies = {"10.0.0.1"}, .user_header = ""},
                              ForwardAuthOptions{.proxies = {"10.0.0.1"}, .user_header = "a b"},
                              ForwardAuthOptions{.proxies = {"10.0.0.1"}, .scopes_header = ":"}}) {
    auto const made = ForwardAuth::create(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::InvalidInput);
  }
}

}  // namespace
}  // namespace sallyport::oauth
