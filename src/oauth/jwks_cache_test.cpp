#include "src/oauth/jwks_cache.hpp"

#include "tests/support/run.hpp"
#include "tests/support/signing_key.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;

std::string one_key(std::string_view kid) {
  static auto const key = test::SigningKey::ed25519();
  return test::key_set({key.jwk(kid)});
}

// Answers when the test says so, and counts.
struct FakeClient final : http::Client {
  Task<http::Response> send(http::ClientRequest request) override {
    ++calls;
    url = request.url;
    auto answer = next;
    if (!gate) co_return answer;
    auto const wakeup = co_await gate->wait();
    if (wakeup != Wakeup::Happened) co_return fail(Errc::Cancelled, "cancelled");
    co_return answer;
  }

  std::atomic<int> calls{0};
  std::string url;
  Result<http::Response> next = http::Response{.body = one_key("a")};
  std::shared_ptr<OneShotEvent> gate;  // when set, an answer waits for it
};

class JwksCacheTest : public testing::Test {
 protected:
  static Task<JwksCache::Keys> current_of(JwksCache& cache) { co_return co_await cache.current(); }
  static Task<JwksCache::Keys> newer_of(JwksCache& cache, JwksCache::Keys seen) {
    co_return co_await cache.newer_than(std::move(seen));
  }

  JwksCache::Keys current() { return *test::run(current_of(cache_)); }
  JwksCache::Keys newer_than(JwksCache::Keys seen) {
    return *test::run(newer_of(cache_, std::move(seen)));
  }

  static bool has(JwksCache::Keys const& keys, std::string_view kid) {
    return keys && !keys->candidates(Algorithm::EdDsa, kid).empty();
  }
  void serve(std::string_view kid) { client_.next = http::Response{.body = one_key(kid)}; }

  FakeClient client_;
  Clock::time_point now_{1000h};
  JwksCache cache_{{.url = "https://as.example/keys",
                    .lifetime = 1h,
                    .minimum_refresh_interval = 30s,
                    .maximum_age = 24h,
                    .retry_interval = 1s},
                   client_,
                   [this] { return now_; }};
};

TEST_F(JwksCacheTest, FetchesOnceAndKeepsTheKeys) {
  EXPECT_EQ(client_.calls, 0);  // nothing before somebody asks

  EXPECT_TRUE(has(current(), "a"));
  now_ += 59min;
  EXPECT_TRUE(has(current(), "a"));

  EXPECT_EQ(client_.calls, 1);
  EXPECT_EQ(client_.url, "https://as.example/keys");
}

TEST_F(JwksCacheTest, FetchesAgainAfterTheLifetime) {
  current();
  serve("b");
  now_ += 1h;

  EXPECT_TRUE(has(current(), "b"));
  EXPECT_EQ(client_.calls, 2);
}

TEST_F(JwksCacheTest, FindsANewKeyWhenATokenNamesIt) {
  auto const seen = current();
  serve("b");
  now_ += 30s;

  EXPECT_TRUE(has(newer_than(seen), "b"));
}

TEST_F(JwksCacheTest, AFloodOfInventedKidsFetchesAtMostOncePerInterval) {
  auto const seen = current();

  for (int second = 0; second < 120; ++second) {
    now_ += 1s;
    for (int i = 0; i < 10; ++i) newer_than(current());
  }

  EXPECT_EQ(client_.calls, 1 + 4);
}

TEST_F(JwksCacheTest, AFloodOfInventedKidsFetchesNoMoreOftenWhenFetchesFail) {
  auto const seen = current();
  client_.next = fail(Errc::UpstreamFailed, "down");

  for (int second = 0; second < 120; ++second) {
    now_ += 1s;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(newer_than(seen), seen);
  }

  EXPECT_EQ(client_.calls, 1 + 4);
}

