#include "src/oauth/token_source.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"
#include "src/oauth/test_token_source.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;
using fakes::FakeEndpoint;
using fakes::kClientSecret;
using fakes::TokenSourceTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(TokenSourceTest, AsksWhenATokenIsFirstNeededAndKeepsIt) {
  EXPECT_EQ(endpoint_.calls(), 0);

  EXPECT_EQ(*ask(), "Bearer t1");
  now_ += 59min;
  EXPECT_EQ(*ask(), "Bearer t1");

  EXPECT_THAT(endpoint_.grants, ElementsAre("client_credentials"));
}

TEST_F(TokenSourceTest, RenewsThirtySecondsBeforeTheStatedExpiry) {
  ASSERT_TRUE(ask());
  now_ += 3600s - 30s - 1ms;
  EXPECT_EQ(*ask(), "Bearer t1");

  now_ += 1ms;

  EXPECT_EQ(*ask(), "Bearer t2");
  EXPECT_THAT(endpoint_.grants, ElementsAre("client_credentials", "client_credentials"));
}

TEST_F(TokenSourceTest, RenewsWithTheRefreshTokenWhereThereIsOne) {
  endpoint_.answers = {FakeEndpoint::token("t1", R"(,"refresh_token":"r1")"),
                       FakeEndpoint::token("t2", R"(,"refresh_token":"r2")")};
  ASSERT_TRUE(ask());
  now_ += 1h;
  EXPECT_EQ(*ask(), "Bearer t2");
  now_ += 1h;
  ASSERT_TRUE(ask());

  EXPECT_THAT(endpoint_.grants,
              ElementsAre("client_credentials", "refresh_token:r1", "refresh_token:r2"));
}

TEST_F(TokenSourceTest, KeepsTheRefreshTokenWhereARefreshBringsNoOther) {
  endpoint_.answers = {FakeEndpoint::token("t1", R"(,"refresh_token":"r1")")};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ask());
    now_ += 1h;
  }

  EXPECT_THAT(endpoint_.grants,
              ElementsAre("client_credentials", "refresh_token:r1", "refresh_token:r1"));
}

TEST_F(TokenSourceTest, AsksForANewTokenWhereARefreshFails) {
  for (auto const& failure : {Result<http::Response>{http::Response{.status = 400}},
                              Result<http::Response>{http::Response{.body = "<html>"}},
                              Result<http::Response>{fail(Errc::UpstreamFailed, "reset")}}) {
    FakeEndpoint endpoint;
    TokenSource source{source_.options(), {.steady = [this] { return now_; }}};
    endpoint.answers = {FakeEndpoint::token("t1", R"(,"refresh_token":"r1")"), failure,
                        FakeEndpoint::token("t3")};
    ASSERT_TRUE(test::run(source.value(endpoint, {})));
    now_ += 1h;

    EXPECT_EQ(test::run(source.value(endpoint, {}))->reveal(), "Bearer t3");
    now_ += 1h;
    ASSERT_TRUE(test::run(source.value(endpoint, {})));

    EXPECT_THAT(endpoint.grants, ElementsAre("client_credentials", "refresh_token:r1",
                                             "client_credentials", "client_credentials"));
  }
}

TEST_F(TokenSourceTest, UsesATokenThatLivesShorterThanTheBufferOnce) {
  endpoint_.answers = {http::Response{.body = R"({"access_token":"brief","expires_in":5})"}};

  EXPECT_EQ(*ask(), "Bearer brief");
  EXPECT_EQ(*ask(), "Bearer t2");
}

TEST_F(TokenSourceTest, KeepsAnOpaqueTokenWithoutExpiryForFiveMinutes) {
  endpoint_.answers = {http::Response{.body = R"({"access_token":"opaque"})"}};
  ASSERT_TRUE(ask());
  now_ += 4min;
  EXPECT_EQ(*ask(), "Bearer opaque");
  now_ += 1min;

  EXPECT_EQ(*ask(), "Bearer t2");
}

// What is expired for us is not yet expired for the site.
TEST_F(TokenSourceTest, GoesOnWithAnUnexpiredTokenWhileARenewalFails) {
  ASSERT_TRUE(ask());
  endpoint_.answers = {http::Response{.status = 503}, http::Response{.status = 503}};
  now_ += 3580s;

  EXPECT_EQ(*ask(), "Bearer t1");
  EXPECT_EQ(*ask(), "Bearer t1");
  EXPECT_EQ(endpoint_.calls(), 2);
  now_ += 20s;
  EXPECT_FALSE(ask());
  EXPECT_EQ(endpoint_.calls(), 3);
}

