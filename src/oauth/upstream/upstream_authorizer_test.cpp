#include "src/oauth/upstream/upstream_authorizer.hpp"

#include "src/base/one_shot_event.hpp"
#include "src/oauth/upstream/sign_in.hpp"
#include "src/oauth/upstream/test_upstream_authorizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sallyport::oauth::upstream {
namespace {

using fakes::challenge;
using fakes::json_answer;
using fakes::kServer;
using fakes::kToken;
using fakes::token_answer;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

using UpstreamAuthorizerTest = fakes::UpstreamAuthorizerTest;

TEST_F(UpstreamAuthorizerTest, AsksWithoutATokenUntilSomebodySignsInAnywhere) {
  EXPECT_EQ(token(), "none");
  sign_in("t1", true, fakes::open_store(folder_, key_).get());
  EXPECT_EQ(token(), "none");  // the store is not read for each request

  now_ += 1s;

  EXPECT_EQ(token(), "Bearer t1");
  EXPECT_TRUE(servers_.requests.empty());
}

TEST_F(UpstreamAuthorizerTest, NoticesWithinAMinuteThatSomebodyHasSignedOutElsewhere) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");
  ASSERT_TRUE(fakes::open_store(folder_, key_)->forget(settings_));

  now_ += 1min;

  EXPECT_EQ(token(), "none");
}

TEST_F(UpstreamAuthorizerTest, TakesANewSignInWithinAMinuteWhileTheOldOneIsGood) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");
  now_ += 1s;
  sign_in("t2");

  now_ += 1min;

  EXPECT_EQ(token(), "Bearer t2");
}

TEST_F(UpstreamAuthorizerTest, SendsTheTokenToTheServerAlone) {
  sign_in("t1");

  for (auto const* const other : {"https://evil.example/mcp", "http://mcp.example/mcp",
                                  "https://mcp.example:8443/mcp", "not a url"}) {
    EXPECT_EQ(headers(other)->size(), 0U) << other;
  }
  EXPECT_EQ(headers("https://mcp.example/messages?id=1")->size(), 1U);
}

TEST_F(UpstreamAuthorizerTest, RefreshesFiveMinutesBeforeTheEndAndKeepsTheNewRefreshToken) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  now_ += 55min - 1s;
  EXPECT_EQ(token(), "Bearer t1");
  now_ += 1s;

  EXPECT_EQ(token(), "Bearer t2");

  EXPECT_EQ(servers_.last_field(kToken, "grant_type"), "refresh_token");
  EXPECT_EQ(servers_.last_field(kToken, "refresh_token"), "refresh-t1");
  EXPECT_EQ(servers_.last_field(kToken, "resource"), kServer);
  EXPECT_EQ(stored().refresh_token.reveal(), "r2");
  EXPECT_EQ(stored().header_value.reveal(), "Bearer t2");
}

TEST_F(UpstreamAuthorizerTest, GoesOnWithTheOldRefreshTokenWhereNoneCame) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2")));
  now_ += 58min;

  EXPECT_EQ(token(), "Bearer t2");
  EXPECT_EQ(stored().refresh_token.reveal(), "refresh-t1");
}

// A network that takes its time, and looks into the store when the answer is on its way.
class SlowServers final : public http::Client {
 public:
  explicit SlowServers(fakes::ScriptedServers& servers) : servers_{servers} {}
  Task<http::Response> send(http::ClientRequest request) override {
    Timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{5}};
    co_await timer.async_wait(use_tuple);
    co_return co_await servers_.send(std::move(request));
  }

 private:
  fakes::ScriptedServers& servers_;
};

