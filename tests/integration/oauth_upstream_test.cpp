// Signing in with an authorization server that we did not write (oidc-provider), over real sockets:
// registration, code flow, refresh with rotation, more rights, proofs, revocation. Skipped, with a
// notice, where the peers are not installed (tests/peers/install).
#include "src/json/parse.hpp"
#include "src/oauth/upstream/sign_in.hpp"
#include "src/oauth/upstream/upstream_authorizer.hpp"
#include "src/store/aead_sealer.hpp"

#include "tests/support/egress.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto* kRedirectUri = "http://127.0.0.1:3917/callback";

// The connector alone: the stages of the road out are tested elsewhere.
class LoopbackClient final : public http::Client {
 public:
  Task<http::Response> send(http::ClientRequest request) override {
    auto dispatch = test::get(request.url);
    dispatch.method = std::move(request.method);
    dispatch.headers = std::move(request.headers);
    dispatch.body = std::move(request.body);
    SP_CO_TRY(auto answer, co_await test::read_all(*connector_, std::move(dispatch)));
    http::Response response{.status = answer.head.status,
                            .headers = std::move(answer.head.headers),
                            .body = std::move(answer.body)};
    if (auto const* const type = response.headers.find("Content-Type")) {
      response.content_type = *type;
    }
    co_return response;
  }

 private:
  std::unique_ptr<egress::CurlConnector> connector_ = test::make_connector();
};

// Follows redirects with cookies until one leads to our redirect URI, and gives its query.
class Browser {
 public:
  explicit Browser(http::Client& client) : client_{client} {}

  std::string follow(std::string url) {
    for (int hop = 0; hop < 12 && !url.starts_with(kRedirectUri); ++hop) {
      http::ClientRequest request{.url = url, .headers = {{"Cookie", cookies()}}};
      auto const answer = test::run(client_.send(std::move(request)));
      EXPECT_TRUE(answer);
      auto const* const location = answer ? answer->headers.find("Location") : nullptr;
      EXPECT_NE(location, nullptr) << (answer ? answer->body : "");
      if (location == nullptr) return {};
      keep_cookies(answer->headers);
      auto const from = test::parse_url(url);
      url = url::Url::parse(*location, &from)->href();
    }
    return url.substr(url.find('?') + 1);
  }

 private:
  std::string cookies() const {
    std::string text;
    for (auto const& [name, value] : jar_) text += name + '=' + value + "; ";
    return text;
  }
  void keep_cookies(http::Headers const& headers) {
    for (auto const& field : headers) {
      if (!http::equals_ignoring_case(field.name, "Set-Cookie")) continue;
      auto const equals = field.value.find('=');
      auto const value = field.value.substr(equals + 1, field.value.find(';') - equals - 1);
      jar_[field.value.substr(0, equals)] = value;
    }
  }

  http::Client& client_;
  std::map<std::string, std::string> jar_;
};

class OauthUpstream : public testing::Test {
 protected:
  void start(std::vector<std::string> variables) {
    variables.emplace_back("TEST_REPORT=1");
    SP_START_PEER(peer_, "oidc_sign_in.mjs", std::move(variables));
    settings_.url = peer_->line();
    ASSERT_THAT(settings_.url, StartsWith("http://127.0.0.1:"));
    auto store =
        GrantStore::open(folder_.file("grants.db"),
                         std::make_unique<store::AeadSealer const>(store::SealingKey::random()));
    ASSERT_TRUE(store);
    store_ = *std::move(store);
    sign_in_ = std::make_unique<SignIn>(client_, *store_);
    authorizer_ = std::make_unique<UpstreamAuthorizer>(
        settings_, client_, *store_, Clocks{.wall = [this] { return WallClock::now() + ahead_; }});
  }

  Result<SignedIn> sign_in() {
    auto const begun = test::run(sign_in_->begin(settings_, kRedirectUri, Deadline::in(10s)));
    if (!begun) return begun.error();
    return test::run(sign_in_->finish({}, Browser{client_}.follow(begun->authorization_url)));
  }

  http::Response ask(http::Headers const& headers, std::string const& query) {
    http::ClientRequest request{.method = "POST", .url = settings_.url + query, .headers = headers};
    auto const answer = test::run(client_.send(std::move(request)));
    EXPECT_TRUE(answer);
    return answer ? *answer : http::Response{.status = 0};
  }
  // What the server says in the end, asking as a client of this port does.
  std::string call(std::string const& query = {}) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      auto const headers =
          test::run(authorizer_->headers_for("POST", settings_.url + query, Deadline::in(10s)));
      if (!headers) return headers.error().message;
      auto const answer = ask(*headers, query);
      if (answer.status == 200) return answer.body;
      auto const again = test::run(
          authorizer_->refused(answer.status, answer.headers, *headers, Deadline::in(10s)));
      if (!again) return again.error().message;
      if (!*again) return "refused";
    }
    return "too many attempts";
  }
  Grant stored() { return (*store_->grant(settings_)).value_or(Grant{}); }
  // The next report of the token endpoint.
  std::string report() {
    auto line = peer_->line();
    while (!line.empty() && !line.starts_with('{')) line = peer_->line();
    return line;
  }

  std::unique_ptr<test::ChildProcess> peer_;
  LoopbackClient client_;
  test::TempFolder folder_;
  ServerSettings settings_{.id = "shop"};
  std::unique_ptr<GrantStore> store_;
  std::unique_ptr<SignIn> sign_in_;
  std::unique_ptr<UpstreamAuthorizer> authorizer_;
  WallClock::duration ahead_{0};
};

