#include "src/http/cookie_jar.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::http {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};

struct Browser {
  CookieJar jar{};
  WallTime now{kStart};

  bool set(std::string_view text, CookiePlace from = {"www.example.com", "/shop/cart", true}) {
    return jar.store(text, from, now);
  }
  std::string sent(std::string_view host, std::string_view path = "/", bool secure = true) {
    return jar.header_for({host, path, secure, false}, now);
  }
};

TEST(CookieJar, ACookieGoesBackToItsHostOnly) {
  Browser browser;
  ASSERT_TRUE(browser.set("id=1; Path=/"));

  EXPECT_EQ(browser.sent("www.example.com"), "id=1");
  EXPECT_EQ(browser.sent("example.com"), "");
  EXPECT_EQ(browser.sent("a.www.example.com"), "");
}

TEST(CookieJar, ADomainReachesTheNamesBelowIt) {
  Browser browser;
  ASSERT_TRUE(browser.set("id=1; Path=/; Domain=.Example.COM"));

  EXPECT_EQ(browser.sent("example.com"), "id=1");
  EXPECT_EQ(browser.sent("a.b.example.com"), "id=1");
  EXPECT_EQ(browser.sent("badexample.com"), "");
}

TEST(CookieJar, RefusesTheDomainOfSomebodyElse) {
  Browser browser;

  EXPECT_FALSE(browser.set("id=1; Domain=example.org"));
  EXPECT_FALSE(browser.set("id=1; Domain=a.www.example.com"));
  EXPECT_FALSE(browser.set("id=1; Domain=ww.example.com"));
  EXPECT_FALSE(browser.set("id=1; Domain=2.3.4", {"1.2.3.4", "/", true, true}));
  EXPECT_TRUE(browser.set("id=1; Domain=1.2.3.4", {"1.2.3.4", "/", true, true}));
}

TEST(CookieJar, RefusesPublicSuffixes) {
  Browser browser;

  EXPECT_FALSE(browser.set("id=1; Domain=com"));
  EXPECT_FALSE(browser.set("id=1; Domain=co.uk", {"shop.co.uk", "/", true}));
  EXPECT_FALSE(browser.set("id=1; Domain=co.uk.", {"shop.co.uk.", "/", true}));
  EXPECT_FALSE(browser.set("id=1; Domain=github.io", {"me.github.io", "/", true}));
  // From the suffix itself it is a cookie of that host alone.
  EXPECT_TRUE(browser.set("id=1; Path=/; Domain=github.io", {"github.io", "/", true}));
  EXPECT_EQ(browser.sent("github.io"), "id=1");
  EXPECT_EQ(browser.sent("me.github.io"), "");
}

TEST(CookieJar, PathsMatchByWholeSegments) {
  Browser browser;
  ASSERT_TRUE(browser.set("a=1; Path=/shop"));

  EXPECT_EQ(browser.sent("www.example.com", "/shop"), "a=1");
  EXPECT_EQ(browser.sent("www.example.com", "/shop/x"), "a=1");
  EXPECT_EQ(browser.sent("www.example.com", "/shopping"), "");
}

TEST(CookieJar, WithoutAPathItIsTheFolderOfTheRequest) {
  Browser browser;
  ASSERT_TRUE(browser.set("a=1"));
  ASSERT_TRUE(browser.set("b=1; Path=relative"));
  ASSERT_TRUE(browser.set("c=1", {"www.example.com", "/top", true}));

  EXPECT_EQ(browser.sent("www.example.com", "/shop/x"), "a=1; b=1; c=1");
  EXPECT_EQ(browser.sent("www.example.com", "/other"), "c=1");
}

TEST(CookieJar, LongerPathsComeFirstThenOlderCookies) {
  Browser browser;
  browser.set("old=1; Path=/");
  browser.set("deep=1; Path=/a/b");
  browser.set("young=1; Path=/");
  browser.set("old=2; Path=/");

  EXPECT_EQ(browser.sent("www.example.com", "/a/b"), "deep=1; old=2; young=1");
}

TEST(CookieJar, SecureCookiesNeverGoInClear) {
  Browser browser;
  ASSERT_TRUE(browser.set("a=1; Path=/; Secure"));

  EXPECT_EQ(browser.sent("www.example.com", "/", true), "a=1");
  EXPECT_EQ(browser.sent("www.example.com", "/", false), "");
}

TEST(CookieJar, ClearTextNeitherSetsNorHidesSecureCookies) {
  Browser browser;
  CookiePlace const clear{"www.example.com", "/", false};

  EXPECT_FALSE(browser.set("a=1; Secure", clear));
  ASSERT_TRUE(browser.set("a=1; Path=/; Secure; Domain=example.com"));
  EXPECT_FALSE(browser.set("a=2; Path=/login", clear));
  EXPECT_TRUE(browser.set("b=2; Path=/", clear));
  EXPECT_EQ(browser.sent("www.example.com"), "a=1; b=2");
}

