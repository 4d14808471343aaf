// What `http_request` does on an app's behalf: redirects, cookies, the operator's credentials.
#include "tests/integration/http_request_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string redirect(int status, std::string const& to, std::string const& more = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: " + to + "\r\n" + more +
         "Content-Length: 0\r\n\r\n";
}

class HttpRequestRedirectTest : public HttpRequestTest {
 protected:
  RecordingOrigin elsewhere_{[](std::string const&) { return Origin::ok("elsewhere"); }};
  RecordingOrigin origin_{[this](std::string const& request) {
    auto const path = RecordingOrigin::path_of(request);
    if (path == "/base/see") return redirect(303, "/base/end?x=1");
    if (path == "/base/keep") return redirect(307, "end");
    if (path == "/base/out") return redirect(302, elsewhere_.url());
    if (path == "/base/above") return redirect(302, "/admin");
    if (path == "/base/loop") return redirect(302, "/base/loop");
    return Origin::ok(request.substr(0, request.find(' ')) + " " +
                      RecordingOrigin::body_of(request));
  }};
};

TEST_F(HttpRequestRedirectTest, FollowsThemAndTellsWhereTheyLed) {
  serve_for(origin_, "/base");

  auto const seen = call({{"url", "/see"}, {"method", "POST"}, {"body", "data"}});
  EXPECT_EQ(seen.body(), "GET ");
  EXPECT_EQ(seen.facts().at("url"), "/end?x=1");
  EXPECT_EQ(seen.facts().at("redirected"), true);
  EXPECT_EQ(seen.facts().at("type"), "basic");

  auto const kept = call({{"url", "/keep"}, {"method", "POST"}, {"body", "data"}});
  EXPECT_EQ(kept.body(), "POST data");
}

TEST_F(HttpRequestRedirectTest, FailsOrStopsThereWhereTheAppSaysSo) {
  serve_for(origin_, "/base");

  auto const refused = call({{"url", "/see"}, {"redirect", "error"}});
  EXPECT_EQ(refused.error_code(), "upstream_failed");

  auto const manual = call({{"url", "/see"}, {"redirect", "manual"}});
  EXPECT_EQ(manual.status(), 303);
  EXPECT_EQ(manual.facts().at("type"), "opaqueredirect");
  EXPECT_EQ(manual.facts().at("redirected"), false);
  EXPECT_EQ(manual.facts().at("headers").at("location"), "/base/end?x=1");
  EXPECT_EQ(origin_.count(), 2u);
}

TEST_F(HttpRequestRedirectTest, NeverLeaveTheBackend) {
  serve_for(origin_, "/base");

  for (auto const* const path : {"/out", "/above"}) {
    auto const reply = call({{"url", path}});
    EXPECT_TRUE(reply.is_error()) << path;
    EXPECT_EQ(reply.error_code(), "policy_denied") << reply.text();
  }
  EXPECT_EQ(elsewhere_.count(), 0u);
  EXPECT_EQ(origin_.count(), 2u);
}

TEST_F(HttpRequestRedirectTest, ComeToAnEnd) {
  settings_.http_request.max_redirects = 3;
  serve_for(origin_, "/base");

  EXPECT_EQ(call({{"url", "/loop"}}).error_code(), "limit_exceeded");
  EXPECT_EQ(origin_.count(), 4u);
}

class HttpRequestCookieTest : public HttpRequestTest {
 protected:
  void SetUp() override { serve_for(origin_); }

  // The cookies that the origin is sent.
  std::string cookies_of(std::string const& token, std::string const& credentials = "same-origin") {
    call({{"url", "/me"}, {"credentials", credentials}, {"cache", "no-store"}}, token);
    return RecordingOrigin::field_of(origin_.last(), "Cookie");
  }

  RecordingOrigin origin_{[](std::string const& request) {
    auto const path = RecordingOrigin::path_of(request);
    if (path == "/login") {
      return Origin::ok("in",
                        "Set-Cookie: sid=secret-session; HttpOnly; Path=/\r\n"
                        "Set-Cookie: lang=en; Max-Age=600\r\n");
    }
    if (path == "/logout") return Origin::ok("out", "Set-Cookie: sid=; Max-Age=0; Path=/\r\n");
    if (path == "/start") return redirect(302, "/me", "Set-Cookie: hop=1\r\n");
    return Origin::ok("me");
  }};
};

