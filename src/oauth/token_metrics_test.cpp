// What a source of tokens counts, as an operator reads it.
#include "src/oauth/test_token_source.hpp"

#include <gmock/gmock.h>

#include <regex>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;
using fakes::FakeEndpoint;
using testing::HasSubstr;
using testing::Not;

class TokenMetricsTest : public fakes::TokenSourceTest {
 protected:
  TokenMetricsTest() { source_.measure(TokenMetrics{metrics_, "shop"}); }

  // All that are not zero, by their short names: "requests granted 1, cache_hits 2, …".
  std::string counted() const {
    std::string found;
    auto const text = metrics_.render();
    std::regex const line{
        R"re(\nsallyport_token_(\w+?)(?:_total)?\{rule="shop"(?:,outcome="(\w+)")?\} ([1-9]\d*))re"};
    for (std::sregex_iterator at{text.begin(), text.end(), line}; at != std::sregex_iterator{};
         ++at) {
      auto const outcome = (*at)[2].matched ? " " + (*at)[2].str() : "";
      found += (found.empty() ? "" : ", ") + (*at)[1].str() + outcome + " " + (*at)[3].str();
    }
    return found;
  }

  Metrics metrics_;
};

TEST_F(TokenMetricsTest, CountsTokensThatWereFetchedAndThoseAtHand) {
  EXPECT_EQ(counted(), "");
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(ask());

  EXPECT_EQ(counted(), "requests granted 1, cache_hits 3");
}

TEST_F(TokenMetricsTest, CountsTokensThatWereRefreshed) {
  endpoint_.answers = {FakeEndpoint::token("t1", R"(,"refresh_token":"r1")"),
                       FakeEndpoint::token("t2", R"(,"refresh_token":"r2")"),
                       http::Response{.status = 400}, FakeEndpoint::token("t4")};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ask());
    now_ += 1h;
  }

  // The last refresh was refused, and a token asked for as at first.
  EXPECT_EQ(counted(), "requests granted 3, requests refused 1, refreshes 1");
}

TEST_F(TokenMetricsTest, CountsFailuresByTheirKindAndCallsThatFoundTheEndpointLeftAlone) {
  endpoint_.answers = {http::Response{.status = 503}, http::Response{.body = "<html>"},
                       fail(Errc::UpstreamFailed, "reset")};
  EXPECT_FALSE(ask());
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ask());
  EXPECT_EQ(counted(), "requests refused 1, backoff 5, failing 1");
  for (int i = 0; i < 2; ++i) {
    now_ += 1min;
    EXPECT_FALSE(ask());
  }
  EXPECT_EQ(
      counted(),
      "requests refused 1, requests unusable 1, requests unreachable 1, backoff 5, failing 1");

  now_ += 1min;
  EXPECT_TRUE(ask());

  EXPECT_THAT(counted(), Not(HasSubstr("failing")));
}

// It is expired for us but not for the site, so the call goes on.
TEST_F(TokenMetricsTest, CountsATokenThatOutlivesAFailureAsOneAtHand) {
  ASSERT_TRUE(ask());
  endpoint_.answers = {http::Response{.status = 503}};
  now_ += 3580s;
  ASSERT_TRUE(ask());
  ASSERT_TRUE(ask());

  EXPECT_EQ(counted(), "requests granted 1, requests refused 1, cache_hits 1, failing 1");
}

TEST_F(TokenMetricsTest, CountsSecondAttemptsThatHaveAnotherToken) {
  ASSERT_TRUE(ask());
  EXPECT_TRUE(renew("Bearer t1"));
  EXPECT_TRUE(renew("Bearer t1"));   // somebody else was quicker
  EXPECT_FALSE(renew("Bearer t2"));  // too soon

  EXPECT_EQ(counted(), "requests granted 2, retries 2");
}

TEST_F(TokenMetricsTest, AreThereFromTheStartUnderTheNameOfTheRule) {
  TokenMetrics const other{metrics_, "a \"b\""};
  TokenMetrics const same{metrics_, "shop"};
  other.granted->add();
  same.granted->add();
  ASSERT_TRUE(ask());

  auto const text = metrics_.render();

  EXPECT_THAT(text,
              HasSubstr(R"(sallyport_token_requests_total{rule="shop",outcome="granted"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(requests_total{rule="a \"b\"",outcome="granted"} 1)"));
  for (auto const* const name :
       {"refreshes_total", "cache_hits_total", "retries_total", "backoff_total", "failing"}) {
    EXPECT_THAT(text, HasSubstr(std::string{"sallyport_token_"} + name + R"({rule="shop"} 0)"));
  }
}

TEST_F(TokenMetricsTest, SayNothingOfWhatIsSecret) {
  endpoint_.answers = {FakeEndpoint::token("the-token", R"(,"refresh_token":"the-refresh")"),
                       http::Response{.status = 400, .body = R"({"error":"the-error"})"}};
  ASSERT_TRUE(ask());
  now_ += 1h;
  EXPECT_TRUE(ask());

  auto const text = metrics_.render();

  for (auto const* const secret :
       {"the-", "hunter2", "as.example", fakes::kClientSecret, "Bearer"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

}  // namespace
}  // namespace sallyport::oauth
