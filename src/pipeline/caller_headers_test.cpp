#include "src/pipeline/caller_headers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::pipeline {
namespace {

using namespace std::string_literals;

Result<void> check(std::string name, std::string value, CallerHeaderRules rules = {}) {
  return check_caller_headers({{std::move(name), std::move(value)}}, rules);
}

TEST(CallerHeaders, PassesWhatARequestIsAbout) {
  for (auto const* name :
       {"Accept", "Content-Type", "X-Api-Key", "If-None-Match", "Range", "Origin", "Referer", "Tea",
        "Metadata-Version", "X-Amz-Date", "Viable"}) {
    EXPECT_TRUE(check(name, "text/html; q=0.9\t(x)")) << name;
    EXPECT_FALSE(is_forbidden_for_apps(name)) << name;
  }
}

TEST(CallerHeaders, RefusesReservedNamesInAnyCaseAndSaysWhy) {
  for (auto const* name : {"Host",
                           "hOST",
                           "Content-Length",
                           "Transfer-Encoding",
                           "TE",
                           "Trailer",
                           "Connection",
                           "Keep-Alive",
                           "Upgrade",
                           "Expect",
                           "Proxy-Authorization",
                           "proxy-connection",
                           "Sec-Fetch-Site",
                           "SEC-WebSocket-Key",
                           "HTTP2-Settings",
                           "Via",
                           "Forwarded",
                           "X-Forwarded-For",
                           "x-forwarded-host",
                           "X-Real-IP",
                           "Metadata-Flavor",
                           "Metadata",
                           "X-aws-ec2-metadata-token",
                           "X-aws-ec2-metadata-token-ttl-seconds",
                           "X-Google-Metadata-Request",
                           "X-HTTP-Method-Override",
                           "X-HTTP-Method",
                           "x-method-override",
                           ":authority"}) {
    auto const checked = check(name, "x");

    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, Errc::InvalidInput);
    EXPECT_NE(checked.error().message.find(name), std::string::npos) << checked.error().message;
    EXPECT_TRUE(is_forbidden_for_apps(name)) << name;
  }
}

TEST(CallerHeaders, RefusesNamesThatAreNoTokens) {
  for (auto const& name :
       {""s, "a b"s, "a:"s, "Host "s, " Host"s, "a\r\nHost"s, "a\0"s, "n\xC3\xA4me"s}) {
    EXPECT_FALSE(check(name, "x")) << name;
  }
  EXPECT_EQ(check("a\r\nX", "x").error().message.find('\n'), std::string::npos);
}

TEST(CallerHeaders, RefusesValuesThatWouldSmuggleOrCannotBeSent) {
  for (auto const& value : {"secret\r\nHost: evil"s, "a\nb"s, "a\rb"s, "a\0b"s, "\x1B"s, "\x7F"s,
                            "caf\xC3\xA9"s, "caf\xE9"s}) {
    auto const checked = check("X-Note", value);

    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message.find("secret"), std::string::npos);
  }
}

TEST(CallerHeaders, RefusesTheBadOneAmongGoodOnes) {
  EXPECT_FALSE(check_caller_headers({{"Accept", "*/*"}, {"Host", "x"}, {"X-A", "1"}}));
}

TEST(CallerHeaders, AllowsCredentialsOnlyWhereTheCallerMayBringThem) {
  for (auto const* name : {"Authorization", "cookie", "Cookie2"}) {
    EXPECT_TRUE(check(name, "Bearer x")) << name;
    EXPECT_FALSE(check(name, "Bearer x", {.credentials = false})) << name;
    EXPECT_TRUE(is_forbidden_for_apps(name)) << name;
  }
}

TEST(CallerHeaders, OnlyWhatEverySiteMayHearSurvivesAChangeOfOrigin) {
  for (auto const* name : {"Accept", "accept-language", "User-Agent", "Content-Language",
                           "Content-Encoding", "Range"}) {
    EXPECT_TRUE(survives_cross_origin(name)) << name;
  }
  for (auto const* name : {"Authorization", "Cookie", "X-Api-Key", "Referer", "Origin",
                           "X-Anything", "If-None-Match", "Private-Token"}) {
    EXPECT_FALSE(survives_cross_origin(name)) << name;
  }
}

TEST(CallerHeaders, AreLimitedInNumberAndSize) {
  http::Headers many;
  for (std::size_t i = 0; i < kMostCallerHeaders; ++i) many.add("X-" + std::to_string(i), "v");
  EXPECT_TRUE(check_caller_headers(many));
  many.add("X-One-More", "v");
  EXPECT_EQ(check_caller_headers(many).error().code, Errc::LimitExceeded);
  EXPECT_TRUE(check_caller_headers({{"X", std::string(kMostCallerHeaderBytes - 1, 'v')}}));
  EXPECT_EQ(check_caller_headers({{"X", std::string(kMostCallerHeaderBytes, 'v')}}).error().code,
            Errc::LimitExceeded);
}

TEST(CallerHeaders, AreBytesWhereTheCallerSaysSo) {
  CallerHeaderRules const bytes{.bytes = true};

  EXPECT_FALSE(check("X-Name", "caf\xE9"));
  EXPECT_TRUE(check("X-Name", "caf\xE9 \x80\xFF", bytes));
  for (auto const& value : {"a\r\nb"s, "a\nb"s, "a\rb"s, "a\0b"s, "\x7F"s, "\xE9\r\n"s}) {
    EXPECT_FALSE(check("X-Name", value, bytes));
  }
}

}  // namespace
}  // namespace sallyport::pipeline
