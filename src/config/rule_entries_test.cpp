#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PolicyRules, AreReadWithAllTheirFields) {
  auto const loaded = load_text(R"(egress:
  allow:
    - name: docs
      hosts: [docs.example.com, "*.example.org"]
      methods: [GET, HEAD]
      schemes: [https]
      ports: [443, 8443]
      path_prefixes: [/guide]
      operations: [fetch]
      principals: [alice]
    - hosts: ["[2001:db8::1]", 192.0.2.1]
  deny:
    - path_prefixes: [/admin]
)");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& policy = loaded.settings.egress.policy;
  ASSERT_EQ(policy.allow.size(), 2U);
  auto const& docs = policy.allow[0];
  EXPECT_EQ(docs.name, "docs");
  EXPECT_THAT(docs.reach.hosts, ElementsAre("docs.example.com", "*.example.org"));
  EXPECT_THAT(docs.reach.methods, ElementsAre("GET", "HEAD"));
  EXPECT_THAT(docs.reach.schemes, ElementsAre("https"));
  EXPECT_THAT(docs.reach.ports, ElementsAre(443, 8443));
  EXPECT_THAT(docs.reach.path_prefixes, ElementsAre("/guide"));
  EXPECT_THAT(docs.operations, ElementsAre("fetch"));
  EXPECT_THAT(docs.principals, ElementsAre("alice"));
  EXPECT_THAT(policy.allow[1].reach.hosts, ElementsAre("[2001:db8::1]", "192.0.2.1"));
  ASSERT_EQ(policy.deny.size(), 1U);
  EXPECT_THAT(policy.deny[0].reach.path_prefixes, ElementsAre("/admin"));
}

TEST(PolicyRules, ReportEverythingThatIsWrongWithThem) {
  auto const loaded = load_text(R"(egress:
  allow:
    - hosts: [Example.COM]
    - hosts: [https://example.com/]
    - hosts: example.com
    - methods: ["GET /"]
    - schemes: [ftp]
    - ports: [0, 70000]
    - path_prefixes: [admin]
    - host: [example.com]
    - just a text
)");

  auto const host = " must be a host in lower case and ASCII, such as example.com or *.example.com";
  EXPECT_THAT(
      problems(loaded),
      ElementsAre("3:14: egress.allow[0].hosts: \"Example.COM\"" + std::string{host},
                  "4:14: egress.allow[1].hosts: \"https://example.com/\"" + std::string{host},
                  "5:14: egress.allow[2].hosts: must be a list",
                  "6:16: egress.allow[3].methods: \"GET /\" must be a method such as GET",
                  HasSubstr("7:16: egress.allow[4].schemes: \"ftp\" must be"),
                  "8:14: egress.allow[5].ports: \"0\" must be a port, 1 to 65535",
                  "9:22: egress.allow[6].path_prefixes: \"admin\" must be a path that "
                  "starts with / and has no ? or #",
                  HasSubstr("10:7: egress.allow[7].host: unknown key"),
                  "11:7: egress.allow[8]: must have keys such as name"));
}

// A deny rule for "fetsh" denied nothing, and nobody was told.
TEST(PolicyRules, NameOnlyOperationsThatThereAre) {
  auto const loaded = load_text(R"(egress:
  allow:
    - {hosts: [a.example], operations: [fetch, http_request, websocket, jwks]}
  deny:
    - {hosts: [b.example], operations: [http_request]}
    - {hosts: [c.example], operations: [fetch, fetsh]}
)");

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("6:40: egress.deny[1].operations: \"fetsh\" is no operation (did you mean "
                  "fetch?); there are fetch, http_request, websocket, mcp, oauth, jwks, policy"));
}

// A list that someone emptied was meant to reach nobody; left empty it would reach everybody.
TEST(PolicyRules, NeverTakeAnEmptyListForAny) {
  for (auto const* const field :
       {"hosts", "methods", "schemes", "ports", "path_prefixes", "operations", "principals"}) {
    auto const loaded =
        load_text("egress:\n  allow:\n    - {name: x, " + std::string{field} + ": []}\n");

    ASSERT_EQ(loaded.problems.size(), 1U) << field;
    EXPECT_THAT(problems(loaded)[0], HasSubstr("must not be empty")) << field;
  }
  EXPECT_THAT(problems(load_text("egress:\n  allow: []\n")),
              ElementsAre("2:10: egress.allow: must not be empty"));
}

TEST(RateRules, AreReadAndShownAsTheyAreWritten) {
  auto const loaded = load_text(R"(egress:
  rates:
    - {rate: 10/s, host: "*.example.com", path_prefix: /search}
    - {rate: 9/day}
)");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rates = loaded.settings.egress.limits.per_path;
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].host, "*.example.com");
  EXPECT_EQ(rates[0].path_prefix, "/search");
  EXPECT_EQ(rates[0].rate.count, 10U);
  EXPECT_EQ(rates[1].path_prefix, "/");
  auto const shown = show(loaded, ShowFormat::Yaml);
  EXPECT_THAT(shown, HasSubstr("10/s"));
  EXPECT_THAT(shown, HasSubstr("9/day"));
}

TEST(RateRules, ReportWhatIsWrong) {
  auto const loaded = load_text(R"(egress:
  rates:
    - {host: a.example}
    - {rate: often}
    - {rate: 0/s}
    - {rate: 1/s, host: "a.example:80"}
    - {rate: 1/s, path_prefix: search}
)");

  EXPECT_THAT(problems(loaded),
              ElementsAre("3:7: egress.rates[0].rate: is missing",
                          HasSubstr("4:14: egress.rates[1].rate: \"often\" is no rate"),
                          HasSubstr("5:14: egress.rates[2].rate: \"0/s\" is no rate"),
                          HasSubstr("6:25: egress.rates[3].host: must be a host"),
                          HasSubstr("7:32: egress.rates[4].path_prefix: must be a path")));
}

}  // namespace
}  // namespace sallyport::config
