#include "src/http/cache.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace sallyport::http {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
constexpr auto* kDate = "Sun, 01 Mar 2026 00:00:00 GMT";

// A client that always goes through the cache, and a server that gives what the test says.
struct Client {
  Cache cache{};
  WallTime now{kNow};
  std::string partition{"alice"};
  int sent{0};
  Headers last_sent;

  struct Ask {
    std::string method{"GET"};
    Headers headers{};
    CacheMode mode{CacheMode::Default};
    std::string url{"https://a.example/x"};
    std::vector<std::string> also_changed{};
    std::string variant{};
  };
  struct Got {
    int status{0};
    std::string body;
    Headers headers;
    bool from_network{false};
  };

  Got ask(Ask const& ask, CacheableResponse answer) {
    CacheRequest const request{ask.method, ask.url, ask.variant, ask.headers};
    auto const plan = cache.plan(partition, request, ask.mode, now);
    switch (plan.next) {
      case Cache::Next::Serve: return got(served(*plan.stored, now), false);
      case Cache::Next::GatewayTimeout: return {504, {}, {}, false};
      case Cache::Next::NetworkError: return {0, {}, {}, false};
      case Cache::Next::Send: break;
    }
    ++sent;
    last_sent = plan.further;
    return got(
        cache.settle(partition, request, plan, std::move(answer), {now, now}, ask.also_changed),
        true);
  }

  static Got got(CacheableResponse response, bool from_network) {
    return {response.status, response.body ? *response.body : "", response.headers, from_network};
  }
};

CacheableResponse answer(Headers headers, std::string body = "one", int status = 200) {
  if (headers.find("date") == nullptr) headers.add("Date", kDate);
  return {status, "", std::move(headers), std::make_shared<std::string const>(std::move(body))};
}

// Whether a second request a while later is answered without asking.
bool is_reused(Headers headers, std::chrono::seconds later = 10s, int status = 200,
               Client::Ask const& second = {}) {
  Client client;
  client.ask({}, answer(std::move(headers), "one", status));
  client.now += later;
  return !client.ask(second, answer({}, "two")).from_network;
}

TEST(CacheFreshness, ComesFromMaxAgeThenExpires) {
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}}, 60s));
  EXPECT_TRUE(is_reused({{"Expires", "Sun, 01 Mar 2026 00:01:00 GMT"}}));
  EXPECT_FALSE(is_reused({{"Expires", "Sun, 01 Mar 2026 00:01:00 GMT"}}, 61s));
  EXPECT_FALSE(
      is_reused({{"Cache-Control", "max-age=5"}, {"Expires", "Sun, 01 Mar 2026 00:01:00 GMT"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60"}, {"Expires", "0"}}));
}

TEST(CacheFreshness, WhatCannotBeReadIsStale) {
  EXPECT_FALSE(is_reused({{"Expires", "0"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=1m"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=-1"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}, {"Cache-Control", "max-age=1"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "MAX-AGE=\"60\" , unknown=\"a, no-store\""}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=99999999999999999999"}}));
}

TEST(CacheFreshness, IgnoresWhatIsForSharedCaches) {
  EXPECT_TRUE(is_reused({{"Cache-Control", "private, max-age=60"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "s-maxage=0, max-age=60"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "s-maxage=60"}}));
}

TEST(CacheFreshness, IsGuessedFromTheLastChange) {
  // A tenth of 1000 seconds.
  Headers const headers{{"Last-Modified", "Sat, 28 Feb 2026 23:43:20 GMT"}};
  EXPECT_TRUE(is_reused(headers, 99s));
  EXPECT_FALSE(is_reused(headers, 100s));
  EXPECT_FALSE(is_reused({{"Last-Modified", "Mon, 02 Mar 2020 00:00:00 GMT"}}, 25h));
  EXPECT_TRUE(is_reused(headers, 10s, 404));
  EXPECT_FALSE(is_reused(headers, 10s, 403));
  EXPECT_FALSE(is_reused({}));
}

TEST(CacheAge, CountsFromWhatTheServerSaid) {
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}, {"Age", "55"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60"}, {"Age", "45"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60"}, {"Age", "nonsense"}}));
  EXPECT_FALSE(
      is_reused({{"Cache-Control", "max-age=60"}, {"Date", "Sat, 28 Feb 2026 23:59:05 GMT"}}));
  // A server whose clock is ahead makes nothing older.
  EXPECT_TRUE(
      is_reused({{"Cache-Control", "max-age=60"}, {"Date", "Sun, 01 Mar 2026 00:59:05 GMT"}}));
}

TEST(CacheAge, IncludesTheTimeTheExchangeTook) {
  auto const entry = make_entry({"GET", "u", "", {}}, answer({{"Age", "5"}}), {kNow - 3s, kNow});

  EXPECT_EQ(current_age(entry, kNow + 2s), 10s);
}

TEST(CacheAge, IsTold) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}, {"Age", "2"}}));
  client.now += 10s;

  auto const got = client.ask({}, answer({}));
  EXPECT_EQ(*got.headers.find("age"), "12");
  EXPECT_EQ(got.headers.count("age"), 1U);
}

