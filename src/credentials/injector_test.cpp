#include "src/credentials/injector.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <utility>

namespace sallyport::credentials {
namespace {

constexpr auto* kSecret = "s3cr3t-value";

struct NoSource final : Source {
  Task<Secret> value(Ask const&) override {
    co_return fail(Errc::CredentialUnavailable, "There is no token.", kSecret);
  }
};

struct ThrowingSource final : Source {
  Task<Secret> value(Ask const&) override {
    throw std::runtime_error{"broken"};
    co_return Secret{};
  }
};

Rule rule(std::string host = "api.example") {
  return {.reach = {.hosts = {std::move(host)}},
          .header = "Authorization",
          .source = fixed_source(Secret{kSecret}),
          .name = "api token"};
}

// A source of tokens as the injector sees one.
struct TokenLike final : Source {
  Task<Secret> value(Ask const&) override {
    ++asked;
    if (error) co_return *error;
    co_return Secret{kSecret};
  }
  bool renews() const noexcept override { return true; }
  Async<bool> renew(Secret const& refused, Ask const&) override {
    EXPECT_EQ(refused.reveal(), kSecret);
    ++renewed;
    co_return has_another;
  }

  int asked{0};
  int renewed{0};
  bool has_another{true};
  std::optional<Error> error;
};

struct Injected {
  Injection injection;
  http::Headers headers;
};

Task<Injected> inject_into(std::vector<Rule> rules, std::string url, http::Headers headers,
                           std::string method) {
  Injector const injector{std::move(rules)};
  auto const target = *url::Url::parse(url);
  RequestContext const request;
  auto injection = co_await injector.inject(target, method, {.request = request}, headers);
  co_return Injected{std::move(injection), std::move(headers)};
}

Injected inject(std::vector<Rule> rules, std::string url = "https://api.example/v1",
                http::Headers headers = {}, std::string method = "GET") {
  return *test::run(
      inject_into(std::move(rules), std::move(url), std::move(headers), std::move(method)));
}

TEST(Injector, AddsTheHeaderForAHostThatTheRuleNames) {
  auto const [injection, headers] = inject({rule()});

  ASSERT_NE(headers.find("authorization"), nullptr);
  EXPECT_EQ(*headers.find("authorization"), kSecret);
  EXPECT_EQ(injection.added, std::vector<std::string>{"Authorization"});
  EXPECT_FALSE(injection.refuse());
}

TEST(Injector, SendsNothingToAnyOtherHostSchemeOrPort) {
  auto pinned = rule();
  pinned.reach.ports = {443};
  for (auto const* url :
       {"https://evil.example/", "https://api.example.evil.test/", "http://api.example/",
        "https://a.api.example/", "https://api.example:8443/"}) {
    EXPECT_EQ(inject({pinned}, url).headers.size(), 0U) << url;
  }
}

TEST(Injector, SendsNothingForARuleWithoutHosts) {
  auto open = rule();
  open.reach.hosts.clear();

  EXPECT_EQ(inject({open}).headers.size(), 0U);
}

TEST(Injector, GoesWithoutTlsOnlyWhereTheRuleSaysSo) {
  auto plain = rule();
  plain.reach.schemes = {"http"};

  EXPECT_EQ(inject({plain}, "http://api.example/").headers.size(), 1U);
  EXPECT_EQ(inject({plain}, "https://api.example/").headers.size(), 0U);
}

TEST(Injector, LeavesTheCallersHeaderUnlessTheRuleOverridesIt) {
  auto strong = rule();
  strong.override_caller = true;

  auto const kept = inject({rule()}, "https://api.example/", {{"AUTHORIZATION", "mine"}});
  auto const replaced = inject({strong}, "https://api.example/",
                               {{"AUTHORIZATION", "mine"}, {"authorization", "mine too"}});

  EXPECT_EQ(*kept.headers.find("Authorization"), "mine");
  EXPECT_TRUE(kept.injection.added.empty());
  EXPECT_EQ(replaced.headers.count("Authorization"), 1U);
  EXPECT_EQ(*replaced.headers.find("Authorization"), kSecret);
}

TEST(Injector, TakesTheFirstRuleForAHeaderEvenWhenALaterOneOverrides) {
  auto later = rule();
  later.source = fixed_source(Secret{"later"});
  later.override_caller = true;

  auto const [injection, headers] = inject({rule(), later});

  EXPECT_EQ(headers.count("Authorization"), 1U);
  EXPECT_EQ(*headers.find("Authorization"), kSecret);
  EXPECT_EQ(injection.added.size(), 1U);
}

TEST(Injector, AsksTheNextRuleWhenTheFirstHasNoValue) {
  auto broken = rule();
  broken.source = std::make_shared<NoSource>();
  broken.on_failure = OnFailure::Continue;
  broken.name = "";

  auto const [injection, headers] = inject({broken, rule()});

  EXPECT_EQ(injection.failed, std::vector<std::string>{"Authorization"});
  EXPECT_FALSE(injection.refuse());
  EXPECT_EQ(*headers.find("Authorization"), kSecret);
}

TEST(Injector, ASourceThatFailsRefusesOrContinuesAsItsRuleSays) {
  for (auto const& source : std::initializer_list<std::shared_ptr<Source>>{
           std::make_shared<NoSource>(), std::make_shared<ThrowingSource>()}) {
    auto strict = rule();
    strict.source = source;
    auto lenient = strict;
    lenient.on_failure = OnFailure::Continue;

    auto const refused = inject({strict});
    auto const continued = inject({lenient});

    EXPECT_TRUE(refused.injection.refuse());
    EXPECT_EQ(refused.injection.failed, std::vector<std::string>{"api token"});
    EXPECT_FALSE(continued.injection.refuse());
    EXPECT_EQ(continued.injection.failed, std::vector<std::string>{"api token"});
    EXPECT_EQ(continued.headers.size(), 0U);
  }
}

TEST(Injector, TreatsAValueThatCannotBeSentAsNone) {
  for (auto const* value : {"", "a\r\nX-Evil: 1"}) {
    auto bad = rule();
    bad.source = fixed_source(Secret{value});

    auto const [injection, headers] = inject({bad});

    EXPECT_EQ(headers.size(), 0U);
    EXPECT_TRUE(injection.refuse());
  }
}

TEST(Injector, KnowsHostsInAnyCaseAndNoLookAlikes) {
  auto wide = rule("*.example.com");
  wide.reach.hosts.emplace_back("example.com");
  std::pair<char const*, bool> const cases[] = {{"https://example.com/", true},
                                                {"https://API.Example.COM/", true},
                                                {"https://a.b.example.com/", true},
                                                {"https://example.com./", true},
                                                {"https://example.com.evil.test/", false},
                                                {"https://evilexample.com/", false},
                                                {"https://xample.com/", false},
                                                {"https://example.co/", false},
                                                {"https://example.community/", false},
                                                {"https://com/", false}};
  for (auto const& [url, reached] : cases) {
    EXPECT_EQ(inject({wide}, url).headers.size(), reached ? 1U : 0U) << url;
  }
}

TEST(Injector, KnowsMethodsInAnyCaseAndAllWhereNoneIsNamed) {
  auto posting = rule();
  posting.reach.methods = {"POST", "PURGE"};

  for (auto const* method : {"POST", "post", "Purge"}) {
    EXPECT_EQ(inject({posting}, "https://api.example/", {}, method).headers.size(), 1U) << method;
  }
  EXPECT_EQ(inject({posting}, "https://api.example/", {}, "GET").headers.size(), 0U);
  EXPECT_EQ(inject({rule()}, "https://api.example/", {}, "PURGE").headers.size(), 1U);
}

TEST(Injector, KnowsPathsByWholeSegments) {
  auto narrow = rule();
  narrow.reach.path_prefixes = {"/v1"};
  std::pair<char const*, bool> const cases[] = {{"https://api.example/v1", true},
                                                {"https://api.example/v1/x", true},
                                                {"https://api.example/v10", false},
                                                {"https://api.example/", false},
                                                {"https://api.example/v1/..%2fv2", false}};
  for (auto const& [url, reached] : cases) {
    EXPECT_EQ(inject({narrow}, url).headers.size(), reached ? 1U : 0U) << url;
  }
}

TEST(Injector, TreatsAWebSocketAsARequestToItsHost) {
  EXPECT_EQ(inject({rule()}, "wss://api.example/socket").headers.size(), 1U);
  EXPECT_EQ(inject({rule()}, "ws://api.example/socket").headers.size(), 0U);
  EXPECT_EQ(inject({rule()}, "wss://other.example/socket").headers.size(), 0U);
}

TEST(Injector, AddsEveryHeaderOfARule) {
  auto second = rule();
  second.header = "X-Tenant";
  second.name = "tenant";

  auto const [injection, headers] = inject({rule(), second});

  EXPECT_EQ(injection.added, (std::vector<std::string>{"Authorization", "X-Tenant"}));
  EXPECT_EQ(injection.by, (std::vector<std::string>{"api token", "tenant"}));
  EXPECT_EQ(headers.size(), 2U);
}

TEST(Injector, AsksASourceOnlyWhereItsHeaderIsNeeded) {
  auto const tokens = std::make_shared<TokenLike>();
  auto token_rule = rule();
  token_rule.source = tokens;
  token_rule.reach.methods = {"GET"};

  inject({token_rule}, "https://other.example/");
  inject({token_rule}, "http://api.example/");
  inject({token_rule}, "https://api.example/", {}, "POST");
  inject({token_rule}, "https://api.example/", {{"authorization", "mine"}});
  EXPECT_EQ(tokens->asked, 0);

  inject({token_rule});
  EXPECT_EQ(tokens->asked, 1);
}

Task<bool> renewal(Injection const& injection) {
  RequestContext const request;
  co_return co_await injection.renew({.request = request});
}

TEST(Injector, RenewsWhatWasAddedAndCanBeRenewed) {
  auto const tokens = std::make_shared<TokenLike>();
  auto token_rule = rule();
  token_rule.source = tokens;

  EXPECT_FALSE(*test::run(renewal(inject({rule()}).injection)));
  EXPECT_FALSE(*test::run(renewal(inject({token_rule}, "https://other.example/").injection)));
  auto both = inject({rule()}).injection;
  both.join(inject({token_rule}).injection);
  EXPECT_EQ(both.added.size(), 2U);
  EXPECT_TRUE(*test::run(renewal(both)));
  tokens->has_another = false;
  EXPECT_FALSE(*test::run(renewal(both)));
  EXPECT_EQ(tokens->renewed, 2);
}

TEST(Injector, EndsWhenTimeOrPatienceEnd) {
  for (auto const code : {Errc::DeadlineExceeded, Errc::Cancelled}) {
    auto const tokens = std::make_shared<TokenLike>();
    tokens->error = fail(code, "over");
    auto token_rule = rule();
    token_rule.source = tokens;

    auto const [injection, headers] = inject({token_rule, rule()});

    ASSERT_TRUE(injection.interrupted);
    EXPECT_EQ(injection.interrupted->code, code);
    EXPECT_EQ(headers.size(), 0U);
  }
}

TEST(Injector, TellsTheCallerHostHeaderRuleAndReason) {
  auto broken = rule();
  broken.source = std::make_shared<NoSource>();

  EXPECT_EQ(inject({broken}).injection.refusals,
            std::vector<std::string>{
                "Authorization for api.example (rule \"api token\"): There is no token."});
}

// `sallyport check` sends nothing.
TEST(TokenSource, GivesAStandInWhereNothingMayBeSent) {
  auto const source = token_source({.token_url = "https://as.example/token"});
  RequestContext const request;

  EXPECT_EQ(test::run(source->value({.request = request}))->reveal(),
            "Bearer stand-in-for-a-token");
  EXPECT_NE(source->token_options(), nullptr);
  EXPECT_TRUE(source->renews());
}

TEST(TokenSource, CountsUnderTheNameOfItsRule) {
  Metrics metrics;

  token_source({.token_url = "https://as.example/token"})->measure(metrics, "shop");
  fixed_source(Secret{kSecret})->measure(metrics, "fixed");

  EXPECT_NE(metrics.render().find(R"(sallyport_token_cache_hits_total{rule="shop"} 0)"),
            std::string::npos);
  EXPECT_EQ(metrics.render().find("fixed"), std::string::npos);
}

TEST(Injector, NeverSaysASecret) {
  auto failing = rule();
  failing.source = std::make_shared<NoSource>();
  failing.header = "X-Key";
  for (auto const& rules : {std::vector{rule(), failing}, std::vector{failing, rule()}}) {
    auto const injection = inject(rules).injection;
    std::vector<std::string> said = injection.added;
    said.insert(said.end(), injection.failed.begin(), injection.failed.end());

    EXPECT_EQ(said.size(), 2U);
    for (auto const& text : said) EXPECT_EQ(text.find(kSecret), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sallyport::credentials