TEST(CookieJar, HoldsCookiesToThePrefixOfTheirName) {
  Browser browser;

  EXPECT_FALSE(browser.set("__Secure-a=1"));
  EXPECT_TRUE(browser.set("__Secure-a=1; Secure"));
  EXPECT_FALSE(browser.set("__Host-a=1; Secure"));
  EXPECT_FALSE(browser.set("__host-a=1; Secure; Path=/shop"));
  EXPECT_FALSE(browser.set("__Host-a=1; Secure; Path=/; Domain=www.example.com"));
  EXPECT_TRUE(browser.set("__Host-a=1; Secure; Path=/"));
  EXPECT_FALSE(browser.set("=__Host-b=1; Secure; Path=/"));
  EXPECT_FALSE(browser.set("__Secure-c; Secure"));
}

TEST(CookieJar, MaxAgeWinsOverExpires) {
  Browser browser;
  ASSERT_TRUE(browser.set("a=1; Path=/; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT"));
  EXPECT_EQ(browser.sent("www.example.com"), "a=1");
  browser.now += 60s;

  EXPECT_EQ(browser.sent("www.example.com"), "");
}

TEST(CookieJar, AnExpiredDateDeletes) {
  for (auto const* attribute :
       {"Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"}) {
    Browser browser;
    browser.set("a=1; Path=/");
    browser.set(std::string{"a=; Path=/; "} + attribute);

    EXPECT_EQ(browser.sent("www.example.com"), "") << attribute;
  }
}

TEST(CookieJar, AnAttributeThatMakesNoSenseIsIgnored) {
  Browser browser;
  browser.set("a=1; Path=/; Max-Age=1h; Expires=tomorrow; Unknown=x; ; =;");
  browser.now += std::chrono::days{1000};

  EXPECT_EQ(browser.sent("www.example.com"), "a=1");
}

TEST(CookieJar, NoCookieLivesLongerThan400Days) {
  Browser browser;
  browser.set("a=1; Path=/; Max-Age=99999999999999999999");
  browser.set("b=1; Path=/; Expires=Fri, 31 Dec 9999 23:59:59 GMT");
  browser.now += std::chrono::days{399};
  EXPECT_EQ(browser.sent("www.example.com"), "a=1; b=1");
  browser.now += std::chrono::days{1};

  EXPECT_EQ(browser.sent("www.example.com"), "");
}

TEST(CookieJar, KeepsValuesAsTheyAre) {
  Browser browser;
  browser.set("a = \"x y\" ; Path=/");
  browser.set("b=c=d; Path=/");
  browser.set("only; Path=/");
  browser.set("=nameless; Path=/");

  EXPECT_EQ(browser.sent("www.example.com"), "a=\"x y\"; b=c=d; nameless");
}

TEST(CookieJar, IgnoresWhatIsNoCookie) {
  Browser browser;

  EXPECT_FALSE(browser.set(""));
  EXPECT_FALSE(browser.set("=; Path=/"));
  EXPECT_FALSE(browser.set(std::string{"a=1\0b", 5}));
  EXPECT_FALSE(browser.set("a=1\r\nX: y"));
  EXPECT_FALSE(browser.set("a=" + std::string(4096, 'x')));
  EXPECT_TRUE(browser.set("a=" + std::string(4095, 'x')));
}

TEST(CookieJar, EvictsTheLongestUnusedOfADomain) {
  Browser browser;
  browser.jar = CookieJar{{.per_domain = 3, .total = 100}};
  browser.set("s=1; Path=/; Secure");
  browser.set("a=1; Path=/a");
  browser.set("b=1; Path=/b");
  EXPECT_EQ(browser.sent("www.example.com", "/a"), "a=1; s=1");
  browser.set("c=1; Path=/");

  EXPECT_EQ(browser.sent("www.example.com", "/b"), "s=1; c=1");
  EXPECT_EQ(browser.sent("www.example.com", "/a"), "a=1; s=1; c=1");
}

TEST(CookieJar, EvictsAmongAllWhenThereAreTooMany) {
  Browser browser;
  browser.jar = CookieJar{{.per_domain = 50, .total = 10}};
  for (int i = 0; i < 30; ++i) {
    auto const host = "h" + std::to_string(i) + ".example.com";
    browser.set("a=1; Path=/", {host, "/", true});
  }

  EXPECT_EQ(browser.jar.size(), 10U);
  EXPECT_EQ(browser.sent("h29.example.com"), "a=1");
  EXPECT_EQ(browser.sent("h0.example.com"), "");
}

}  // namespace
}  // namespace sallyport::http
