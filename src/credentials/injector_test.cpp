#include "src/credentials/injector.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

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

struct Injected {
  Injection injection;
  http::Headers headers;
};

Task<Injected> inject_into(std::vector<Rule> rules, std::string url, http::Headers headers) {
  Injector const injector{std::move(rules)};
  auto const target = *url::Url::parse(url);
  RequestContext const request;
  auto injection = co_await injector.inject(target, "GET", {.request = request}, headers);
  co_return Injected{std::move(injection), std::move(headers)};
}

Injected inject(std::vector<Rule> rules, std::string url = "https://api.example/v1",
                http::Headers headers = {}) {
  return *test::run(inject_into(std::move(rules), std::move(url), std::move(headers)));
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