TEST(CacheStores, OnlyWhatMayBeStored) {
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60, no-store"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}, {"Cache-Control", "No-Store"}}));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}, {"Vary", "Accept, *"}}));
  EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60, must-understand, no-store"}}));
  for (int const status : {206, 301, 302, 303, 307, 308, 304, 599}) {
    EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}}, 1s, status)) << status;
  }
  for (int const status : {200, 203, 204, 404, 410, 403, 500, 503}) {
    EXPECT_TRUE(is_reused({{"Cache-Control", "max-age=60"}}, 1s, status)) << status;
  }
}

TEST(CacheStores, NothingThatARangeOrAnotherMethodAskedFor) {
  for (auto const& first : {Client::Ask{.headers = {{"Range", "bytes=0-1"}}},
                            Client::Ask{.method = "POST"}, Client::Ask{.method = "OPTIONS"},
                            Client::Ask{.headers = {{"Cache-Control", "no-store"}}}}) {
    Client client;
    client.ask(first, answer({{"Cache-Control", "max-age=60"}}));

    EXPECT_TRUE(client.ask({}, answer({})).from_network) << first.method;
  }
}

TEST(CacheStores, NoCookiesAndNoFieldsOfTheConnection) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"},
                         {"Set-Cookie", "a=1"},
                         {"Connection", "close, X-Hop"},
                         {"X-Hop", "1"},
                         {"X-Kept", "1"}}));

  auto const got = client.ask({}, answer({}));
  EXPECT_FALSE(got.from_network);
  EXPECT_EQ(got.headers.find("set-cookie"), nullptr);
  EXPECT_EQ(got.headers.find("x-hop"), nullptr);
  EXPECT_NE(got.headers.find("x-kept"), nullptr);
}

TEST(CacheRange, RequestsGoPastIt) {
  EXPECT_FALSE(
      is_reused({{"Cache-Control", "max-age=60"}}, 1s, 200, {.headers = {{"Range", "bytes=0-1"}}}));
}

TEST(CacheVary, KeepsAnAnswerForEachSetOfFields) {
  Client client;
  auto const with = [](std::string language) {
    return Client::Ask{.headers = {{"Accept-Language", std::move(language)}}};
  };
  Headers const headers{{"Cache-Control", "max-age=60"}, {"Vary", "accept-language, X-Other"}};
  client.ask(with("de"), answer(headers, "deutsch"));
  client.ask(with("en"), answer(headers, "english"));

  EXPECT_EQ(client.ask(with("de"), answer({}, "?")).body, "deutsch");
  EXPECT_EQ(client.ask(with("en"), answer({}, "?")).body, "english");
  EXPECT_EQ(client.sent, 2);
  EXPECT_TRUE(client.ask({}, answer({}, "?")).from_network);
}