TEST_F(JwksCacheTest, ServesOldKeysWhenARefreshFailsUntilTheyAreTooOld) {
  current();
  for (auto const& broken :
       {Result<http::Response>{fail(Errc::UpstreamFailed, "down")},
        Result<http::Response>{http::Response{.status = 500, .body = one_key("b")}},
        Result<http::Response>{http::Response{.status = 302, .body = one_key("b")}},
        Result<http::Response>{http::Response{.body = R"({"keys":[]})"}},
        Result<http::Response>{http::Response{.body = "<html>"}}}) {
    client_.next = broken;
    now_ += 2h;
    EXPECT_TRUE(has(current(), "a"));
  }

  now_ += 24h;
  EXPECT_EQ(current(), nullptr);
  serve("b");
  now_ += 1s;
  EXPECT_TRUE(has(current(), "b"));
}

TEST_F(JwksCacheTest, TriesSoonAgainWhileThereAreNoKeys) {
  client_.next = fail(Errc::UpstreamFailed, "down");
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(client_.calls, 1);

  serve("a");
  now_ += 1s;

  EXPECT_TRUE(has(current(), "a"));
}

TEST_F(JwksCacheTest, ManyWhoWaitShareOneFetch) {
  client_.gate = OneShotEvent::make();
  asio::io_context loop;
  int served = 0;
  for (int i = 0; i < 10; ++i) {
    asio::co_spawn(loop, cache_.current(), [&](std::exception_ptr, JwksCache::Keys const& keys) {
      served += has(keys, "a") ? 1 : 0;
    });
  }
  loop.poll();
  EXPECT_EQ(served, 0);

  client_.gate->set();
  loop.run();

  EXPECT_EQ(served, 10);
  EXPECT_EQ(client_.calls, 1);
}

TEST_F(JwksCacheTest, WhoFindsOldKeysDoesNotWaitForTheFetchOfAnother) {
  current();
  now_ += 2h;
  client_.gate = OneShotEvent::make();
  asio::io_context loop;
  JwksCache::Keys fetched;
  asio::co_spawn(loop, cache_.current(),
                 [&](std::exception_ptr, JwksCache::Keys keys) { fetched = std::move(keys); });
  serve("b");
  loop.poll();

  EXPECT_TRUE(has(current(), "a"));
  client_.gate->set();
  loop.run();

  EXPECT_NE(fetched, nullptr);
  EXPECT_EQ(client_.calls, 2);
}

TEST_F(JwksCacheTest, LoopsShareOneFetch) {
  client_.gate = OneShotEvent::make();
  std::atomic<int> served{0};
  std::vector<std::thread> loops;
  for (int i = 0; i < 4; ++i) {
    loops.emplace_back([&] { served += has(current(), "a") ? 1 : 0; });
  }

  client_.gate->set();
  for (auto& loop : loops) loop.join();

  EXPECT_EQ(served, 4);
  EXPECT_EQ(client_.calls, 1);
}

// Otherwise a peer that names an unknown key and hangs up would keep everybody from new keys.
TEST_F(JwksCacheTest, AFetchGoesOnWhenWhoCausedItHangsUp) {
  client_.gate = OneShotEvent::make();
  asio::io_context loop;
  asio::cancellation_signal hang_up;
  JwksCache::Keys other;
  asio::co_spawn(loop, cache_.current(),
                 asio::bind_cancellation_slot(hang_up.slot(),
                                              [](std::exception_ptr, JwksCache::Keys const&) {}));
  asio::co_spawn(loop, cache_.current(),
                 [&](std::exception_ptr, JwksCache::Keys keys) { other = std::move(keys); });
  loop.poll();

  hang_up.emit(asio::cancellation_type::terminal);
  loop.poll();
  client_.gate->set();
  loop.run();

  EXPECT_TRUE(has(other, "a"));
  EXPECT_EQ(client_.calls, 1);
}

TEST_F(JwksCacheTest, WhoWaitsIsWokenWhenTheLoopOfTheFetchEnds) {
  client_.gate = OneShotEvent::make();
  asio::io_context waiting;
  bool woken = false;
  {
    asio::io_context fetching;
    asio::co_spawn(fetching, cache_.current(), [](std::exception_ptr, JwksCache::Keys const&) {});
    fetching.poll();
    asio::co_spawn(waiting, cache_.current(),
                   [&](std::exception_ptr, JwksCache::Keys const&) { woken = true; });
    waiting.poll();
  }

  waiting.run();

  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace sallyport::oauth