TEST_F(OauthUpstream, SignsInAfterRegisteringItselfAndIsLetIn) {
  start({});
  EXPECT_THAT(call(), HasSubstr("sallyport servers login shop"));

  auto const done = sign_in();

  ASSERT_TRUE(done) << done.error().message << " " << done.error().detail;
  EXPECT_TRUE(done->lasting);
  EXPECT_EQ(done->scope, "mcp:read");
  auto const exchange = report();
  EXPECT_THAT(exchange, HasSubstr(R"("grant_type":"authorization_code")"));
  EXPECT_THAT(exchange, HasSubstr(R"("resource":")" + settings_.url));
  EXPECT_THAT(call(), HasSubstr(R"("account":"ada")"));
}

TEST_F(OauthUpstream, RefreshesWithARefreshTokenThatIsNewEachTime) {
  start({});
  ASSERT_TRUE(sign_in());
  auto const first = stored();
  EXPECT_THAT(call(), HasSubstr("ada"));

  ahead_ = 56min;

  EXPECT_THAT(call(), HasSubstr("ada"));
  auto const second = stored();
  EXPECT_NE(second.refresh_token.reveal(), first.refresh_token.reveal());
  EXPECT_NE(second.header_value.reveal(), first.header_value.reveal());
  ahead_ = 2 * 56min;
  EXPECT_THAT(call(), HasSubstr("ada"));
  EXPECT_NE(stored().refresh_token.reveal(), second.refresh_token.reveal());
}

TEST_F(OauthUpstream, HearsThatARefreshTokenWasUsedBefore) {
  start({});
  ASSERT_TRUE(sign_in());
  auto const first = stored();
  ahead_ = 56min;
  EXPECT_THAT(call(), HasSubstr("ada"));

  // A thief, or a copy of the file, uses the old one: the server ends the whole grant.
  ASSERT_TRUE(store_->put(settings_, first));
  UpstreamAuthorizer late{settings_, client_, *store_,
                          Clocks{.wall = [] { return WallClock::now() + 61min; }}};
  auto const headers = test::run(late.headers_for("POST", settings_.url, {}));

  ASSERT_FALSE(headers);
  EXPECT_THAT(headers.error().message, HasSubstr("sallyport servers login shop"));
}

TEST_F(OauthUpstream, SignsInAgainForMoreRights) {
  start({});
  ASSERT_TRUE(sign_in());
  EXPECT_THAT(call("?write"), HasSubstr("more rights"));

  auto const done = sign_in();

  ASSERT_TRUE(done) << done.error().message << " " << done.error().detail;
  EXPECT_THAT(done->scope, HasSubstr("mcp:read"));
  EXPECT_THAT(done->scope, HasSubstr("mcp:write"));
  EXPECT_THAT(call("?write"), HasSubstr("ada"));
}

TEST_F(OauthUpstream, RevokesItsTokensWhenSigningOut) {
  start({});
  ASSERT_TRUE(sign_in());
  auto const grant = stored();
  http::Headers const headers{{"Authorization", grant.header_value.reveal()}};
  EXPECT_EQ(ask(headers, "").status, 200);

  auto const out = test::run(sign_in_->sign_out(settings_));

  ASSERT_TRUE(out) << out.error().message << " " << out.error().detail;
  EXPECT_EQ(ask(headers, "").status, 401);
  EXPECT_THAT(call(), HasSubstr("sallyport servers login shop"));
}

TEST_F(OauthUpstream, ProvesPossessionWithTheNoncesThatBothServersWant) {
  start({"TEST_DPOP=1"});
  auto const done = sign_in();
  ASSERT_TRUE(done) << done.error().message << " " << done.error().detail;
  EXPECT_THAT(stored().header_value.reveal(), StartsWith("DPoP "));

  EXPECT_THAT(call(), HasSubstr("ada"));
  EXPECT_THAT(call(), HasSubstr("ada"));

  // Bound to the same key after a refresh.
  auto const before = stored().header_value;
  http::Headers const sent{{"Authorization", before.reveal()}};
  http::Headers const answer{{"WWW-Authenticate", R"(DPoP error="invalid_token")"}};
  auto const again = test::run(authorizer_->refused(401, answer, sent, Deadline::in(10s)));
  ASSERT_TRUE(again) << again.error().message << " " << again.error().detail;
  EXPECT_TRUE(*again);
  EXPECT_NE(stored().header_value.reveal(), before.reveal());
  EXPECT_THAT(call(), HasSubstr("ada"));
}

}  // namespace
}  // namespace sallyport::oauth::upstream
