#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
    - {hosts: [a.example], operations: [fetch, http_request, jwks]}
  deny:
    - {hosts: [b.example], operations: [http_request]}
    - {hosts: [c.example], operations: [fetch, fetsh]}
)");

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("6:40: egress.deny[1].operations: \"fetsh\" is no operation (did you mean "
                  "fetch?); there are fetch, http_request, jwks"));
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

TEST(InjectRules, TakeTheirValuesFromThreePlaces) {
  TemporaryFile const secret{"from-a-file\n"};
  auto const loaded = load_text(
      "egress:\n"
      "  inject:\n"
      "    - {header: Authorization, hosts: [api.example.com], value: hunter2}\n"
      "    - {header: X-Env, hosts: [a.example], value_env: TEST_KEY, override: true, name: env}\n"
      "    - {header: X-File, hosts: [a.example], schemes: [http], value_file: " +
          secret.path() + "}\n",
      {{"TEST_KEY", "from-a-variable"}});

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rules = loaded.settings.egress.inject;
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].header, "Authorization");
  EXPECT_EQ(rules[0].name, "egress.inject[0]");
  EXPECT_FALSE(rules[0].override_caller);
  EXPECT_THAT(rules[0].reach.schemes, IsEmpty());
  EXPECT_EQ(rules[1].name, "env");
  EXPECT_TRUE(rules[1].override_caller);
  EXPECT_THAT(rules[2].reach.schemes, ElementsAre("http"));
  for (auto const& rule : rules) EXPECT_NE(rule.source, nullptr);
}

TEST(InjectRules, ReportWhatIsMissingOrTooMuch) {
  auto const loaded = load_text(R"(egress:
  inject:
    - {hosts: [a.example], value: x}
    - {header: X-A, value: x}
    - {header: X-A, hosts: [a.example]}
    - {header: X-A, hosts: [a.example], value: x, value_env: TEST_KEY}
    - {header: "X A", hosts: [a.example], value: x}
    - {header: X-A, hosts: [a.example], value_env: TEST_ABSENT}
    - {header: X-A, hosts: [a.example], value_file: /does/not/exist}
    - {header: X-A, hosts: [a.example], value: x, override: perhaps}
)",
                                {{"TEST_KEY", "y"}});

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("3:7: egress.inject[0].header: is missing",
                  "4:7: egress.inject[1].hosts: is missing; name who may see the value",
                  "5:7: egress.inject[2]: must have exactly one of value, value_env and value_file",
                  "6:7: egress.inject[3]: must have exactly one of value, value_env and value_file",
                  "7:16: egress.inject[4].header: must be the name of an HTTP header",
                  "8:52: egress.inject[5].value_env: the variable TEST_ABSENT is not set",
                  "9:53: egress.inject[6].value_file: the file cannot be read",
                  HasSubstr("10:61: egress.inject[7].override: must be")));
}

TEST(InjectRules, NeverTellTheirValues) {
  TemporaryFile const secret{"hun\tter2\n"};
  auto const loaded = load_text(
      "egress:\n"
      "  inject:\n"
      "    - {header: X-A, hosts: [a.example], value: \"hunter2\\r\\nX-B: 1\"}\n"
      "    - {header: X-A, hosts: [a.example], value_env: TEST_KEY}\n"
      "    - {header: X-A, hosts: [a.example], value: \"\"}\n"
      "    - {header: X-A, hosts: [a.example], value: [hunter2]}\n"
      "    - {header: X-A, hosts: [a.example], value_file: " +
          secret.path() + "}\n",
      {{"TEST_KEY", "hunter2\u00E9"}});

  ASSERT_EQ(loaded.problems.size(), 5U);
  for (auto const& problem : problems(loaded)) {
    EXPECT_THAT(problem, Not(HasSubstr("hun")));
  }
  EXPECT_THAT(problems(loaded)[0], HasSubstr("empty or cannot stand in a header"));

  auto const good =
      load_text("egress:\n  inject:\n    - {header: X-A, hosts: [a.example], value: hunter2}\n");
  auto const shown = show(good, ShowFormat::Yaml);
  EXPECT_THAT(shown, HasSubstr("X-A"));
  EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
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