TEST_F(TokenSourceTest, LeavesAFailingEndpointAloneLongerEachTime) {
  std::vector<std::chrono::seconds> const pauses{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s};
  int calls = 0;
  for (auto const pause : pauses) {
    endpoint_.answers = {http::Response{.status = 500}};
    EXPECT_EQ(ask().error().code, Errc::CredentialUnavailable);
    EXPECT_EQ(endpoint_.calls(), ++calls);
    now_ += pause - 1ms;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(ask());
    EXPECT_EQ(endpoint_.calls(), calls) << pause.count();
    now_ += 1ms;
  }

  EXPECT_TRUE(ask());
  now_ += 1h;
  endpoint_.answers = {http::Response{.status = 500}};
  EXPECT_FALSE(ask());
  now_ += 1s;
  EXPECT_TRUE(ask());  // one success, and it starts again at one second
}

TEST_F(TokenSourceTest, WaitsAsLongAsTheEndpointAsks) {
  endpoint_.answers = {http::Response{.status = 429, .headers = {{"Retry-After", "40"}}}};
  EXPECT_FALSE(ask());
  now_ += 39s;
  EXPECT_FALSE(ask());
  EXPECT_EQ(endpoint_.calls(), 1);
  now_ += 1s;
  EXPECT_TRUE(ask());
}

// Callers who all wait for the same answer of the endpoint: their tokens, or why they got none.
class CrowdTest : public TokenSourceTest {
 protected:
  std::vector<std::string> ask_at_once(int callers) {
    endpoint_.gate = OneShotEvent::make();
    asio::io_context loop;
    std::vector<std::string> got;
    for (int i = 0; i < callers; ++i) {
      asio::co_spawn(loop, source_.value(endpoint_, {}),
                     [&](std::exception_ptr, Result<Secret> const& value) {
                       got.push_back(value ? value->reveal() : value.error().message);
                     });
    }
    loop.poll();
    EXPECT_TRUE(got.empty());
    endpoint_.gate->set();
    loop.run();
    return got;
  }
};

TEST_F(CrowdTest, ManyWhoWaitShareOneCallAndItsToken) {
  auto const got = ask_at_once(8);

  EXPECT_EQ(got, std::vector<std::string>(8, "Bearer t1"));
  EXPECT_EQ(endpoint_.calls(), 1);
}

TEST_F(CrowdTest, ManyWhoWaitShareOneFailure) {
  endpoint_.answers = {http::Response{.status = 401}};

  auto const got = ask_at_once(4);

  EXPECT_EQ(got, std::vector<std::string>(4, "The token endpoint gave no token."));
  EXPECT_EQ(endpoint_.calls(), 1);
}

TEST_F(CrowdTest, ManyWhoComeWhenATokenHasExpiredShareOneRenewal) {
  ASSERT_TRUE(ask());
  now_ += 1h;

  auto const got = ask_at_once(8);

  EXPECT_EQ(got, std::vector<std::string>(8, "Bearer t2"));
  EXPECT_EQ(endpoint_.calls(), 2);
}

TEST_F(CrowdTest, ManyWhoComeWhenATokenHasExpiredShareTheFailureOfItsRenewal) {
  ASSERT_TRUE(ask());
  now_ += 1h;
  endpoint_.answers = {http::Response{.status = 500}};

  auto const got = ask_at_once(4);

  EXPECT_EQ(got, std::vector<std::string>(4, "The token endpoint gave no token."));
  EXPECT_EQ(endpoint_.calls(), 2);
}

TEST_F(TokenSourceTest, LoopsShareOneCall) {
  endpoint_.gate = OneShotEvent::make();
  std::atomic<int> served{0};
  std::vector<std::thread> loops;
  for (int i = 0; i < 4; ++i) {
    loops.emplace_back([&] { served += ask() ? 1 : 0; });
  }

  endpoint_.gate->set();
  for (auto& loop : loops) loop.join();

  EXPECT_EQ(served, 4);
  EXPECT_EQ(endpoint_.calls(), 1);
}

// Otherwise one caller that hangs up would take the token from everybody else.
TEST_F(TokenSourceTest, ACallGoesOnWhenWhoCausedItHangsUp) {
  endpoint_.gate = OneShotEvent::make();
  asio::io_context loop;
  asio::cancellation_signal hang_up;
  Result<Secret> first = Secret{};
  Result<Secret> other = Secret{};
  asio::co_spawn(
      loop, source_.value(endpoint_, {}),
      asio::bind_cancellation_slot(
          hang_up.slot(), [&](std::exception_ptr, Result<Secret> value) { first = value; }));
  asio::co_spawn(loop, source_.value(endpoint_, {}),
                 [&](std::exception_ptr, Result<Secret> value) { other = std::move(value); });
  loop.poll();

  hang_up.emit(asio::cancellation_type::terminal);
  loop.poll();
  ASSERT_FALSE(first);  // at once, not when the call has ended
  EXPECT_EQ(first.error().code, Errc::Cancelled);
  endpoint_.gate->set();
  loop.run();

  EXPECT_EQ(other->reveal(), "Bearer t1");
  EXPECT_EQ(*ask(), "Bearer t1");
  EXPECT_EQ(endpoint_.calls(), 1);
}

