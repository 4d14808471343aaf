#include "src/oauth/upstream/upstream_authorizer.hpp"

#include "src/base/one_shot_event.hpp"
#include "src/oauth/upstream/sign_in.hpp"
#include "src/oauth/upstream/test_upstream.hpp"

#include "tests/support/signing_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sallyport::oauth::upstream {
namespace {

using fakes::issuer_document;
using fakes::json_answer;
using fakes::kServer;
using fakes::kToken;
using fakes::token_answer;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

http::Headers challenge(std::string const& text = "Bearer") {
  return {{"WWW-Authenticate", text}};
}

class UpstreamAuthorizerTest : public testing::Test {
 protected:
  UpstreamAuthorizerTest() { fakes::usual_servers(servers_); }

  // Of the settings at that moment.
  UpstreamAuthorizer& authorizer() {
    if (!authorizer_) {
      authorizer_ = std::make_unique<UpstreamAuthorizer>(settings_, servers_, *store_, clocks());
    }
    return *authorizer_;
  }
  Clocks clocks() {
    return {.wall = [this] { return now_; },
            .steady = [this] { return Clock::time_point{now_.time_since_epoch()}; }};
  }
  Result<http::Headers> headers(std::string_view url = kServer) {
    return test::run(authorizer().headers_for("POST", url, {}));
  }
  std::string token() {
    auto const found = headers();
    if (!found) return "error: " + found.error().message;
    auto const* const field = found->find("Authorization");
    return field == nullptr ? "none" : *field;
  }
  Result<bool> refused(int status, http::Headers const& answer, std::string const& sent = {}) {
    http::Headers fields;
    if (!sent.empty()) fields.add("Authorization", sent);
    return test::run(authorizer().refused(status, answer, fields, {}));
  }
  static std::string message(Result<bool> const& result) {
    return result ? (*result ? "true" : "false") : result.error().message;
  }

  void sign_in(std::string const& name, bool refreshable = true, GrantStore* store = nullptr) {
    Grant const grant{.server_url = settings_.url,
                      .issuer = "https://as.example",
                      .resource = kServer,
                      .token_endpoint = "https://as.example/token",
                      .client = {.id = "client-1"},
                      .requested_scope = "x",
                      .header_value = Secret{"Bearer " + name},
                      .refresh_token = Secret{refreshable ? "refresh-" + name : ""},
                      .issued_at = unix_seconds(now_),
                      .expires_at = unix_seconds(now_ + 1h)};
    ASSERT_TRUE((store == nullptr ? *store_ : *store).put(settings_, grant));
  }
  Grant stored() { return (*store_->grant(settings_)).value_or(Grant{}); }