TEST_F(HttpRequestCookieTest, AreKeptSentBackAndNeverShown) {
  auto const login = call({{"url", "/login"}, {"method", "POST"}});

  EXPECT_EQ(cookies_of(kAlice), "sid=secret-session; lang=en");
  EXPECT_THAT(json::to_text(login.result), Not(HasSubstr("secret-session")));

  call({{"url", "/logout"}});
  EXPECT_EQ(cookies_of(kAlice), "lang=en");
}

TEST_F(HttpRequestCookieTest, OfOnePrincipalAreNobodyElses) {
  call({{"url", "/login"}});

  EXPECT_EQ(cookies_of(kBob), "");
  EXPECT_EQ(cookies_of(kAlice), "sid=secret-session; lang=en");
}

TEST_F(HttpRequestCookieTest, AreNeitherSentNorKeptWithOmit) {
  call({{"url", "/login"}, {"credentials", "omit"}});
  EXPECT_EQ(cookies_of(kAlice), "");

  call({{"url", "/login"}});
  EXPECT_EQ(cookies_of(kAlice, "omit"), "");
  EXPECT_EQ(cookies_of(kAlice), "sid=secret-session; lang=en");
}

TEST_F(HttpRequestCookieTest, OfARedirectGoAlongToItsTarget) {
  call({{"url", "/start"}});

  EXPECT_THAT(RecordingOrigin::path_of(origin_.last()), "/me");
  EXPECT_EQ(RecordingOrigin::field_of(origin_.last(), "Cookie"), "hop=1");
}

class HttpRequestCredentialTest : public HttpRequestTest {
 protected:
  static credentials::Rule key(std::string header, bool overrides = false) {
    return {.header = std::move(header),
            .source = credentials::fixed_source(Secret{"operators-secret"}),
            .override_caller = overrides,
            .name = "key"};
  }
  std::string sent(std::string const& name) {
    return RecordingOrigin::field_of(origin_.last(), name);
  }

  RecordingOrigin origin_{[](std::string const&) { return Origin::ok("fine"); }};
};

TEST_F(HttpRequestCredentialTest, AreAddedForTheBackendAndSeenByNobody) {
  add_backend("api", origin_.url("/v1")).credentials = {key("Authorization")};
  serve();

  auto const reply = call({{"url", "/x"}, {"headers", json::Object{{"Authorization", "mine"}}}});

  EXPECT_EQ(sent("Authorization"), "operators-secret");
  EXPECT_THAT(json::to_text(reply.result), Not(HasSubstr("operators-secret")));

  call({{"url", "/x"}, {"credentials", "omit"}, {"cache", "no-store"}});
  EXPECT_EQ(sent("Authorization"), "");
}

TEST_F(HttpRequestCredentialTest, ReplaceWhatTheAppSetOnlyWhereTheySaySo) {
  add_backend("yields", origin_.url()).credentials = {key("X-Api-Key")};
  add_backend("overrides", origin_.url()).credentials = {key("X-Api-Key", true)};
  serve();
  json::Object arguments{{"url", "/"}, {"headers", json::Object{{"X-Api-Key", "mine"}}}};

  arguments["backend"] = "yields";
  call(arguments);
  EXPECT_EQ(sent("X-Api-Key"), "mine");

  arguments["backend"] = "overrides";
  call(arguments);
  EXPECT_EQ(sent("X-Api-Key"), "operators-secret");
}

TEST_F(HttpRequestCredentialTest, DoNotGoToAnotherBackend) {
  RecordingOrigin other{[](std::string const&) { return Origin::ok("other"); }};
  add_backend("api", origin_.url()).credentials = {key("X-Api-Key")};
  add_backend("other", other.url());
  serve();

  call({{"url", "/"}, {"backend", "other"}});

  ASSERT_EQ(other.count(), 1u);
  EXPECT_EQ(RecordingOrigin::field_of(other.last(), "X-Api-Key"), "");
}

}  // namespace
}  // namespace sallyport::test
