// Whom `http_request` serves, and how far it reaches.
#include "tests/integration/http_request_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class HttpRequestReachTest : public HttpRequestTest {
 protected:
  std::vector<std::string> tools_of(std::string const& token) {
    std::vector<std::string> names;
    auto const answer = parsed(ask_as(token, {.method = "tools/list"}).body);
    for (auto const& tool : answer.at("result").at("tools").as_array()) {
      names.emplace_back(json::view(tool.at("name").as_string()));
    }
    return names;
  }

  RecordingOrigin origin_{
      [](std::string const& request) { return Origin::ok(RecordingOrigin::path_of(request)); }};
};

TEST_F(HttpRequestReachTest, AppsSeeItAndModelsDoNot) {
  serve_for(origin_);

  EXPECT_THAT(tools_of(kAlice), Contains("http_request"));
  EXPECT_THAT(tools_of(kModel), Not(Contains("http_request")));
  EXPECT_THAT(tools_of(kModel), Contains("fetch"));

  auto const refused = ask_as(kModel, modern_call("http_request", R"({"url":"/"})"));
  EXPECT_EQ(code_of(refused.body), -32602) << refused.body;
  EXPECT_EQ(origin_.count(), 0u);
}

TEST_F(HttpRequestReachTest, ThereIsNoneWithoutABackend) {
  serve();

  EXPECT_THAT(tools_of(kAlice), Not(Contains("http_request")));
}

TEST_F(HttpRequestReachTest, PathsStandBelowTheBase) {
  serve_for(origin_, "/api");

  EXPECT_EQ(call({{"url", "/cart?x=1"}}).body(), "/api/cart?x=1");
  EXPECT_EQ(call({{"url", "cart"}}).body(), "/api/cart");
  EXPECT_EQ(call({{"url", origin_.url("/api/cart")}}).body(), "/api/cart");
}

TEST_F(HttpRequestReachTest, NoSpellingLeadsOutOfTheBase) {
  serve_for(origin_, "/api");
  auto const port = origin_.url().substr(std::string_view{"http://127.0.0.1"}.size());

  for (auto const& url : std::vector<std::string>{
           "/../apix",
           "/..",
           "/%2e%2e/admin",
           "/.%2E/admin",
           "/..%2fadmin",
           "/%2e%2e%2fadmin",
           "/%252e%252e/admin",
           "/..;/admin",
           "/x/../../admin",
           "\\..\\admin",
           "/..\\admin",
           "/..%5cadmin",
           "//127.0.0.1" + port + "admin",
           "\\\\127.0.0.1" + port + "admin",
           "/\\127.0.0.1" + port + "admin",
           "/\t/127.0.0.1" + port + "admin",
           origin_.url("/apix"),
           origin_.url("/"),
           origin_.url("/api/../admin"),
           "http://localhost" + port + "api/x",
           "http://example.com/api/",
           "file:///etc/passwd",
       }) {
    auto const reply = call({{"url", url}});

    EXPECT_TRUE(reply.is_error()) << url << " led to " << origin_.last();
    EXPECT_THAT(reply.error_code(), testing::AnyOf("policy_denied", "invalid_input")) << url;
  }
  EXPECT_EQ(origin_.count(), 0u) << origin_.last();
}

TEST_F(HttpRequestReachTest, PathsAreOfferedByWholeSegments) {
  add_backend("api", origin_.url()).paths = {"/api"};
  serve();

  EXPECT_EQ(call({{"url", "/api"}}).body(), "/api");
  EXPECT_EQ(call({{"url", "/api/x"}}).body(), "/api/x");
  for (auto const* const url : {"/apix", "/", "/API", "/api/../x", "/api%2f..%2fx"}) {
    EXPECT_EQ(call({{"url", url}}).error_code(), "policy_denied") << url;
  }
  EXPECT_EQ(origin_.count(), 2u);
}

TEST_F(HttpRequestReachTest, OnlyTheOfferedMethodsAreSent) {
  add_backend("api", origin_.url()).methods = {"GET"};
  serve();

  auto const reply = call({{"url", "/"}, {"method", "delete"}});

  EXPECT_EQ(reply.error_code(), "policy_denied");
  EXPECT_THAT(reply.text(), HasSubstr("DELETE"));
  EXPECT_EQ(call({{"url", "/"}, {"method", "TRACE"}}).error_code(), "invalid_input");
  EXPECT_EQ(origin_.count(), 0u);
}

TEST_F(HttpRequestReachTest, APrivateAddressIsReachedOnlyWhereTheBackendSaysSo) {
  add_backend("inside", origin_.url());
  add_backend("unsaid", origin_.url()).private_network = false;
  serve();

  EXPECT_EQ(call({{"url", "/"}, {"backend", "inside"}}).status(), 200);
  auto const blocked = call({{"url", "/"}, {"backend", "unsaid"}});
  EXPECT_EQ(blocked.error_code(), "egress_blocked");
  EXPECT_EQ(call({{"url", "/"}, {"backend", "nobody"}}).error_code(), "not_found");
  EXPECT_EQ(origin_.count(), 1u);
}

TEST_F(HttpRequestReachTest, TheOperatorsPolicyHasTheLastWord) {
  settings_.egress.policy.deny = {
      {.reach = {.hosts = {"127.0.0.1"}, .schemes = {"http"}, .path_prefixes = {"/private"}},
       .operations = {"http_request"},
       .name = "nothing private"}};
  serve_for(origin_);

  EXPECT_EQ(call({{"url", "/private/x"}}).error_code(), "policy_denied");
  EXPECT_EQ(call({{"url", "/public"}}).status(), 200);
}

TEST_F(HttpRequestReachTest, TheRateOfABackendIsThatOfEachPrincipal) {
  add_backend("api", origin_.url()).rate = {.count = 2, .period = 1h};
  serve();

  EXPECT_EQ(call({{"url", "/1"}}).status(), 200);
  EXPECT_EQ(call({{"url", "/2"}}).status(), 200);
  EXPECT_EQ(call({{"url", "/3"}}).error_code(), "limit_exceeded");
  EXPECT_EQ(call({{"url", "/3"}}, kBob).status(), 200);
}

TEST_F(HttpRequestReachTest, TheCallerWaitsNoLongerThanItWants) {
  Origin const silent{Origin::silent()};
  add_backend("silent", silent.url());
  serve();

  auto const reply = call({{"url", "/"}, {"timeoutMs", 100}});

  EXPECT_EQ(reply.error_code(), "deadline_exceeded");
}

}  // namespace
}  // namespace sallyport::test