Task<std::vector<std::string>> ask_together(std::vector<UpstreamAuthorizer*> authorizers) {
  auto const executor = co_await asio::this_coro::executor;
  std::vector<std::string> tokens(authorizers.size());
  auto const done = OneShotEvent::make();
  std::size_t left = authorizers.size();
  for (std::size_t i = 0; i < authorizers.size(); ++i) {
    asio::co_spawn(executor, authorizers[i]->headers_for("POST", kServer, {}),
                   [&, i](std::exception_ptr const&, Result<http::Headers> headers) {
                     tokens[i] = headers ? *headers->find("Authorization") : "error";
                     if (--left == 0) done->set();
                   });
  }
  co_await done->wait();
  co_return tokens;
}

TEST_F(UpstreamAuthorizerTest, RefreshesOnceForAllWhoWait) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  servers_.on(kToken, json_answer(R"({"error":"invalid_grant"})", 400));
  now_ += 58min;
  SlowServers slow{servers_};
  UpstreamAuthorizer authorizer{settings_, slow, *store_, clocks()};

  auto const tokens = test::run(ask_together({&authorizer, &authorizer, &authorizer, &authorizer}));

  EXPECT_THAT(*tokens, testing::Each("Bearer t2"));
  EXPECT_EQ(servers_.times(kToken), 1);
}

TEST_F(UpstreamAuthorizerTest, RefreshesOnceForAllLoops) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  servers_.on(kToken, json_answer(R"({"error":"invalid_grant"})", 400));
  now_ += 58min;
  SlowServers slow{servers_};
  UpstreamAuthorizer authorizer{settings_, slow, *store_, clocks()};
  std::atomic<int> served{0};
  std::vector<std::thread> loops;
  for (int i = 0; i < 4; ++i) {
    loops.emplace_back([&] {
      auto const headers = test::run(authorizer.headers_for("POST", kServer, {}));
      served += headers && *headers->find("Authorization") == "Bearer t2" ? 1 : 0;
    });
  }

  for (auto& loop : loops) loop.join();

  EXPECT_EQ(served, 4);
  EXPECT_EQ(servers_.times(kToken), 1);
}

// Otherwise one caller that hangs up, or is in a hurry, could lose the rotated refresh token.
TEST_F(UpstreamAuthorizerTest, ARefreshGoesOnWhenWhoCausedItDoesNotWait) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  now_ += 61min;
  SlowServers slow{servers_};
  UpstreamAuthorizer authorizer{settings_, slow, *store_, clocks()};

  auto const gone =
      test::run(authorizer.headers_for("POST", kServer, {}), test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::Cancelled);
  EXPECT_EQ(stored().refresh_token.reveal(), "r2");
  now_ += 61min;
  auto const late = test::run(authorizer.headers_for("POST", kServer, Deadline::in(1ms)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(servers_.times(kToken), 2);
}

TEST_F(UpstreamAuthorizerTest, RefreshesOnceForTwoProcesses) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  servers_.on(kToken, json_answer(R"({"error":"invalid_grant"})", 400));
  now_ += 58min;
  SlowServers slow{servers_};
  auto const other_store = fakes::open_store(folder_, key_);
  UpstreamAuthorizer one{settings_, slow, *store_, clocks()};
  UpstreamAuthorizer two{settings_, slow, *other_store, clocks()};

  auto const tokens = test::run(ask_together({&one, &two}));

  EXPECT_THAT(*tokens, testing::Each("Bearer t2"));
  EXPECT_EQ(servers_.times(kToken), 1);
}

