// Who may come in over HTTP, and as whom.
#include "tests/integration/mcp_service_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::HasSubstr;

constexpr auto* kAlice = "alice-has-a-long-enough-token-0001";
constexpr auto* kBob = "bob-has-a-long-enough-token-0000002";

class McpAuthTest : public McpServiceTest {
 protected:
  void require_tokens() {
    settings_.auth.tokens = {{.principal = "alice", .token = Secret{kAlice}, .scopes = {"read"}},
                             {.principal = "bob", .token = Secret{kBob}, .kind = CallerKind::App}};
    settings_.auth.authorization_servers = {"https://login.example.com"};
    serve();
  }

  static Fields bearer(std::string const& token) { return {{"Authorization", "Bearer " + token}}; }

  json::Object who_am_i(Fields fields, std::string meta = {}) {
    auto request = modern_call("whoami");
    request.fields = std::move(fields);
    request.meta = std::move(meta);
    auto const response = ask(request.http());
    EXPECT_EQ(response.status, 200) << response.body;
    return parsed(response.body).at("result").at("structuredContent").as_object();
  }
};

TEST_F(McpAuthTest, AsksForATokenAndTellsWhereToGetOne) {
  require_tokens();
  for (auto const& request :
       {modern_call("whoami").http(), http_request("GET", "/mcp", {}),
        http_request("GET", "/sse", {}), http_request("DELETE", "/mcp", {}),
        http_request("POST", "/messages", {}, "{}"), post(initialize("2025-11-25")),
        post(initialize("2025-11-25"), bearer("wrong-token-of-a-fair-length-0000")),
        post(initialize("2025-11-25"), {{"Authorization", "Basic YTpi"}})}) {
    auto const response = ask(request);

    EXPECT_EQ(response.status, 401) << request;
    auto const challenge = header(response, "WWW-Authenticate");
    EXPECT_THAT(challenge, testing::StartsWith("Bearer "));
    EXPECT_THAT(challenge, HasSubstr("/.well-known/oauth-protected-resource"));
  }
}

TEST_F(McpAuthTest, DescribesItselfAtBothWellKnownPaths) {
  require_tokens();
  for (auto const* path :
       {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}) {
    auto const response = ask(http_request("GET", path, {}));

    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(header(response, "Content-Type"), "application/json");
    auto const document = parsed(response.body);
    EXPECT_EQ(document.at("resource"), "http://127.0.0.1/mcp");
    EXPECT_EQ(document.at("authorization_servers").as_array().at(0), "https://login.example.com");
  }
  EXPECT_EQ(ask(http_request("GET", "/.well-known/oauth-protected-resource/other", {})).status,
            404);
}

TEST_F(McpAuthTest, LetsHealthAndMetricsThroughWithoutAToken) {
  require_tokens();
  for (auto const* path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(ask(http_request("GET", path, {})).status, 200) << path;
  }
}

TEST_F(McpAuthTest, KnowsWhoCalls) {
  require_tokens();

  auto const alice = who_am_i(bearer(kAlice));
  auto const bob = who_am_i(bearer(kBob));

  EXPECT_EQ(alice.at("principal"), "alice");
  EXPECT_EQ(alice.at("authenticated"), true);
  EXPECT_EQ(alice.at("scopes").as_array().at(0), "read");
  EXPECT_EQ(alice.at("caller"), "unknown");
  EXPECT_EQ(bob.at("principal"), "bob");
  EXPECT_EQ(bob.at("caller"), "app");
}

TEST_F(McpAuthTest, BelievesTheTokenMoreThanTheMessageAboutTheKindOfCaller) {
  require_tokens();

  EXPECT_EQ(who_am_i(bearer(kAlice), R"("sallyport/caller":"model")").at("caller"), "model");
  EXPECT_EQ(who_am_i(bearer(kAlice), R"("sallyport/caller":"app")").at("caller"), "app");
  EXPECT_EQ(who_am_i(bearer(kBob), R"("sallyport/caller":"model")").at("caller"), "app");
}

TEST_F(McpAuthTest, HidesASessionFromOtherPrincipals) {
  require_tokens();
  auto const session = open_session("2025-11-25", "{}", bearer(kAlice));
  auto stolen = session;
  stolen[0] = bearer(kBob)[0];
  auto const ping = legacy("1", "ping");

  EXPECT_EQ(ask(post(ping, stolen)).status, 404);
  EXPECT_EQ(ask(http_request("GET", "/mcp", stolen)).status, 404);
  EXPECT_EQ(ask(http_request("DELETE", "/mcp", stolen)).status, 404);
  EXPECT_EQ(ask(post(ping, session)).status, 200);
}

TEST_F(McpAuthTest, HidesAnSseStreamFromOtherPrincipals) {
  require_tokens();
  auto stream = events(http_request("GET", "/sse", bearer(kAlice)));
  auto const endpoint = stream.next();
  ASSERT_TRUE(endpoint);
  auto const ping = legacy("1", "ping");

  EXPECT_EQ(ask(http_request("POST", endpoint->data, bearer(kBob), ping)).status, 404);
  EXPECT_EQ(ask(http_request("POST", endpoint->data, bearer(kAlice), ping)).status, 202);
}

TEST_F(McpAuthTest, BelievesATrustedProxy) {
  settings_.auth.forward = oauth::ForwardAuthOptions{.proxies = {"127.0.0.1"}};
  serve();

  EXPECT_EQ(who_am_i({{"X-Forwarded-User", "carol"}}).at("principal"), "carol");
  EXPECT_EQ(ask(modern_call("whoami").http()).status, 401);
}

TEST_F(McpAuthTest, DoesNotBelieveTheHeadersOfAnyoneElse) {
  settings_.auth.forward = oauth::ForwardAuthOptions{.proxies = {"10.0.0.0/8"}};
  serve();
  auto request = modern_call("whoami");
  request.fields = {{"X-Forwarded-User", "carol"}, {"X-Forwarded-For", "10.0.0.1"}};

  EXPECT_EQ(ask(request.http()).status, 401);
}

TEST_F(McpAuthTest, AsksNobodyOnLoopbackByDefault) {
  serve();

  auto const me = who_am_i({{"X-Forwarded-User", "carol"}});

  EXPECT_EQ(me.at("authenticated"), false);
  EXPECT_EQ(me.at("principal"), "");
  EXPECT_EQ(ask(http_request("GET", "/.well-known/oauth-protected-resource", {})).status, 404);
}

}  // namespace
}  // namespace sallyport::test