TEST_F(TokenSourceTest, WhoHasNoTimeLeftLeavesTheCallToTheOthers) {
  endpoint_.gate = OneShotEvent::make();
  asio::io_context loop;
  Result<Secret> hasty = Secret{};
  asio::co_spawn(loop, source_.value(endpoint_, Deadline::in(1ms)),
                 [&](std::exception_ptr, Result<Secret> value) {
                   hasty = std::move(value);
                   endpoint_.gate->set();
                 });
  loop.run();

  ASSERT_FALSE(hasty);
  EXPECT_EQ(hasty.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(*ask(), "Bearer t1");
  EXPECT_EQ(endpoint_.calls(), 1);
}

TEST_F(TokenSourceTest, WhoWaitsIsWokenWhenTheLoopOfTheCallEnds) {
  endpoint_.gate = OneShotEvent::make();
  asio::io_context waiting;
  bool woken = false;
  {
    asio::io_context calling;
    asio::co_spawn(calling, source_.value(endpoint_, {}),
                   [](std::exception_ptr, Result<Secret> const&) {});
    calling.poll();
    asio::co_spawn(waiting, source_.value(endpoint_, {}),
                   [&](std::exception_ptr, Result<Secret> const& value) { woken = !value; });
    waiting.poll();
  }

  waiting.run();

  EXPECT_TRUE(woken);
}

// Who waited for a call that failed does not care once a later one has brought a token.
TEST_F(TokenSourceTest, ALateWaiterSeesTheNewerToken) {
  auto const first_gate = endpoint_.gate = OneShotEvent::make();
  endpoint_.answers = {http::Response{.status = 500}, FakeEndpoint::token("newer")};
  asio::io_context sleeping;
  asio::io_context loop;
  Result<Secret> late = Secret{};
  asio::co_spawn(loop, source_.value(endpoint_, {}),
                 [](std::exception_ptr, Result<Secret> const&) {});
  loop.poll();
  asio::co_spawn(sleeping, source_.value(endpoint_, {}),
                 [&](std::exception_ptr, Result<Secret> value) { late = std::move(value); });
  sleeping.poll();
  first_gate->set();
  loop.run();
  now_ += 1s;
  EXPECT_EQ(*ask(), "Bearer newer");

  sleeping.run();

  EXPECT_EQ(late->reveal(), "Bearer newer");
  EXPECT_EQ(endpoint_.calls(), 2);
}

TEST_F(TokenSourceTest, HasAnotherTokenAfterASiteRefusedOne) {
  ASSERT_TRUE(ask());

  EXPECT_TRUE(renew("Bearer t1"));
  EXPECT_EQ(*ask(), "Bearer t2");
  // Somebody else was quicker: nothing is asked.
  EXPECT_TRUE(renew("Bearer t1"));
  EXPECT_EQ(endpoint_.calls(), 2);
}

TEST_F(TokenSourceTest, ASiteThatRefusesEveryTokenCostsOneCallInTenSeconds) {
  ASSERT_TRUE(ask());
  for (int i = 0; i < 100; ++i) renew(*ask());
  EXPECT_EQ(endpoint_.calls(), 2);

  now_ += 10s;
  EXPECT_TRUE(renew(*ask()));
  EXPECT_EQ(endpoint_.calls(), 3);
}

TEST_F(TokenSourceTest, KeepsARefusedTokenForOthersWhileThereIsNoNewOne) {
  ASSERT_TRUE(ask());
  endpoint_.answers = {http::Response{.status = 500}};

  EXPECT_FALSE(renew("Bearer t1"));
  EXPECT_EQ(*ask(), "Bearer t1");
  now_ += 1s;
  EXPECT_EQ(*ask(), "Bearer t3");
}

TEST_F(TokenSourceTest, DoesNotTakeTheSameTokenForANewOne) {
  ASSERT_TRUE(ask());
  endpoint_.answers = {FakeEndpoint::token("t1")};

  EXPECT_FALSE(renew("Bearer t1"));
}

TEST_F(TokenSourceTest, NeverSaysASecret) {
  auto const leak = std::string{R"({"error":"x","error_description":")"} + kClientSecret + "\"}";
  endpoint_.answers = {http::Response{.status = 400, .body = leak}, http::Response{.body = leak},
                       http::Response{.body = std::string{kClientSecret}}};
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    auto const failed = ask();
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message + failed.error().detail, Not(HasSubstr("hunter2")));
    now_ += 1min;
  }
  auto const log = testing::internal::GetCapturedStderr();

  EXPECT_THAT(log, HasSubstr("no access token"));
  EXPECT_THAT(log, HasSubstr("https://as.example/token"));
  EXPECT_THAT(log, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace sallyport::oauth