TEST_F(UpstreamAuthorizerTest, DoesNotPutARenewalInThePlaceOfANewSignIn) {
  // A refresh was under way in the server while somebody signed in at the command line; the file
  // ended up with what the refresh brought for the sign-in before.
  sign_in("t1");
  now_ += 58min;
  SlowServers slow{servers_};
  SignIn elsewhere{servers_, *store_, [this] { return now_; }};
  auto const start = test::run(elsewhere.begin(settings_, fakes::kRedirectUri, {}));
  ASSERT_TRUE(start);
  servers_.instead(kToken, json_answer(token_answer("new", R"(,"refresh_token":"r-new")")));
  servers_.on(kToken, json_answer(token_answer("renewed", R"(,"refresh_token":"r-old")")));
  UpstreamAuthorizer authorizer{settings_, slow, *store_, clocks()};

  auto const both = [](UpstreamAuthorizer& server, SignIn& person,
                       std::string query) -> Task<void> {
    auto const executor = co_await asio::this_coro::executor;
    auto const done = OneShotEvent::make();
    asio::co_spawn(
        executor, server.headers_for("POST", kServer, {}),
        [done](std::exception_ptr const&, Result<http::Headers> const&) { done->set(); });
    co_await asio::post(executor, use_async);
    auto const signed_in = co_await person.finish({}, std::move(query));
    co_await done->wait();
    if (!signed_in) co_return signed_in.error();
    co_return Result<void>{};
  };
  ASSERT_TRUE(test::run(both(authorizer, elsewhere, "code=c&state=" + start->state)));

  EXPECT_EQ(servers_.times(kToken), 2);
  EXPECT_EQ(stored().refresh_token.reveal(), "r-new");
}

TEST_F(UpstreamAuthorizerTest, UsesTheTokenToItsEndWhenTheEndpointCannotBeReached) {
  sign_in("t1");
  servers_.instead(kToken, fail(Errc::UpstreamFailed, "down"));
  now_ += 58min;
  EXPECT_EQ(token(), "Bearer t1");
  EXPECT_EQ(token(), "Bearer t1");
  EXPECT_EQ(servers_.times(kToken), 1);  // left alone for a while

  now_ += 2min;

  EXPECT_THAT(token(), HasSubstr("could not be renewed now"));
  EXPECT_THAT(token(), Not(HasSubstr("sign in")));
  EXPECT_EQ(stored().refresh_token.reveal(), "refresh-t1");
  servers_.instead(kToken, json_answer(token_answer("t2")));
  now_ += 1min;
  EXPECT_EQ(token(), "Bearer t2");
}

TEST_F(UpstreamAuthorizerTest, KeepsTheRefreshTokenWhenTheEndpointIsBrokenOrBusy) {
  for (auto const& answer :
       {json_answer("{}", 500), json_answer(R"({"error":"temporarily_unavailable"})", 400),
        json_answer("<html>", 403), json_answer(R"({"error":"server_error"})", 503)}) {
    sign_in("t1");
    servers_.instead(kToken, answer);
    now_ += 61min;
    EXPECT_THAT(token(), HasSubstr("not be renewed now")) << answer.status;
    EXPECT_EQ(stored().refresh_token.reveal(), "refresh-t1");
    now_ += 2min;
  }
}

TEST_F(UpstreamAuthorizerTest, KeepsTheRefreshTokenWhenSomethingElseIsRefused) {
  for (std::string const error :
       {"invalid_client", "unauthorized_client", "invalid_request", "invalid_scope"}) {
    sign_in("t1");
    servers_.instead(kToken, json_answer(R"({"error":")" + error + R"("})", 400));
    now_ += 61min;

    auto const said = token();

    EXPECT_THAT(said, HasSubstr("the token endpoint answers " + error));
    EXPECT_THAT(said, HasSubstr("sallyport servers login shop"));
    EXPECT_EQ(stored().refresh_token.reveal(), "refresh-t1") << error;
    servers_.instead(kToken, json_answer(token_answer("t2")));
    now_ += 2min;
    EXPECT_EQ(token(), "Bearer t2") << "once the operator has mended it";
  }
}

TEST_F(UpstreamAuthorizerTest, SaysHowToSignInWhenTheRefreshTokenIsRefused) {
  sign_in("t1");
  servers_.instead(
      kToken, json_answer(R"({"error":"invalid_grant","error_description":"refresh-t1"})", 400));
  now_ += 61min;

  EXPECT_EQ(token(),
            "error: The sign-in to shop has ended: sign in with `sallyport servers login shop`.");

  EXPECT_EQ(stored().refresh_token.reveal(), "");
  now_ += 2min;
  EXPECT_THAT(token(), HasSubstr("sallyport servers login shop"));
  EXPECT_EQ(servers_.times(kToken), 1);
  sign_in("t2");
  now_ += 2s;
  EXPECT_EQ(token(), "Bearer t2");
}