TEST(CacheVary, JoinsRepeatedFields) {
  Client client;
  client.ask({.headers = {{"Accept", "a"}, {"Accept", "b"}}},
             answer({{"Cache-Control", "max-age=60"}, {"Vary", "Accept"}}));

  EXPECT_FALSE(client.ask({.headers = {{"accept", "a, b"}}}, answer({})).from_network);
  EXPECT_TRUE(client.ask({.headers = {{"accept", "b, a"}}}, answer({})).from_network);
}

TEST(CacheVary, OtherVariantsOfARequestShareNothing) {
  Client client;
  client.ask({.variant = "with credentials"}, answer({{"Cache-Control", "max-age=60"}}));

  EXPECT_TRUE(client.ask({.variant = "without"}, answer({})).from_network);
}

TEST(CacheValidation, AsksWithTheValidatorsAndServesAfterA304) {
  Client client;
  client.ask({}, answer({{"ETag", "\"v1\""},
                         {"Last-Modified", "Sat, 28 Feb 2026 00:00:00 GMT"},
                         {"Cache-Control", "max-age=5"},
                         {"X-Old", "1"},
                         {"X-Same", "old"}}));
  client.now += 10s;
  auto const got = client.ask({}, answer({{"Cache-Control", "max-age=60"},
                                          {"X-Same", "new"},
                                          {"Content-Length", "0"},
                                          {"Date", "Sun, 01 Mar 2026 00:00:10 GMT"}},
                                         "", 304));

  EXPECT_EQ(*client.last_sent.find("If-None-Match"), "\"v1\"");
  EXPECT_EQ(*client.last_sent.find("If-Modified-Since"), "Sat, 28 Feb 2026 00:00:00 GMT");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "one");
  EXPECT_EQ(*got.headers.find("x-same"), "new");
  EXPECT_EQ(*got.headers.find("x-old"), "1");
  EXPECT_EQ(got.headers.find("content-length"), nullptr);
  client.now += 50s;
  EXPECT_FALSE(client.ask({}, answer({})).from_network);
}

TEST(CacheValidation, AnotherAnswerReplacesTheStoredOne) {
  Client client;
  client.ask({}, answer({{"ETag", "\"v1\""}}));
  EXPECT_EQ(client.ask({}, answer({{"Cache-Control", "max-age=60"}}, "two")).body, "two");

  EXPECT_EQ(client.ask({}, answer({}, "three")).body, "two");
}

TEST(CacheValidation, NoStoreIn304TakesNothingFromTheAnswer) {
  Client client;
  client.ask({}, answer({{"ETag", "\"v1\""}}));
  EXPECT_EQ(client.ask({}, answer({{"Cache-Control", "no-store"}}, "", 304)).body, "one");
}

TEST(CacheValidation, IsWhatNoCacheAsksFor) {
  for (auto const* control : {"no-cache, max-age=60", "no-cache=\"x-a, x-b\", max-age=60"}) {
    Client client;
    client.ask({}, answer({{"ETag", "\"v1\""}, {"Cache-Control", control}}));
    client.ask({}, answer({}, "", 304));

    EXPECT_NE(client.last_sent.find("if-none-match"), nullptr) << control;
  }
}

TEST(CacheRequest, ItsOwnCacheControlIsObeyed) {
  auto const reused = [](std::string stored, std::string asked) {
    return is_reused({{"Cache-Control", std::move(stored)}}, 10s, 200,
                     {.headers = {{"Cache-Control", std::move(asked)}}});
  };
  EXPECT_FALSE(reused("max-age=60", "no-cache"));
  EXPECT_FALSE(reused("max-age=60", "max-age=5"));
  EXPECT_TRUE(reused("max-age=60", "max-age=10"));
  EXPECT_FALSE(reused("max-age=60", "min-fresh=51"));
  EXPECT_TRUE(reused("max-age=60", "min-fresh=50"));
  EXPECT_TRUE(reused("max-age=5", "max-stale"));
  EXPECT_TRUE(reused("max-age=5", "max-stale=5"));
  EXPECT_FALSE(reused("max-age=5", "max-stale=4"));
  EXPECT_FALSE(reused("max-age=5, must-revalidate", "max-stale"));
  EXPECT_FALSE(is_reused({{"Cache-Control", "max-age=60"}}, 10s, 200,
                         {.headers = {{"Pragma", "no-cache"}}}));
}

