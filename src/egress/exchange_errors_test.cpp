#include "src/egress/exchange_errors.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;

TEST(ExchangeErrors, SpellsLimitsAsPeopleDo) {
  EXPECT_EQ(spell_bytes(10UL << 20U), "10 MiB");
  EXPECT_EQ(spell_bytes(64UL << 10U), "64 KiB");
  EXPECT_EQ(spell_bytes(1500), "1500 bytes");
  EXPECT_EQ(spell_bytes(0), "0 bytes");
  EXPECT_EQ(spell_time(3s), "3 s");
  EXPECT_EQ(spell_time(250ms), "250 ms");
}

TEST(ExchangeErrors, SayWhatHappenedAndKeepTheWordsOfLibcurlForTheLog) {
  auto const refused = explain({.code = CURLE_COULDNT_CONNECT,
                                .system_error = ECONNREFUSED,
                                .text = "Failed to connect to 10.0.0.1 port 80",
                                .connecting = true},
                               "example.com");
  EXPECT_EQ(refused.code, Errc::UpstreamFailed);
  EXPECT_EQ(refused.message, "Connecting to example.com failed: connection refused.");
  EXPECT_EQ(refused.detail, "curl 7: Failed to connect to 10.0.0.1 port 80");
}

TEST(ExchangeErrors, NameTheProxyAndNotTheHostWhenTheProxyIsAway) {
  auto const away = explain({.code = CURLE_COULDNT_CONNECT,
                             .system_error = EHOSTUNREACH,
                             .connecting = true,
                             .through_proxy = true},
                            "example.com");
  EXPECT_EQ(away.message, "Connecting to the proxy failed: no route to the host.");
}

TEST(ExchangeErrors, AreSentencesForEveryCodeOfLibcurl) {
  for (int code = 1; code < CURL_LAST; ++code) {
    auto const error = explain({.code = static_cast<CURLcode>(code)}, "example.com");
    EXPECT_TRUE(error.message.ends_with('.')) << code;
    EXPECT_FALSE(error.detail.empty()) << code;
  }
}

}  // namespace
}  // namespace sallyport::egress
