#include "src/egress/dns_cache.hpp"

#include <gtest/gtest.h>

namespace sallyport::egress {
namespace {

using std::chrono::seconds;

Addresses one(std::uint8_t last) {
  return {url::IpAddress::v4({192, 0, 2, last})};
}

TEST(DnsCache, GivesAnAnswerUntilItsTimeIsOver) {
  DnsCache cache{10};
  auto const now = Clock::now();

  cache.store("a.example", one(1), seconds{30}, now);

  auto const* const known = cache.find("a.example", now + seconds{29});
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(**known, one(1));
  EXPECT_EQ(cache.find("a.example", now + seconds{30}), nullptr);
  EXPECT_EQ(cache.size(), 0);
}

TEST(DnsCache, RemembersFailuresToo) {
  DnsCache cache{10};
  auto const now = Clock::now();

  cache.store("a.example", fail(Errc::UpstreamFailed, "No."), seconds{5}, now);

  ASSERT_NE(cache.find("a.example", now), nullptr);
  EXPECT_EQ(cache.find("a.example", now)->error().message, "No.");
}

TEST(DnsCache, RemembersNothingForNoTimeAndForgetsWhatItKnew) {
  DnsCache cache{10};
  auto const now = Clock::now();
  cache.store("a.example", one(1), seconds{30}, now);

  cache.store("a.example", one(2), seconds{0}, now);

  EXPECT_EQ(cache.find("a.example", now), nullptr);
}

TEST(DnsCache, WhenFullForgetsWhatWasNotAskedForTheLongest) {
  DnsCache cache{2};
  auto const now = Clock::now();
  cache.store("a.example", one(1), seconds{30}, now);
  cache.store("b.example", one(2), seconds{30}, now);
  ASSERT_NE(cache.find("a.example", now), nullptr);

  cache.store("c.example", one(3), seconds{30}, now);

  EXPECT_EQ(cache.size(), 2);
  EXPECT_NE(cache.find("a.example", now), nullptr);
  EXPECT_EQ(cache.find("b.example", now), nullptr);
  EXPECT_NE(cache.find("c.example", now), nullptr);
}

}  // namespace
}  // namespace sallyport::egress