  test::TempFolder folder_;
  store::SealingKey key_ = store::SealingKey::random();
  std::unique_ptr<GrantStore> store_ = fakes::open_store(folder_, key_);
  fakes::ScriptedServers servers_;
  ServerSettings settings_ = fakes::usual_settings();
  WallClock::time_point now_{std::chrono::hours{500'000}};
  std::unique_ptr<UpstreamAuthorizer> authorizer_;
};

TEST_F(UpstreamAuthorizerTest, AsksWithoutATokenUntilSomebodySignsInAnywhere) {
  EXPECT_EQ(token(), "none");
  sign_in("t1", true, fakes::open_store(folder_, key_).get());
  EXPECT_EQ(token(), "none");  // the store is not read for each request

  now_ += 1s;

  EXPECT_EQ(token(), "Bearer t1");
  EXPECT_TRUE(servers_.requests.empty());
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

TEST_F(UpstreamAuthorizerTest, GetsATokenByClientCredentials) {
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
  servers_.instead(kToken, json_answer(token_answer("m1")));
  servers_.on(kToken, json_answer(token_answer("m2")));
  EXPECT_EQ(token(), "none");

  EXPECT_EQ(message(refused(401, challenge(R"(Bearer scope="a")"))), "true");

  EXPECT_EQ(token(), "Bearer m1");
  EXPECT_EQ(servers_.last_field(kToken, "grant_type"), "client_credentials");
  EXPECT_EQ(servers_.last_field(kToken, "scope"), "a");
  EXPECT_EQ(servers_.last_field(kToken, "resource"), kServer);
  EXPECT_EQ(*servers_.last(kToken).headers.find("Authorization"), "Basic cm9ib3Q6czNjcmV0");
  now_ += 56min;
  EXPECT_EQ(token(), "Bearer m2");
}

TEST_F(UpstreamAuthorizerTest, GetsATokenWithMoreRightsByClientCredentials) {
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
  servers_.instead(kToken, json_answer(token_answer("m1")));
  servers_.on(kToken, json_answer(token_answer("m2")));
  EXPECT_EQ(message(refused(401, challenge(R"(Bearer scope="a")"))), "true");

  auto const more = challenge(R"(Bearer error="insufficient_scope", scope="b")");
  EXPECT_EQ(message(refused(403, more, "Bearer m1")), "true");

  EXPECT_EQ(servers_.last_field(kToken, "scope"), "a b");
  EXPECT_EQ(token(), "Bearer m2");
}

TEST_F(UpstreamAuthorizerTest, SignsAnAssertionForClientCredentials) {
  auto const key = test::SigningKey::p256();
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot",
                      .private_key = std::make_shared<PrivateKey const>(
                          *PrivateKey::from_pem(Secret{key.pem()}, "ES256"))};

  EXPECT_EQ(message(refused(401, challenge())), "true");

  EXPECT_EQ(servers_.last_field(kToken, "client_assertion_type"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  EXPECT_NE(servers_.last_field(kToken, "client_assertion"), "");
}

TEST_F(UpstreamAuthorizerTest, SaysWhatAMachineLacks) {
  settings_.kind = GrantKind::ClientCredentials;

  EXPECT_THAT(message(refused(401, challenge())), HasSubstr("shop needs a client_id"));
}

TEST_F(UpstreamAuthorizerTest, ShowsTheTokenOfAWorkloadAndDoesNotTryTwice) {
  settings_.kind = GrantKind::JwtBearer;
  settings_.assertion = [] { return Result<Secret>{Secret{"workload-token"}}; };
  servers_.instead(kToken, json_answer(R"({"error":"invalid_grant"})", 400));

  auto const result = refused(401, challenge());

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message + result.error().detail, Not(HasSubstr("workload-token")));
  EXPECT_FALSE(refused(401, challenge()));
  EXPECT_EQ(servers_.times(kToken), 1);
  EXPECT_EQ(servers_.last_field(kToken, "grant_type"),
            "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(servers_.last_field(kToken, "assertion"), "workload-token");
  EXPECT_THAT(servers_.last(kToken).body, Not(HasSubstr("client_id")));
}

TEST_F(UpstreamAuthorizerTest, ExchangesAnIdentityAtTheCompanysProvider) {
  auto const* const idp = "POST https://idp.example/token";
  settings_.kind = GrantKind::EnterpriseManaged;
  settings_.client = {.client_id = "gateway", .client_secret = Secret{"s"}};
  settings_.assertion = [] { return Result<Secret>{Secret{"id-token"}}; };
  settings_.identity_provider = {.token_url = "https://idp.example/token", .client_id = "at-idp"};
  servers_.on(idp,
              json_answer(R"({"access_token":"the-jag","token_type":"N_A",)"
                          R"("issued_token_type":"urn:ietf:params:oauth:token-type:id-jag"})"));

  EXPECT_EQ(message(refused(401, challenge())), "true");

  EXPECT_EQ(servers_.last_field(idp, "grant_type"),
            "urn:ietf:params:oauth:grant-type:token-exchange");
  EXPECT_EQ(servers_.last_field(idp, "requested_token_type"),
            "urn:ietf:params:oauth:token-type:id-jag");
  EXPECT_EQ(servers_.last_field(idp, "subject_token"), "id-token");
  EXPECT_EQ(servers_.last_field(idp, "audience"), "https://as.example");
  EXPECT_EQ(servers_.last_field(idp, "resource"), kServer);
  EXPECT_EQ(servers_.last_field(idp, "client_id"), "at-idp");
  EXPECT_EQ(servers_.last_field(kToken, "assertion"), "the-jag");
  EXPECT_NE(servers_.last(kToken).headers.find("Authorization"), nullptr);
}

TEST_F(UpstreamAuthorizerTest, DoesNotPassOnATokenOfTheProviderItself) {
  settings_.kind = GrantKind::EnterpriseManaged;
  settings_.client = {.client_id = "gateway", .client_secret = Secret{"s"}};
  settings_.assertion = [] { return Result<Secret>{Secret{"id-token"}}; };
  settings_.identity_provider = {.token_url = "https://idp.example/token"};
  servers_.on("POST https://idp.example/token", json_answer(token_answer("bearer")));

  EXPECT_THAT(message(refused(401, challenge())), HasSubstr("another kind"));
  EXPECT_EQ(servers_.times(kToken), 0);
}

class UpstreamProofs : public UpstreamAuthorizerTest {
 protected:
  void SetUp() override {
    settings_.kind = GrantKind::ClientCredentials;
    settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
    servers_.instead(
        fakes::kIssuerMetadata,
        json_answer(issuer_document(R"(,"dpop_signing_alg_values_supported":["ES256"])")));
    servers_.instead(kToken,
                     json_answer(R"({"access_token":"d1","token_type":"DPoP","expires_in":900})"));
    ASSERT_EQ(message(refused(401, challenge("DPoP"))), "true");
  }
  std::string proof() { return *headers()->find("DPoP"); }
  Result<bool> wants_nonce(std::string const& nonce, std::string const& sent_proof) {
    http::Headers const answer{{"WWW-Authenticate", R"(DPoP error="use_dpop_nonce")"},
                               {"DPoP-Nonce", nonce}};
    http::Headers const sent{{"Authorization", "DPoP d1"}, {"DPoP", sent_proof}};
    return test::run(authorizer().refused(401, answer, sent, {}));
  }
};

TEST_F(UpstreamProofs, ComeAnewWithEachRequest) {
  EXPECT_EQ(token(), "DPoP d1");
  EXPECT_NE(proof(), proof());
  EXPECT_NE(servers_.last(kToken).headers.find("DPoP"), nullptr);
}

TEST_F(UpstreamProofs, HaveTheNonceThatTheServerWants) {
  auto const before = proof();

  EXPECT_EQ(message(wants_nonce("n1", before)), "true");

  EXPECT_EQ(nonce_in(proof()), "n1");
  EXPECT_EQ(message(wants_nonce("n2", proof())), "true");
  EXPECT_EQ(nonce_in(proof()), "n2");
  EXPECT_EQ(servers_.times(kToken), 1);
}

TEST_F(UpstreamProofs, AreNotTriedForEverWithOneNonce) {
  EXPECT_EQ(message(wants_nonce("n1", proof())), "true");

  EXPECT_NE(message(wants_nonce("n1", proof())), "true");
}

}  // namespace
}  // namespace sallyport::oauth::upstream