TEST_F(UpstreamAuthorizerTest, NeedsAPersonWhereNobodyHasSignedIn) {
  auto const result = refused(401, challenge(R"(Bearer scope="a b")"));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::CredentialUnavailable);
  EXPECT_EQ(result.error().message,
            "shop wants to know who you are: sign in with `sallyport servers login shop`.");
  EXPECT_EQ((*store_->challenge(settings_))->scope, "a b");
}

TEST_F(UpstreamAuthorizerTest, RenewsATokenThatTheServerRefuses) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");
  servers_.instead(kToken, json_answer(token_answer("t2")));

  EXPECT_EQ(message(refused(401, challenge(), "Bearer t1")), "true");

  EXPECT_EQ(token(), "Bearer t2");
  EXPECT_EQ(message(refused(401, challenge(), "Bearer t1")), "true");  // an older request
  EXPECT_THAT(message(refused(401, challenge(), "Bearer t2")), HasSubstr("sign in"));
  EXPECT_EQ(servers_.times(kToken), 1);
}

Task<std::vector<std::string>> refuse_together(UpstreamAuthorizer& authorizer, std::size_t many) {
  auto const executor = co_await asio::this_coro::executor;
  std::vector<std::string> outcomes(many);
  auto const answer = challenge();
  http::Headers const sent{{"Authorization", "Bearer t1"}};
  auto const done = OneShotEvent::make();
  std::size_t left = many;
  for (auto& outcome : outcomes) {
    asio::co_spawn(executor, authorizer.refused(401, answer, sent, {}),
                   [&](std::exception_ptr const&, Result<bool> const& again) {
                     outcome = again ? (*again ? "again" : "no") : again.error().message;
                     if (--left == 0) done->set();
                   });
  }
  co_await done->wait();
  co_return outcomes;
}

TEST_F(UpstreamAuthorizerTest, AsksOnceForAllWhoAreRefusedWithOneToken) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(token_answer("t2", R"(,"refresh_token":"r2")")));
  SlowServers slow{servers_};
  UpstreamAuthorizer authorizer{settings_, slow, *store_, clocks()};

  auto const outcomes = test::run(refuse_together(authorizer, 20));

  EXPECT_THAT(*outcomes, testing::Each("again"));
  EXPECT_EQ(servers_.times(kToken), 1);
  EXPECT_EQ(servers_.times(fakes::kResourceMetadata), 1);
  EXPECT_EQ(servers_.times(fakes::kIssuerMetadata), 1);
}

TEST_F(UpstreamAuthorizerTest, AsksNobodyOnceTheSignInHasEnded) {
  sign_in("t1");
  servers_.instead(kToken, json_answer(R"({"error":"invalid_grant"})", 400));
  EXPECT_THAT(message(refused(401, challenge(), "Bearer t1")), HasSubstr("sign in with"));
  auto const asked = servers_.requests.size();
  EXPECT_TRUE(*store_->challenge(settings_));  // others can see that somebody has to sign in

  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(message(refused(401, challenge(), "Bearer t1")), HasSubstr("sign in with"));
    now_ += 500ms;
  }

  EXPECT_EQ(servers_.requests.size(), asked);
  sign_in("t2");
  EXPECT_EQ(message(refused(401, challenge(), "Bearer t1")), "true");
}

TEST_F(UpstreamAuthorizerTest, SaysNothingOfASignInWhereTheRefreshTokenMayBeGood) {
  sign_in("t1");
  servers_.instead(kToken, json_answer("{}", 503));

  EXPECT_THAT(message(refused(401, challenge(), "Bearer t1")), HasSubstr("renewed now"));

  EXPECT_FALSE(*store_->challenge(settings_));
}