TEST(CacheRequest, OnlyIfCachedInAHeaderIs504) {
  Client client;
  Client::Ask const only{.headers = {{"Cache-Control", "only-if-cached"}}};

  EXPECT_EQ(client.ask(only, answer({})).status, 504);
  client.ask({}, answer({{"Cache-Control", "max-age=60"}}));
  EXPECT_EQ(client.ask(only, answer({})).status, 200);
}

TEST(CacheMode, NoStoreNeitherLooksNorStores) {
  Client client;
  client.ask({.mode = CacheMode::NoStore}, answer({{"Cache-Control", "max-age=60"}}));
  EXPECT_EQ(*client.last_sent.find("pragma"), "no-cache");
  EXPECT_EQ(*client.last_sent.find("cache-control"), "no-cache");
  EXPECT_TRUE(client.ask({}, answer({{"Cache-Control", "max-age=60"}}, "two")).from_network);

  EXPECT_TRUE(client.ask({.mode = CacheMode::NoStore}, answer({}, "three")).from_network);
  EXPECT_EQ(client.ask({}, answer({})).body, "two");
}

TEST(CacheMode, ReloadStoresWithoutLooking) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  auto const got =
      client.ask({.mode = CacheMode::Reload}, answer({{"Cache-Control", "max-age=60"}}, "two"));

  EXPECT_EQ(got.body, "two");
  EXPECT_EQ(client.last_sent.find("if-none-match"), nullptr);
  EXPECT_EQ(client.ask({}, answer({})).body, "two");
}

TEST(CacheMode, NoCacheAlwaysAsks) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  auto const got = client.ask({.mode = CacheMode::NoCache}, answer({}, "", 304));

  EXPECT_EQ(*client.last_sent.find("cache-control"), "max-age=0");
  EXPECT_EQ(*client.last_sent.find("if-none-match"), "\"1\"");
  EXPECT_EQ(got.status, 200);
}

TEST(CacheMode, ForceCacheAndOnlyIfCachedTakeWhatIsStale) {
  for (auto const mode : {CacheMode::ForceCache, CacheMode::OnlyIfCached}) {
    Client client;
    client.ask({}, answer({{"Cache-Control", "max-age=1, must-revalidate"}}));
    client.now += 1000s;

    EXPECT_EQ(client.ask({.mode = mode}, answer({}, "two")).body, "one");
  }
}

TEST(CacheMode, WithoutAnEntryForceCacheAsksAndOnlyIfCachedFails) {
  Client client;

  EXPECT_EQ(client.ask({.mode = CacheMode::OnlyIfCached}, answer({})).status, 0);
  EXPECT_TRUE(client.ask({.mode = CacheMode::ForceCache}, answer({})).from_network);
}

TEST(CacheMode, AConditionOfTheCallerMakesItNoStore) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  auto const got = client.ask({.headers = {{"If-None-Match", "\"mine\""}}}, answer({}, "", 304));

  EXPECT_EQ(got.status, 304);
  EXPECT_EQ(client.last_sent.find("if-none-match"), nullptr);
}

TEST(CacheHead, IsAnsweredFromGet) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}}));

  EXPECT_FALSE(client.ask({.method = "HEAD"}, answer({})).from_network);
}

TEST(CacheHead, TellsWhetherTheStoredAnswerIsStillTheSame) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=5"}, {"ETag", "\"1\""}}));
  client.now += 10s;
  client.ask({.method = "HEAD"}, answer({{"Cache-Control", "max-age=60"},
                                         {"ETag", "\"1\""},
                                         {"Date", "Sun, 01 Mar 2026 00:00:10 GMT"}},
                                        ""));
  EXPECT_EQ(client.ask({}, answer({}, "two")).body, "one");
  client.ask({.method = "HEAD", .mode = CacheMode::Reload}, answer({{"ETag", "\"2\""}}, ""));

  EXPECT_EQ(client.ask({}, answer({}, "two")).body, "two");
}

