#include "src/policy/allowlist.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

namespace sallyport::policy {
namespace {

bool holds(Reach const& reach, std::string_view url, std::string_view method = "GET") {
  return reach.holds(*url::Url::parse(url), method);
}

struct Asked {
  std::string url{"https://docs.example/guide/a?token=hush"};
  std::string method{"GET"};
  std::string operation{"fetch"};
  std::string principal{"ada"};
};

Decision decide(AllowlistOptions options, Asked const& asked) {
  Allowlist allowlist{std::move(options)};
  auto const url = *url::Url::parse(asked.url);
  http::Headers const headers;
  RequestContext request;
  request.principal.id = asked.principal;
  Query const query{.operation = asked.operation,
                    .purpose = asked.operation,
                    .url = url,
                    .method = asked.method,
                    .headers = headers,
                    .request = request,
                    .tool = "fetch",
                    .server = ""};
  return *test::run(allowlist.decide(query));
}

TEST(Reach, WithoutAnythingHoldsEverything) {
  EXPECT_TRUE(holds({}, "http://10.0.0.1:81/x", "DELETE"));
}

TEST(Reach, HoldsAHostExactlyWhateverItsSpelling) {
  Reach const reach{.hosts = {"Docs.example"}};

  EXPECT_TRUE(holds(reach, "https://docs.example/"));
  EXPECT_TRUE(holds(reach, "https://DOCS.Example./"));
  EXPECT_FALSE(holds(reach, "https://a.docs.example/"));
  EXPECT_FALSE(holds(reach, "https://docs.example.evil.test/"));
  EXPECT_FALSE(holds(reach, "https://xdocs.example/"));
  EXPECT_FALSE(holds(reach, "mailto:docs.example"));
}

TEST(Reach, AStarHoldsEverySubdomainButNotTheSuffixItself) {
  Reach const reach{.hosts = {"*.example.com"}};

  EXPECT_TRUE(holds(reach, "https://a.example.com/"));
  EXPECT_TRUE(holds(reach, "https://a.b.EXAMPLE.com/"));
  EXPECT_TRUE(holds(reach, "https://a.example.com./"));
  EXPECT_FALSE(holds(reach, "https://example.com/"));
  EXPECT_FALSE(holds(reach, "https://badexample.com/"));
  EXPECT_FALSE(holds(reach, "https://a.example.com.evil.test/"));
}

TEST(Reach, AStarNeverHoldsAnAddress) {
  EXPECT_FALSE(holds({.hosts = {"*.0.0.1"}}, "http://10.0.0.1/"));
  EXPECT_TRUE(holds({.hosts = {"10.0.0.1"}}, "http://0x0a000001/"));
}

TEST(Reach, ComparesMethodsInAnyCaseAndPortsByWhatIsDialled) {
  EXPECT_TRUE(holds({.methods = {"get", "HEAD"}}, "https://a.example/", "GET"));
  EXPECT_FALSE(holds({.methods = {"get"}}, "https://a.example/", "POST"));
  EXPECT_TRUE(holds({.ports = {443}}, "https://a.example/"));
  EXPECT_TRUE(holds({.ports = {8443}}, "https://a.example:8443/"));
  EXPECT_FALSE(holds({.ports = {443}}, "https://a.example:8443/"));
  EXPECT_FALSE(holds({.ports = {443}}, "http://a.example/"));
  EXPECT_FALSE(holds({.schemes = {"https"}}, "http://a.example/"));
}

TEST(Reach, HoldsPathsByWholeSegments) {
  Reach const reach{.path_prefixes = {"/api", "/v2/"}};

  EXPECT_TRUE(holds(reach, "https://a.example/api"));
  EXPECT_TRUE(holds(reach, "https://a.example/api/x?y"));
  EXPECT_TRUE(holds(reach, "https://a.example/v2/x"));
  EXPECT_FALSE(holds(reach, "https://a.example/apix"));
  EXPECT_FALSE(holds(reach, "https://a.example/api/../admin"));
  EXPECT_FALSE(holds(reach, "https://a.example/x/api"));
}

TEST(Reach, NeedsEveryPartToHold) {
  Reach const reach{.hosts = {"a.example"}, .methods = {"GET"}, .path_prefixes = {"/x"}};

  EXPECT_TRUE(holds(reach, "https://a.example/x", "GET"));
  EXPECT_FALSE(holds(reach, "https://a.example/x", "PUT"));
  EXPECT_FALSE(holds(reach, "https://a.example/y", "GET"));
  EXPECT_FALSE(holds(reach, "https://b.example/x", "GET"));
}

TEST(Allowlist, WithoutRulesAllowsEverything) {
  EXPECT_TRUE(decide({}, {}).allowed);
}

TEST(Allowlist, WithAnAllowRuleAllowsOnlyWhatItHoldsAndNamesIt) {
  AllowlistOptions const options{
      .allow =
          {{.reach = {.hosts = {"other.example"}}, .operations = {}, .principals = {}, .name = ""},
           {.reach = {.hosts = {"docs.example"}},
            .operations = {},
            .principals = {},
            .name = "docs"},
           {.reach = {.hosts = {"third.example"}}, .operations = {}, .principals = {}, .name = ""}},
      .deny = {}};

  auto const allowed = decide(options, {});
  EXPECT_TRUE(allowed.allowed);
  EXPECT_EQ(allowed.reasons, std::vector<std::string>{"rule \"docs\" of egress.allow"});
  EXPECT_EQ(decide(options, {.url = "https://third.example/"}).reasons,
            std::vector<std::string>{"rule 3 of egress.allow"});

  auto const denied = decide(options, {.url = "https://x.example/a?token=hush"});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reasons,
            std::vector<std::string>{"no rule of egress.allow holds GET https://x.example"});
}

TEST(Allowlist, DenyWinsOverAllow) {
  AllowlistOptions const options{.allow = {{.reach = {.hosts = {"docs.example"}},
                                            .operations = {},
                                            .principals = {},
                                            .name = ""}},
                                 .deny = {{.reach = {.hosts = {}, .path_prefixes = {"/guide"}},
                                           .operations = {},
                                           .principals = {},
                                           .name = "no guides"}}};

  auto const denied = decide(options, {});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reasons, std::vector<std::string>{"rule \"no guides\" of egress.deny"});
  EXPECT_TRUE(decide(options, {.url = "https://docs.example/free"}).allowed);
}

