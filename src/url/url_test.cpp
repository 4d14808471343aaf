#include "src/url/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace sallyport::url {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Url parsed(std::string_view text) {
  auto url = Url::parse(text);
  EXPECT_TRUE(url) << text << ": " << url.error().message;
  return *url;
}

std::string href(std::string_view text) {
  auto const url = Url::parse(text);
  return url ? url->href() : "refused";
}

std::string resolved(std::string_view base, std::string_view text) {
  auto const from = parsed(base);
  auto const url = Url::parse(text, &from);
  return url ? url->href() : "refused";
}

std::string refusal(std::string_view text) {
  auto const url = Url::parse(text);
  return url ? "accepted as " + url->href() : url.error().message;
}

TEST(Url, TakesAUrlApart) {
  auto const url = parsed("HTTPS://Ada:s%20e@API.Example.com:8443/v1/x?q=1#top");

  EXPECT_EQ(url.scheme(), "https");
  EXPECT_EQ(url.username(), "Ada");
  EXPECT_EQ(url.password(), "s%20e");
  EXPECT_EQ(url.host(), "api.example.com");
  EXPECT_EQ(url.address(), std::nullopt);
  EXPECT_EQ(url.port(), 8443);
  EXPECT_EQ(url.path(), "/v1/x");
  EXPECT_EQ(url.query(), "q=1");
  EXPECT_EQ(url.fragment(), "top");
  EXPECT_EQ(url.origin(), "https://api.example.com:8443");
  EXPECT_EQ(url.authority(), "api.example.com:8443");
  EXPECT_EQ(url.target(), "/v1/x?q=1");
  EXPECT_EQ(url.href(), "https://Ada:s%20e@api.example.com:8443/v1/x?q=1#top");
}

TEST(Url, LeavesOutWhatIsAskedFor) {
  auto const url = parsed("https://ada:secret@example.com/?a#b");

  EXPECT_EQ(url.without_fragment().href(), "https://ada:secret@example.com/?a");
  EXPECT_EQ(url.without_credentials().href(), "https://example.com/?a#b");
  EXPECT_TRUE(url.has_credentials());
  EXPECT_FALSE(url.without_credentials().has_credentials());
}

TEST(Url, TellsAnEmptyQueryFromNone) {
  EXPECT_EQ(parsed("https://a.example/?").query(), "");
  EXPECT_EQ(parsed("https://a.example/").query(), std::nullopt);
  EXPECT_EQ(href("https://a.example/?#"), "https://a.example/?#");
}

TEST(Url, DropsThePortThatIsTheDefault) {
  EXPECT_EQ(href("http://a.example:80/"), "http://a.example/");
  EXPECT_EQ(href("https://a.example:0443/"), "https://a.example/");
  EXPECT_EQ(href("https://a.example:/"), "https://a.example/");
  EXPECT_EQ(href("https://a.example:80/"), "https://a.example:80/");
  EXPECT_EQ(parsed("wss://a.example/").effective_port(), 443);
  EXPECT_EQ(parsed("http://a.example:0/").port(), 0);
  EXPECT_EQ(parsed("gopher://a.example/").effective_port(), 0);
}

TEST(Url, SeesThroughEverySpellingOfAnIpv4Address) {
  for (char const* text :
       {"http://127.0.0.1", "http://2130706433", "http://0x7f.1", "http://0177.0.0.01",
        "http://127.1.", "http://0x7F000001", "http://①②⑦.0.0.1", "http://127%2e0%2E0.1",
        "http://１２７.0.0.1", "http://127。0。0。1", "ws:\\\\127.1", "http:127.0.1"}) {
    auto const url = parsed(text);
    EXPECT_EQ(url.host(), "127.0.0.1") << text;
    EXPECT_EQ(url.address(), IpAddress::parse("127.0.0.1")) << text;
  }
}

TEST(Url, RefusesNumbersThatAreNoAddress) {
  for (char const* text : {"http://256.1.1.1", "http://1.2.3.4.5", "http://4294967296",
                           "http://1.2.3.08", "http://a.0x", "http://1..2", "http://a.b.1."}) {
    EXPECT_THAT(refusal(text), HasSubstr("is no IPv4 address")) << text;
  }
  EXPECT_EQ(href("http://1.2.3.4a/"), "http://1.2.3.4a/");
  EXPECT_EQ(href("other://2130706433"), "other://2130706433");
}