TEST(CacheInvalidation, ByUnsafeMethodsThatSucceed) {
  for (auto const* method : {"POST", "PUT", "DELETE", "PATCH", "UNHEARD-OF"}) {
    for (auto const& [status, invalid] :
         {std::pair{200, true}, {204, true}, {303, true}, {400, false}, {500, false}}) {
      Client client;
      client.ask({}, answer({{"Cache-Control", "max-age=60"}}));
      client.ask({.method = method}, answer({}, "", status));

      EXPECT_EQ(client.ask({}, answer({})).from_network, invalid) << method << status;
    }
  }
}

TEST(CacheInvalidation, ReachesTheUrlsThatTheAnswerNames) {
  Client client;
  client.ask({.url = "https://a.example/other"}, answer({{"Cache-Control", "max-age=60"}}));
  client.ask({.method = "POST", .also_changed = {"https://a.example/other"}}, answer({}));

  EXPECT_TRUE(client.ask({.url = "https://a.example/other"}, answer({})).from_network);
}

TEST(CachePartitions, SeeNothingOfEachOther) {
  Client client;
  client.ask({}, answer({{"Cache-Control", "max-age=60"}}));
  client.partition = "bob";

  EXPECT_TRUE(client.ask({}, answer({})).from_network);
}

TEST(CacheLimits, TheLongestUnusedUrlGoesFirst) {
  Client client{.cache = Cache{{.partition_bytes = 40'000}}};
  auto const ask = [&](std::string url) {
    return client.ask({.url = std::move(url)},
                      answer({{"Cache-Control", "max-age=60"}}, std::string(9'000, 'x')));
  };
  for (auto const* url : {"a", "b", "c", "a", "d", "e"}) ask(url);

  EXPECT_LE(client.cache.bytes("alice"), 40'000U);
  EXPECT_FALSE(ask("a").from_network);
  EXPECT_TRUE(ask("b").from_network);
}

TEST(CacheLimits, AnAnswerThatWouldFillHalfOfItIsNotStored) {
  Client client{.cache = Cache{{.partition_bytes = 10'000}}};
  client.ask({}, answer({{"Cache-Control", "max-age=60"}}, std::string(6'000, 'x')));

  EXPECT_EQ(client.cache.bytes("alice"), 0U);
}

TEST(CacheLimits, HoldForAllPartitionsTogether) {
  Client client{.cache = Cache{{.partition_bytes = 10'000, .total_bytes = 160'000}}};
  std::size_t total = 0;
  for (int i = 0; i < 500; ++i) {
    client.partition = std::to_string(i);
    client.ask({}, answer({{"Cache-Control", "max-age=60"}}, std::string(2'000, 'x')));
  }
  for (int i = 0; i < 500; ++i) total += client.cache.bytes(std::to_string(i));

  EXPECT_LE(total, 160'000U);
  EXPECT_GT(total, 80'000U);
}

TEST(CacheLimits, AUrlHasOnlySoManyVariants) {
  Client client{.cache = Cache{{.variants = 4}}};
  for (int i = 0; i < 100; ++i) {
    client.ask({.headers = {{"Accept", std::to_string(i)}}},
               answer({{"Cache-Control", "max-age=60"}, {"Vary", "Accept"}}));
  }

  EXPECT_LT(client.cache.bytes("alice"), 4'000U);
}

TEST(CacheThreads, MayAllUseItAtOnce) {
  Cache cache{{.partition_bytes = 20'000, .total_bytes = 200'000}};
  auto const work = [&](int seed) {
    for (int i = 0; i < 2'000; ++i) {
      auto const partition = std::to_string((i * 7 + seed) % 40);
      CacheRequest const request{
          i % 11 == 0 ? "POST" : "GET", "u" + std::to_string(i % 13), "", {}};
      auto const plan = cache.plan(partition, request, CacheMode::Default, kNow);
      if (plan.next == Cache::Next::Serve) {
        ASSERT_EQ(*served(*plan.stored, kNow).body, "body");
      } else {
        cache.settle(partition, request, plan, answer({{"Cache-Control", "max-age=60"}}, "body"),
                     {kNow, kNow});
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace sallyport::http