TEST(Allowlist, DenyHoldsAPathInEverySpellingAndAllowInItsPlainOneOnly) {
  AllowlistRule const admin{
      .reach = {.path_prefixes = {"/admin"}}, .operations = {}, .principals = {}, .name = ""};

  for (auto const* url : {"https://a.example/%61dmin", "https://a.example/x/..%2Fadmin",
                          "https://a.example/ADMIN/x"}) {
    EXPECT_FALSE(decide({.allow = {}, .deny = {admin}}, {.url = url}).allowed) << url;
    EXPECT_FALSE(decide({.allow = {admin}, .deny = {}}, {.url = url}).allowed) << url;
  }
}

TEST(Reach, OfASchemeHoldsTheWebSocketsOverIt) {
  EXPECT_TRUE(holds({.schemes = {"https"}}, "wss://a.example/"));
  EXPECT_TRUE(holds({.schemes = {"http"}}, "ws://a.example/"));
  EXPECT_FALSE(holds({.schemes = {"https"}}, "ws://a.example/"));
  EXPECT_FALSE(holds({.schemes = {"http"}}, "wss://a.example/"));
}

TEST(Allowlist, DenyAloneLeavesTheRestOpen) {
  AllowlistOptions const options{
      .allow = {},
      .deny = {{.reach = {.methods = {"DELETE"}}, .operations = {}, .principals = {}, .name = ""}}};

  EXPECT_FALSE(decide(options, {.method = "delete"}).allowed);
  EXPECT_TRUE(decide(options, {}).allowed);
}

TEST(Allowlist, RulesMayBeForSomeOperationsAndPrincipalsOnly) {
  AllowlistOptions const options{
      .allow = {{.reach = {}, .operations = {"fetch"}, .principals = {"ada", "bob"}, .name = ""}},
      .deny = {}};

  EXPECT_TRUE(decide(options, {}).allowed);
  EXPECT_FALSE(decide(options, {.operation = "http_request"}).allowed);
  EXPECT_FALSE(decide(options, {.operation = "websocket"}).allowed);
  EXPECT_FALSE(decide(options, {.principal = "eve"}).allowed);
  EXPECT_FALSE(decide(options, {.principal = ""}).allowed);
}

}  // namespace
}  // namespace sallyport::policy