TEST_F(UpstreamAuthorizerTest, RenewsATokenThatIsRefusedSoonAfterTheFirstSignIn) {
  EXPECT_THAT(message(refused(401, challenge())), HasSubstr("who you are"));
  sign_in("t1");
  now_ += 1s;
  EXPECT_EQ(token(), "Bearer t1");
  servers_.instead(kToken, json_answer(token_answer("t2")));

  EXPECT_EQ(message(refused(401, challenge(), "Bearer t1")), "true");

  EXPECT_EQ(token(), "Bearer t2");
}

TEST_F(UpstreamAuthorizerTest, TakesWhatAnotherProcessSignedInForInTheMeantime) {
  sign_in("t1", false);
  EXPECT_EQ(token(), "Bearer t1");
  sign_in("t2", false);

  EXPECT_EQ(message(refused(401, challenge(), "Bearer t1")), "true");
  EXPECT_EQ(token(), "Bearer t2");
  sign_in("t3", false);
  auto const more = challenge(R"(Bearer error="insufficient_scope", scope="y")");
  EXPECT_EQ(message(refused(403, more, "Bearer t2")), "true");
  EXPECT_EQ(token(), "Bearer t3");
}

TEST_F(UpstreamAuthorizerTest, DoesNotShowARefreshTokenToANewAuthorizationServer) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");
  servers_.instead(fakes::kResourceMetadata,
                   json_answer(R"({"resource":"https://mcp.example/mcp",)"
                               R"("authorization_servers":["https://as2.example"]})"));
  servers_.on("GET https://as2.example/.well-known/oauth-authorization-server",
              json_answer(R"({"issuer":"https://as2.example",)"
                          R"("token_endpoint":"https://as2.example/token"})"));

  EXPECT_THAT(message(refused(401, challenge(), "Bearer t1")),
              HasSubstr("another authorization server"));

  EXPECT_EQ(servers_.times(kToken), 0);
  EXPECT_EQ(servers_.times("POST https://as2.example/token"), 0);
}

TEST_F(UpstreamAuthorizerTest, RefusesMetadataOfAnotherResourceAfterARefusal) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");
  servers_.instead(fakes::kResourceMetadata,
                   json_answer(R"({"resource":"https://evil.example/mcp",)"
                               R"("authorization_servers":["https://as.example"]})"));

  EXPECT_THAT(message(refused(401, challenge(), "Bearer t1")), HasSubstr("another resource"));
}

TEST_F(UpstreamAuthorizerTest, AsksForMoreRightsThreeTimesAtMost) {
  auto const more = challenge(R"(Bearer error="insufficient_scope", scope="y")");
  for (auto const* const name : {"t1", "t2", "t3"}) {
    sign_in(name);
    for (int i = 0; i < 3; ++i) {  // several requests with one token
      EXPECT_THAT(message(refused(403, more, std::string{"Bearer "} + name)),
                  HasSubstr("more rights than the sign-in gave: sign in with"));
    }
    EXPECT_EQ((*store_->challenge(settings_))->scope, "x y");
  }
  sign_in("t4");

  EXPECT_THAT(message(refused(403, more, "Bearer t4")), HasSubstr("again and again"));

  now_ += 11min;
  EXPECT_THAT(message(refused(403, more, "Bearer t4")), HasSubstr("sign in with"));
}

TEST_F(UpstreamAuthorizerTest, LeavesOtherRefusalsAlone) {
  sign_in("t1");
  EXPECT_EQ(token(), "Bearer t1");

  EXPECT_EQ(message(refused(403, {}, "Bearer t1")), "false");
  EXPECT_EQ(message(refused(403, challenge(R"(Bearer error="invalid_token")"), "Bearer t1")),
            "false");
  EXPECT_EQ(message(refused(500, challenge(), "Bearer t1")), "false");
}

}  // namespace
}  // namespace sallyport::oauth::upstream
