#include "src/pipeline/redirect.hpp"

#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

struct From {
  std::string method{"GET"};
  std::string url{"https://a.example/x/y?q"};
  http::Headers headers{};
  std::string body{};
};

Result<std::optional<Hop>> follow(From const& from, int status, http::Headers const& answer) {
  return next_hop({.method = from.method,
                   .url = *url::Url::parse(from.url),
                   .headers = from.headers,
                   .body = from.body},
                  status, answer);
}

Hop followed(From const& from, std::string location, int status = 302) {
  auto hop = follow(from, status, {{"Location", std::move(location)}});
  EXPECT_TRUE(hop) << hop.error().message;
  return std::move(**hop);
}

Error refused(From const& from, std::string location) {
  auto const hop = follow(from, 302, {{"location", std::move(location)}});
  EXPECT_FALSE(hop);
  return hop.error();
}

http::Headers many_headers() {
  return {{"Accept", "text/html"},   {"Authorization", "Bearer x"}, {"Cookie", "a=b"},
          {"X-Api-Key", "k"},        {"User-Agent", "me"},          {"Content-Type", "text/plain"},
          {"Content-Digest", "abc"}, {"Accept-Language", "de"}};
}

TEST(Redirect, IsOnlyWhatHasItsStatusAndALocation) {
  for (int const status : {200, 201, 300, 304, 305, 306, 309, 404}) {
    EXPECT_EQ(*follow({}, status, {{"Location", "/z"}}), std::nullopt) << status;
  }
  for (int const status : {301, 302, 303, 307, 308}) {
    EXPECT_EQ(*follow({}, status, {{"Content-Type", "text/html"}}), std::nullopt) << status;
    EXPECT_NE(*follow({}, status, {{"Location", "/z"}}), std::nullopt) << status;
  }
}

TEST(Redirect, ResolvesItsLocationAgainstTheUrlThatWasAsked) {
  struct Case {
    char const* location;
    char const* expected;
  };
  constexpr Case kCases[] = {
      {"/z", "https://a.example/z"},
      {"z?p", "https://a.example/x/z?p"},
      {"?p", "https://a.example/x/y?p"},
      {"//b.example/z", "https://b.example/z"},
      {"https://b.example:8443", "https://b.example:8443/"},
      {"", "https://a.example/x/y?q"},
      {"\\\\b.example\\z", "https://b.example/z"},
  };
  for (auto const& [location, expected] : kCases) {
    EXPECT_EQ(followed({}, location).url.href(), expected) << location;
  }
}

TEST(Redirect, InheritsTheFragmentUnlessItHasItsOwn) {
  From const from{.url = "https://a.example/#part%20one"};

  EXPECT_EQ(followed(from, "/z").url.href(), "https://a.example/z#part%20one");
  EXPECT_EQ(followed(from, "/z#own").url.href(), "https://a.example/z#own");
  EXPECT_EQ(followed(from, "/z#").url.fragment(), "");
}

TEST(Redirect, RewritesTheMethodAsBrowsersDo) {
  struct Case {
    int status;
    char const* method;
    char const* expected;
  };
  constexpr Case kCases[] = {
      {301, "POST", "GET"},  {302, "POST", "GET"}, {303, "POST", "GET"},      {307, "POST", "POST"},
      {308, "POST", "POST"}, {301, "PUT", "PUT"},  {302, "DELETE", "DELETE"}, {303, "PUT", "GET"},
      {303, "HEAD", "HEAD"}, {303, "GET", "GET"},  {301, "HEAD", "HEAD"},
  };
  for (auto const& [status, method, expected] : kCases) {
    From const from{.method = method, .headers = many_headers(), .body = "body"};

    auto const hop = followed(from, "/z", status);

    bool const rewritten = hop.method != method;
    EXPECT_EQ(hop.method, expected) << status << method;
    EXPECT_EQ(hop.body, rewritten ? "" : "body") << status << method;
    EXPECT_EQ(hop.headers.count("Content-Type"), rewritten ? 0U : 1U) << status << method;
    EXPECT_EQ(hop.headers.count("Content-Digest"), rewritten ? 0U : 1U) << status << method;
    EXPECT_EQ(hop.headers.count("Authorization"), 1U);
  }
}

TEST(Redirect, DropsCredentialsAndCallerHeadersAcrossOrigins) {
  for (auto const* location : {"https://b.example/", "https://a.example:8443/",
                               "https://sub.a.example/", "//a.example.evil.test/"}) {
    auto const hop =
        followed({.method = "POST", .headers = many_headers(), .body = "body"}, location, 307);

    EXPECT_EQ(hop.headers.count("Authorization"), 0U) << location;
    EXPECT_EQ(hop.headers.count("Cookie"), 0U) << location;
    EXPECT_EQ(hop.headers.count("X-Api-Key"), 0U) << location;
    EXPECT_EQ(*hop.headers.find("Accept"), "text/html");
    EXPECT_EQ(*hop.headers.find("User-Agent"), "me");
    EXPECT_EQ(*hop.headers.find("Content-Type"), "text/plain");
  }
  From const plain{.url = "http://a.example/", .headers = many_headers()};
  EXPECT_EQ(followed(plain, "https://a.example/").headers.count("Authorization"), 0U);
}

TEST(Redirect, DoesNotBringDroppedHeadersBackOnTheWayHome) {
  auto const away = followed({.headers = many_headers()}, "https://b.example/");
  auto const home = *next_hop(away, 302, {{"Location", "https://a.example/"}});

  EXPECT_EQ(home->headers.count("Authorization"), 0U);
}

TEST(Redirect, KeepsEverythingWithinTheOrigin) {
  auto const hop = followed({.headers = many_headers()}, "https://A.example:443/z");

  EXPECT_EQ(hop.headers.size(), many_headers().size());
}

TEST(Redirect, FromHttpsToHttpIsRefused) {
  auto const error = refused({}, "http://a.example/");

  EXPECT_EQ(error.code, Errc::EgressBlocked);
  EXPECT_NE(error.message.find("from https to http://a.example"), std::string::npos);
  EXPECT_EQ(followed({.url = "http://a.example/"}, "http://b.example/").url.scheme(), "http");
}

TEST(Redirect, ToAnotherSchemeIsRefused) {
  for (auto const* location : {"file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)",
                               "data:text/html,x", "gopher://a.example/", "ws://a.example/"}) {
    EXPECT_EQ(refused({.url = "http://a.example/"}, location).code, Errc::EgressBlocked)
        << location;
  }
}

TEST(Redirect, RefusesALocationThatCannotBeTrusted) {
  using namespace std::string_literals;
  for (auto const& location : {"/a\tb"s, "/a\r\nX: 1"s, "/a\0b"s, "/\x1B"s, "/\x7F"s,
                               "https://[::1"s, "https://a b/"s, "https://"s}) {
    EXPECT_EQ(refused({}, location).code, Errc::UpstreamFailed) << location;
  }
  EXPECT_FALSE(follow({}, 302, {{"Location", "/a"}, {"location", "/b"}}));
  EXPECT_TRUE(follow({}, 302, {{"Location", "/a"}, {"location", "/a"}}));
}

}  // namespace
}  // namespace sallyport::pipeline
