#include "src/oauth/jwt_verifier.hpp"

#include "tests/support/run.hpp"
#include "tests/support/signing_key.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;
using test::SigningKey;

struct FakeClient final : http::Client {
  Task<http::Response> send(http::ClientRequest) override {
    ++calls;
    co_return http::Response{.body = keys};
  }
  int calls{0};
  std::string keys;
};

class JwtVerifierTest : public testing::Test {
 protected:
  JwtVerifierTest() { client_.keys = test::key_set({old_key_.jwk("old")}); }

  static JwtOptions options() {
    return {.issuer = "https://as.example",
            .audiences = {"us"},
            .jwks_url = "https://as.example/keys",
            .minimum_refresh_interval = 30s};
  }

  static std::string token(SigningKey const& key, std::string_view kid,
                           std::string_view audience = "us") {
    json::Object const claims{
        {"iss", "https://as.example"}, {"aud", audience}, {"exp", 1000}, {"sub", "alice"}};
    return key.token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", kid}}, claims);
  }

  Result<Principal> verify(std::string token) {
    return test::run(verifier_->verify(std::move(token)));
  }

  SigningKey old_key_ = SigningKey::p256();
  SigningKey new_key_ = SigningKey::p256();
  FakeClient client_;
  std::chrono::system_clock::time_point wall_{900s};
  Clock::time_point steady_{1000h};
  std::unique_ptr<JwtVerifier> verifier_ = *JwtVerifier::create(
      options(), &client_,
      {.wall = [this] { return wall_; }, .steady = [this] { return steady_; }});
};

TEST_F(JwtVerifierTest, FollowsTheRotationOfKeys) {
  ASSERT_TRUE(verify(token(old_key_, "old")));
  client_.keys = test::key_set({old_key_.jwk("old"), new_key_.jwk("new")});

  steady_ += 29s;
  EXPECT_FALSE(verify(token(new_key_, "new")));  // not asked again so soon
  steady_ += 1s;
  EXPECT_TRUE(verify(token(new_key_, "new")));
  EXPECT_TRUE(verify(token(old_key_, "old")));

  EXPECT_EQ(client_.calls, 2);
}

TEST_F(JwtVerifierTest, DropsAKeyThatTheServerDropped) {
  ASSERT_TRUE(verify(token(old_key_, "old")));
  client_.keys = test::key_set({new_key_.jwk("new")});

  steady_ += 1h;

  EXPECT_FALSE(verify(token(old_key_, "old")));
}

TEST_F(JwtVerifierTest, ATokenThatIsRefusedAnywayCausesNoFetch) {
  ASSERT_TRUE(verify(token(old_key_, "old")));
  steady_ += 30s;

  EXPECT_FALSE(verify(token(new_key_, "invented", "somebody else")));
  EXPECT_EQ(client_.calls, 1);
  EXPECT_FALSE(verify(token(new_key_, "invented")));
  EXPECT_EQ(client_.calls, 2);
}

TEST_F(JwtVerifierTest, ABadSignatureUnderAKnownKidCausesNoFetch) {
  ASSERT_TRUE(verify(token(old_key_, "old")));
  steady_ += 30s;

  EXPECT_FALSE(verify(token(new_key_, "old")));

  EXPECT_EQ(client_.calls, 1);
}

TEST_F(JwtVerifierTest, RefusesATokenOnceItHasExpired) {
  auto const good = token(old_key_, "old");
  ASSERT_TRUE(verify(good));

  wall_ += 1h;

  auto const late = verify(good);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "The token has expired.");
}

}  // namespace
}  // namespace sallyport::oauth