TEST(Url, ReadsIpv6InBrackets) {
  auto const url = parsed("http://[0:0:0:0:0:FFFF:127.0.0.1]:8080/");

  EXPECT_EQ(url.host(), "[::ffff:7f00:1]");
  EXPECT_EQ(url.address(), IpAddress::parse("::ffff:127.0.0.1"));
  EXPECT_EQ(url.authority(), "[::ffff:7f00:1]:8080");
  for (char const* text : {"http://[::1", "http://[::1%25eth0]/", "http://[1.2.3.4]/", "http://[]/",
                           "http://::1/", "http://[::1]x/", "other://[x]/"}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

TEST(Url, WritesInternationalNamesInAscii) {
  EXPECT_EQ(parsed("https://Bücher.Example/").host(), "xn--bcher-kva.example");
  EXPECT_EQ(parsed("https://b%C3%BCcher.example/").host(), "xn--bcher-kva.example");
  EXPECT_EQ(parsed("https://ＧＯ.example/").host(), "go.example");
  EXPECT_EQ(parsed("https://faß.example/").host(), "xn--fa-hia.example");
  EXPECT_EQ(parsed("https://FAẞ.example/").host(), "xn--fa-hia.example");
  EXPECT_EQ(parsed("https://XN--BCHER-KVA.example/").host(), "xn--bcher-kva.example");
}

TEST(Url, RefusesNamesThatCannotBe) {
  for (char const* text :
       {"https://a%ff.example/", "https://ö.xn--a/", "https://a\xFF.example/", "https://ö\u200D/",
        "https://\u00AD/", "https://ö.xn--xn---epa/", "https://a／b.example/", "https://א1ö/"}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

TEST(Url, IgnoresTabsNewlinesAndSurroundingSpace) {
  EXPECT_EQ(href(" \x01 ht\ntps://exa\tmple.com/a\r\nb \n"), "https://example.com/ab");
}

TEST(Url, TakesBackslashesForSlashesWhereBrowsersDo) {
  EXPECT_EQ(href("https:\\\\example.com\\a\\..\\b"), "https://example.com/b");
  EXPECT_EQ(parsed("https://good.example\\@evil.example/").host(), "good.example");
  EXPECT_EQ(href("other://host/a\\b"), "other://host/a\\b");
}

TEST(Url, TakesTheLastAtSignForTheEndOfTheCredentials) {
  auto const url = parsed("https://good.example@b:c@evil.example/@x");

  EXPECT_EQ(url.host(), "evil.example");
  EXPECT_EQ(url.username(), "good.example%40b");
  EXPECT_EQ(url.password(), "c");
}

TEST(Url, ResolvesDotSegmentsHoweverTheyAreSpelled) {
  EXPECT_EQ(href("https://a.example/b/%2E%2e/c/./d/.%2e"), "https://a.example/c/");
  EXPECT_EQ(href("https://a.example/../../b/..."), "https://a.example/b/...");
  EXPECT_EQ(href("https://a.example/b/..%2fc"), "https://a.example/b/..%2fc");
}

TEST(Url, EncodesEachPartByItsOwnSet) {
  EXPECT_EQ(href("https://a.example/ \"<>^`{}'|é?\"<>'`{}é#\"<>`{}é"),
            "https://a.example/%20%22%3C%3E%5E%60%7B%7D'|%C3%A9?%22%3C%3E%27`{}%C3%A9#"
            "%22%3C%3E%60{}%C3%A9");
  EXPECT_EQ(href("other://h/?'"), "other://h/?'");
  EXPECT_EQ(href("https://a.example/\xFF"), "https://a.example/%EF%BF%BD");
}

TEST(Url, ResolvesRelativeReferences) {
  constexpr std::string_view kBase = "https://u:p@a.example:1/b/c/d?q#f";
  std::map<std::string, std::string> const cases{{"", "https://u:p@a.example:1/b/c/d?q"},
                                                 {"#x", "https://u:p@a.example:1/b/c/d?q#x"},
                                                 {"?x", "https://u:p@a.example:1/b/c/d?x"},
                                                 {"x", "https://u:p@a.example:1/b/c/x"},
                                                 {"../x", "https://u:p@a.example:1/b/x"},
                                                 {"/x", "https://u:p@a.example:1/x"},
                                                 {"//x", "https://x/"},
                                                 {"\\\\x", "https://x/"},
                                                 {"https:x", "https://u:p@a.example:1/b/c/x"},
                                                 {"http:x", "http://x/"},
                                                 {"///x/y", "https://x/y"},
                                                 {"mailto:a@b", "mailto:a@b"}};
  for (auto const& [text, href] : cases) EXPECT_EQ(resolved(kBase, text), href) << text;
}

TEST(Url, KeepsTheDriveOfAFileUrl) {
  EXPECT_EQ(href("file:///C|/a/../../.."), "file:///C:/");
  EXPECT_EQ(href("file://localhost/a"), "file:///a");
  EXPECT_EQ(resolved("file:///C:/a/b", "/x"), "file:///C:/x");
  EXPECT_EQ(resolved("file:///C:/a/b", "D|/x"), "file:///D:/x");
  EXPECT_EQ(resolved("file://host/a", "//C:/x"), "file:///C:/x");
}

TEST(Url, KeepsOpaquePathsAsTheyAre) {
  auto const url = parsed("data:a b/../c  ?x");

  EXPECT_TRUE(url.has_opaque_path());
  EXPECT_EQ(url.path(), "a b/../c %20");
  EXPECT_EQ(url.host(), std::nullopt);
  EXPECT_EQ(url.origin(), "null");
  EXPECT_EQ(resolved("mailto:a@b", "#x"), "mailto:a@b#x");
  EXPECT_EQ(resolved("mailto:a@b", "x"), "refused");
}

TEST(Url, DoesNotLetAPathBecomeAHost) {
  auto const url = parsed("other:/..//evil.example/x");

  EXPECT_EQ(url.path(), "//evil.example/x");
  EXPECT_EQ(url.href(), "other:/.//evil.example/x");
  EXPECT_EQ(parsed(url.href()).host(), std::nullopt);
}

TEST(Url, SaysWhatIsWrong) {
  std::map<std::string, std::string> const cases{
      {"https://a.example:99999/", "The port 99999 of the URL is above 65535."},
      {"https://a b/", "The host \"a b\" contains a space."},
      {"https://a%00b/", "The host \"a%00b\" contains a control character."},
      {"https://a<b/", "The host \"a<b\" contains the character \"<\"."},
      {"https:///?x", "The URL has no host."},
      {"https://u@/", "The URL has credentials, but no host behind them."},
      {"https://[::1/", "The host \"[::1\" has an opening bracket, but no closing one at its end."},
      {"/a", "The URL has no scheme: write it in full, like https://example.com/."}};
  for (auto const& [text, message] : cases) EXPECT_EQ(refusal(text), message);
}

TEST(Url, NeverRepeatsWhatMayBeAPassword) {
  for (char const* text :
       {"https://ada:hunter2@a b/", "https://ada:hunter2@a:99999/", "https://ada:hunter2@/",
        "https://ada:hunter2/x@a.example/", "https://hunter2 /x@a.example/",
        "https://a:hunter2#@a.example/", "https://ada:hunter2@[::1/"}) {
    EXPECT_THAT(refusal(text), Not(HasSubstr("hunter2"))) << text;
    EXPECT_THAT(refusal(text), Not(HasSubstr("accepted"))) << text;
  }
  EXPECT_EQ(refusal("https://ada:1234567/@a.example/"), "The port of the URL is above 65535.");
}

TEST(SameOrigin, ComparesSchemeHostAndPort) {
  auto const same = [](std::string_view left, std::string_view right) {
    return same_origin(parsed(left), parsed(right));
  };
  EXPECT_TRUE(same("https://a.example/x", "https://u:p@A.example:443/y?z"));
  EXPECT_TRUE(same("blob:https://a.example/x", "https://a.example/"));
  EXPECT_FALSE(same("https://a.example/", "http://a.example/"));
  EXPECT_FALSE(same("https://a.example/", "https://a.example:444/"));
  EXPECT_FALSE(same("https://a.example/", "https://b.example/"));
  EXPECT_FALSE(same("data:x", "data:x"));
  EXPECT_FALSE(same("file:///x", "file:///x"));
}

TEST(PathHasPrefix, ComparesWholeSegments) {
  for (char const* path : {"/api", "/api/", "/api/x", "/api?", "/api/a..b", "/api/...",
                           "/api/group%2Fproject", "/api/x;y=.."}) {
    EXPECT_TRUE(path_has_prefix(path, "/api")) << path;
    EXPECT_TRUE(path_has_prefix(path, "/")) << path;
  }
  for (char const* path :
       {"/apix", "/ap", "/", "", "/API", "/x/api", "/api%2f", "/api%2fx", "/%61pi", "//api"}) {
    EXPECT_FALSE(path_has_prefix(path, "/api")) << path;
  }
  EXPECT_TRUE(path_has_prefix("/api/x", "/api/"));
  EXPECT_FALSE(path_has_prefix("/api", "/api/"));
}

TEST(PathHasPrefix, RefusesWhatALenientServerMayClimbOutWith) {
  for (char const* path :
       {"/api/..%2fadmin", "/api/..%5Cadmin", "/api/x%2f..%2f..%2fadmin", "/api/..\\admin",
        "/api/..;/admin", "/api/..;x=1/admin", "/api/%2e%2e%2fadmin", "/api/x%2F%2e."}) {
    EXPECT_FALSE(path_has_prefix(path, "/api")) << path;
  }
  EXPECT_FALSE(path_has_prefix("/a%2fb/c", "/a%2fb"));
}

TEST(DomainToAscii, GivesTheNameInDns) {
  EXPECT_EQ(*domain_to_ascii("Example.COM"), "example.com");
  EXPECT_EQ(*domain_to_ascii("bücher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(*domain_to_ascii("xn--a"), "xn--a");
  EXPECT_EQ(domain_to_ascii("a/b").error().message,
            "The name \"a/b\" contains the character \"/\".");
  EXPECT_EQ(domain_to_ascii("").error().message, "The name \"\" is empty.");
  EXPECT_FALSE(domain_to_ascii("*.a%b"));
}

}  // namespace
}  // namespace sallyport::url
