#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include "tests/support/run.hpp"
#include "tests/support/signing_key.hpp"

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
using testing::SizeIs;

// YAML: one rule in egress.inject.
Loaded load_rule(std::string const& rule, Variables environment = {}) {
  return load_text("egress:\n  inject:\n    - " + rule + "\n", std::move(environment));
}

// --egress-inject, as often as there are texts.
Loaded load_flags(std::vector<std::string> texts, std::string const& yaml = "",
                  Variables environment = {}) {
  return load_text(yaml, std::move(environment),
                   {{find_setting("egress.inject"), std::move(texts)}});
}

std::string value_of(credentials::Rule const& rule) {
  RequestContext const request;
  return sallyport::test::run(rule.source->value({.request = request}))->reveal();
}

std::string const kAuth =
    "auth: {type: oauth_client_credentials, token_url: https://as.example/token, client_id: shop, "
    "client_secret: hunter2";

oauth::TokenOptions const& options_of(Loaded const& loaded) {
  return *loaded.settings.egress.inject.at(0).source->token_options();
}

TEST(InjectRules, AreReadInTheirShortestForm) {
  auto const loaded = load_rule(R"({"host":"api.x.com","headers":{"Authorization":"Bearer abc"}})");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rules = loaded.settings.egress.inject;
  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_EQ(rules[0].header, "Authorization");
  EXPECT_EQ(rules[0].name, "egress.inject[0]");
  EXPECT_EQ(value_of(rules[0]), "Bearer abc");
  EXPECT_THAT(rules[0].reach.hosts, ElementsAre("api.x.com"));
  EXPECT_THAT(rules[0].reach.methods, IsEmpty());
  EXPECT_THAT(rules[0].reach.schemes, IsEmpty());
  EXPECT_FALSE(rules[0].override_caller);
  EXPECT_EQ(rules[0].on_failure, credentials::OnFailure::Refuse);
}

TEST(InjectRules, AreReadWithAllTheirFields) {
  auto const loaded = load_text(R"(egress:
  inject:
    - name: shop
      host: "*.Example.COM"
      methods: [get, " Post "]
      schemes: [HTTP, https]
      ports: [80, 8443]
      path_prefix: /v1
      headers: {X-One: 1, " X-Two ": "  2  "}
      override: true
      on_failure: continue
    - hosts: ["*.example.org", a.example]
      path_prefixes: [/a, /b]
      header: X-Three
      value: three
)");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rules = loaded.settings.egress.inject;
  ASSERT_THAT(rules, SizeIs(3));
  for (auto const* const rule : {&rules[0], &rules[1]}) {
    EXPECT_EQ(rule->name, "shop");
    EXPECT_THAT(rule->reach.hosts, ElementsAre("*.example.com", "example.com"));
    EXPECT_THAT(rule->reach.methods, ElementsAre("GET", "POST"));
    EXPECT_THAT(rule->reach.schemes, ElementsAre("http", "https"));
    EXPECT_THAT(rule->reach.ports, ElementsAre(80, 8443));
    EXPECT_THAT(rule->reach.path_prefixes, ElementsAre("/v1"));
    EXPECT_TRUE(rule->override_caller);
    EXPECT_EQ(rule->on_failure, credentials::OnFailure::Continue);
  }
  EXPECT_EQ(rules[1].header, "X-Two");
  EXPECT_EQ(value_of(rules[1]), "2");
  EXPECT_THAT(rules[2].reach.hosts, ElementsAre("*.example.org", "a.example"));
  EXPECT_THAT(rules[2].reach.path_prefixes, ElementsAre("/a", "/b"));
}

TEST(InjectRules, TakeTheirValuesFromVariablesAndFiles) {
  TemporaryFile const secret{"from-a-file\nand no more\n"};
  auto const loaded = load_text(
      "egress:\n"
      "  inject:\n"
      "    - {header: A, host: a.example, value: hunter2}\n"
      "    - {header: B, host: a.example, value: \"env:TEST_KEY\"}\n"
      "    - {header: C, host: a.example, value: \"file:" +
          secret.path() +
          "\"}\n"
          "    - {header: D, host: a.example, value_env: TEST_KEY}\n"
          "    - {header: E, host: a.example, value_file: " +
          secret.path() +
          "}\n"
          "    - {host: a.example, headers: {F: \"env:TEST_KEY\", G: \"file:" +
          secret.path() + "\"}}\n",
      {{"TEST_KEY", "from-a-variable"}});

  ASSERT_THAT(problems(loaded), IsEmpty());
  std::string values;
  for (auto const& rule : loaded.settings.egress.inject) {
    values += rule.header + "=" + value_of(rule) + " ";
  }
  EXPECT_EQ(values,
            "A=hunter2 B=from-a-variable C=from-a-file D=from-a-variable E=from-a-file "
            "F=from-a-variable G=from-a-file ");
}

TEST(InjectRules, ReadATokenSourceWithItsDefaults) {
  auto const loaded = load_rule("{host: api.x.com, " + kAuth + "}}");

  ASSERT_THAT(problems(loaded), IsEmpty());
  EXPECT_EQ(loaded.settings.egress.inject[0].header, "Authorization");
  auto const& options = options_of(loaded);
  EXPECT_EQ(options.token_url, "https://as.example/token");
  EXPECT_EQ(options.client_id, "shop");
  EXPECT_EQ(options.client_secret.reveal(), "hunter2");
  EXPECT_EQ(options.client_auth, oauth::ClientAuth::SecretPost);
  EXPECT_EQ(options.refresh_buffer, std::chrono::seconds{30});
  EXPECT_EQ(options.assumed_lifetime, std::chrono::seconds{300});
  EXPECT_EQ(options.timeout, std::chrono::seconds{10});
}

TEST(InjectRules, ReadATokenSourceWithAllItsFields) {
  auto const loaded = load_rule(
      "{host: api.x.com, " + kAuth +
          ", header: X-Token, client_auth: client_secret_basic, scope: \" a b \", audience: aud, "
          "resource: [\"https://r.example/\", urn:x], parameters: {tenant: \"env:TEST_TENANT\"}, "
          "refresh_buffer_secs: 5, assumed_lifetime_secs: 60, timeout: 2s}}",
      {{"TEST_TENANT", "t1"}});

  ASSERT_THAT(problems(loaded), IsEmpty());
  EXPECT_EQ(loaded.settings.egress.inject[0].header, "X-Token");
  auto const& options = options_of(loaded);
  EXPECT_EQ(options.client_auth, oauth::ClientAuth::SecretBasic);
  EXPECT_EQ(options.scope, "a b");
  EXPECT_EQ(options.audience, "aud");
  EXPECT_THAT(options.resources, ElementsAre("https://r.example/", "urn:x"));
  EXPECT_THAT(options.parameters, ElementsAre(testing::Pair("tenant", "t1")));
  EXPECT_EQ(options.refresh_buffer, std::chrono::seconds{5});
  EXPECT_EQ(options.assumed_lifetime, std::chrono::seconds{60});
  EXPECT_EQ(options.timeout, std::chrono::seconds{2});
}

TEST(InjectRules, ReadAPrivateKeyFromAWholeFile) {
  TemporaryFile const key{sallyport::test::SigningKey::p256().pem()};
  auto const rule = [&](std::string const& more) {
    return load_rule(
        "{host: a.example, auth: {type: oauth_client_credentials, client_id: shop, "
        "token_url: https://as.example/token, client_auth: private_key_jwt, " +
        more + "}}");
  };

  auto const good = rule("private_key: \"file:" + key.path() +
                         "\", key_id: k1, assertion_audience: https://as.example");
  ASSERT_THAT(problems(good), IsEmpty());
  EXPECT_EQ(options_of(good).private_key->algorithm(), oauth::Algorithm::Es256);
  EXPECT_EQ(options_of(good).key_id, "k1");
  EXPECT_EQ(options_of(good).assertion_audience, "https://as.example");

  EXPECT_THAT(problems(rule("key_id: k1")).at(0), HasSubstr("auth.private_key: is missing"));
  EXPECT_THAT(problems(rule("private_key: hunter2")).at(0),
              HasSubstr("auth.private_key: must be a private key in PEM format"));
  EXPECT_THAT(problems(rule("algorithm: RS256, private_key: \"file:" + key.path() + "\"")).at(0),
              HasSubstr("auth.private_key: is not a key for that algorithm"));
  EXPECT_THAT(
      problems(rule("client_secret: hunter2, private_key: \"file:" + key.path() + "\"")).at(0),
      HasSubstr("auth.client_secret: is not used by private_key_jwt"));
}

// Each of them would be a rule that does something else than its author believes.
TEST(InjectRules, NameTheRuleAndWhatIsWrongWithIt) {
  auto const with_auth = [](std::string const& fields) {
    return "{host: a.example, auth: {" + fields + "}}";
  };
  std::string const type = "type: oauth_client_credentials, ";
  std::string const url = "token_url: https://as.example/t, ";
  std::pair<std::string, std::string> const cases[] = {
      {"{host: a.example, header: X, value: v, colour: red}", "[0].colour: unknown key"},
      {"{host: a.example, header: X, value: v, methds: [GET]}", "did you mean methods?"},
      {"{host: \" \", header: X, value: v}", "[0].host: must be a host"},
      {"{host: \"*\", header: X, value: v}", "[0].host: must be a host"},
      {"{host: \"*example.com\", header: X, value: v}", "[0].host: must be a host"},
      {"{host: \"a.*.example\", header: X, value: v}", "[0].host: must be a host"},
      {"{host: \"*.\", header: X, value: v}", "[0].host: must be a host"},
      {"{host: \"a.example:443\", header: X, value: v}", "[0].host: must be a host"},
      {"{hosts: [\"*\"], header: X, value: v}", "[0].hosts: \"*\" must be a host"},
      {"{header: X, value: v}", "[0].host: is missing; name who may see the value"},
      {"{host: a.example, hosts: [b.example], header: X, value: v}",
       "[0].host: cannot be used together with hosts"},
      {"{host: a.example, path_prefix: /a, path_prefixes: [/b], header: X, value: v}",
       "[0].path_prefix: cannot be used together with path_prefixes"},
      {"{host: a.example, header: \" \", value: v}", "[0].header: must be"},
      {"{host: a.example, header: X, value: \" \"}", "[0].value: the value is empty"},
      {"{host: a.example, header: X}", "must have exactly one of value, value_env and value_file"},
      {"{host: a.example, value: v}", "[0]: needs header"},
      {"{host: a.example, header: X, value: v, value_env: TEST_KEY}", "exactly one of value"},
      {"{host: a.example, header: X, value: \"env:TEST_ABSENT\"}",
       "[0].value: the variable TEST_ABSENT is not set"},
      {"{host: a.example, header: X, value: \"file:/does/not/exist\"}",
       "[0].value: the file cannot be read"},
      {"{host: a.example}", "[0]: must have exactly one of headers, header with value, and auth"},
      {"{host: a.example, headers: {X: v}, " + kAuth + "}}",
       "[0]: must have exactly one of headers"},
      {"{host: a.example, header: X, value: v, " + kAuth + "}}", "[0]: must have exactly one of"},
      {"{host: a.example, header: X, " + kAuth + "}}", "[0]: must have exactly one of headers"},
      {"{host: a.example, headers: {X: v}, header: Y, value: v}", "[0]: must have exactly one of"},
      {"{host: a.example, headers: {}}", "[0].headers: must have at least one header"},
      {"{host: a.example, headers: [X]}", "[0].headers: must have at least one header"},
      {"{host: a.example, headers: {X: v, X: w}}", "[0].headers.X: is there twice"},
      {"{host: a.example, headers: {X-Key: v, x-key: w}}",
       "[0].headers.x-key: is there twice, in another case"},
      {"{host: a.example, headers: {\"X Y\": v}}", "[0].headers.X Y: must be"},
      {"{host: a.example, headers: {Content-Length: 5}}",
       "[0].headers.Content-Length: is a header that only the connection itself may set"},
      {"{host: a.example, header: HOST, value: b.example}", "[0].header: is a header that only"},
      {"{host: a.example, headers: {X: [v]}}", "[0].headers.X: must have one value"},
      {"{host: a.example, headers: {X: \"\"}}", "[0].headers.X: the value is empty"},
      {"{host: a.example, headers: {X: v}, override: perhaps}", "[0].override: must be"},
      {"{host: a.example, headers: {X: v}, on_failure: shrug}",
       "[0].on_failure: must be one of refuse, continue"},
      {"{host: a.example, headers: {X: v}, methods: [\"G T\"]}", "[0].methods: \"G T\" must be"},
      {"{host: a.example, headers: {X: v}, schemes: [ftp]}", "[0].schemes: \"ftp\" must be"},
      {"{host: a.example, headers: {X: v}, ports: [0]}", "[0].ports: \"0\" must be a port"},
      {"{host: a.example, headers: {X: v}, path_prefix: v1}", "[0].path_prefix: must be a path"},
      {"{host: a.example, override: true, " + kAuth + "}}",
       "[0]: cannot have override together with auth"},
      {with_auth("type: password, " + url + "client_id: a, client_secret: b"),
       "[0].auth.type: must be oauth_client_credentials"},
      {with_auth(url + "client_id: a, client_secret: b"), "[0].auth.type: is missing"},
      {with_auth(type + "client_id: a, client_secret: b"), "[0].auth.token_url: is missing"},
      {with_auth(type + "token_url: \" \", client_id: a, client_secret: b"),
       "[0].auth.token_url: must not be empty"},
      {with_auth(type + "token_url: http://as.example/t, client_id: a, client_secret: b"),
       "[0].auth.token_url: must be an https URL"},
      {with_auth(type + url + "client_secret: b"), "[0].auth.client_id: is missing"},
      {with_auth(type + url + "client_id: \" \", client_secret: b"),
       "[0].auth.client_id: must not be empty"},
      {with_auth(type + url + "client_id: a"), "[0].auth.client_secret: is missing"},
      {with_auth(type + url + "client_id: a, client_secret: \" \""),
       "[0].auth.client_secret: must not be empty"},
      {with_auth(type + url + "client_id: a, client_secret: b, header: \"X Y\""),
       "[0].auth.header: must be"},
      {with_auth(type + url + "client_id: a, client_secret: b, client_auth: tls"),
       "[0].auth.client_auth: must be one of client_secret_post, client_secret_basic"},
      {with_auth(type + url + "client_id: a, client_secret: b, key_id: k"),
       "[0].auth.client_auth: must be private_key_jwt where"},
      {with_auth(type + url + "client_id: a, client_secret: b, refresh_buffer_secs: soon"),
       "[0].auth.refresh_buffer_secs: must be 0 to 86400 seconds"},
      {with_auth(type + url + "client_id: a, client_secret: b, timeout: 1h"),
       "[0].auth.timeout: must be 1ms to 5m"},
      {with_auth(type + url + "client_id: a, client_secret: b, parameters: {scope: x}"),
       "[0].auth.parameters.scope: cannot be set here"},
      {with_auth(type + url + "client_id: a, client_secret: b, secret: c"),
       "[0].auth.secret: unknown key"},
      {"{host: a.example, auth: true}", "[0].auth: must have keys"},
  };
  for (auto const& [rule, problem] : cases) {
    auto const loaded = load_rule(rule, {{"TEST_KEY", "y"}});
    ASSERT_THAT(loaded.problems, SizeIs(1)) << rule;
    EXPECT_THAT(problems(loaded)[0], HasSubstr("egress.inject[0]")) << rule;
    EXPECT_THAT(problems(loaded)[0], HasSubstr(problem)) << rule;
    EXPECT_THAT(loaded.settings.egress.inject, IsEmpty()) << rule;
  }
}

TEST(InjectRules, NeverTellTheirValues) {
  TemporaryFile const secret{"hun\tter2\x01\n"};
  auto const loaded = load_text(
      "egress:\n"
      "  inject:\n"
      "    - {header: X-A, host: a.example, value: \"hunter2\\r\\nX-B: 1\"}\n"
      "    - {header: X-A, host: a.example, value_env: TEST_KEY}\n"
      "    - {header: X-A, host: a.example, value: [hunter2]}\n"
      "    - {header: X-A, host: a.example, value_file: " +
          secret.path() +
          "}\n"
          "    - {host: a.example, headers: {X-A: [hunter2]}}\n"
          "    - {host: a.example, " +
          kAuth + ", client_auth: private_key_jwt, private_key: hunter2}}\n",
      {{"TEST_KEY", "hunter2\u00E9"}});

  ASSERT_EQ(loaded.problems.size(), 6U);
  for (auto const& problem : problems(loaded)) EXPECT_THAT(problem, Not(HasSubstr("hun")));
  EXPECT_THAT(problems(loaded)[0], HasSubstr("empty or cannot stand in a header"));
}

TEST(InjectRules, AreShownWithoutTheirSecrets) {
  auto const loaded = load_text(
      "egress:\n  inject:\n    - {host: a.example, headers: {X-A: hunter2}, "
      "override: true, on_failure: continue}\n    - {host: b.example, " +
      kAuth + ", scope: read, parameters: {p: hunter2}}}\n");
  ASSERT_THAT(problems(loaded), IsEmpty());

  for (auto const format : {ShowFormat::Yaml, ShowFormat::Json}) {
    auto const shown = show(loaded, format);
    for (auto const* const text :
         {"X-A", "a.example", "https://as.example/token", "shop", "read", "continue"}) {
      EXPECT_THAT(shown, HasSubstr(text));
    }
    EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
  }
  // What is shown can be read again.
  EXPECT_THAT(problems(load_text(show(loaded, ShowFormat::Yaml))), IsEmpty());
}

TEST(InjectFlags, TakeJsonARuleInShortOrAFile) {
  TemporaryFile const file{R"([{"host":"f.example","headers":{"X-File":"f"}},
                               {"host":"g.example","headers":{"X-File":"g"}}])"};
  auto const loaded = load_flags(
      {R"([{"host":"a.example","headers":{"X-A":"a, b"}}])",
       R"( {"host":"b.example","headers":{"X-B":"b"}})",
       "host=c.example,methods=get;post,header=X-C,value=c\\,c=1,override=true", file.path()});

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rules = loaded.settings.egress.inject;
  ASSERT_THAT(rules, SizeIs(5));
  EXPECT_EQ(value_of(rules[0]), "a, b");
  EXPECT_EQ(rules[1].header, "X-B");
  EXPECT_EQ(rules[1].name, "--egress-inject[1]");
  EXPECT_EQ(value_of(rules[2]), "c,c=1");
  EXPECT_THAT(rules[2].reach.methods, ElementsAre("GET", "POST"));
  EXPECT_TRUE(rules[2].override_caller);
  EXPECT_EQ(value_of(rules[4]), "g");
  EXPECT_EQ(rules[4].name, "--egress-inject[3][1]");
}

TEST(InjectFlags, TakeATokenSourceInShort) {
  auto const loaded = load_flags(
      {"host=*.x.com,token_url=https://as.example/t,client_id=shop,client_secret=env:TEST_SECRET,"
       "scope=a b,refresh_buffer_secs=7,header=X-Token,resource=https://r.example/"},
      "", {{"TEST_SECRET", "hunter2"}});

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rule = loaded.settings.egress.inject.at(0);
  EXPECT_EQ(rule.header, "X-Token");
  EXPECT_THAT(rule.reach.hosts, ElementsAre("*.x.com", "x.com"));
  auto const& options = options_of(loaded);
  EXPECT_EQ(options.client_secret.reveal(), "hunter2");
  EXPECT_EQ(options.scope, "a b");
  EXPECT_EQ(options.refresh_buffer, std::chrono::seconds{7});
  EXPECT_THAT(options.resources, ElementsAre("https://r.example/"));
}

// Of several rules for one header the first counts.
TEST(InjectFlags, ComeBeforeTheVariableAndTheFile) {
  auto const loaded = load_flags(
      {"host=a.example,header=X,value=flag1", "host=a.example,header=X,value=flag2"},
      "egress:\n  inject:\n    - {host: a.example, header: X, value: file}\n",
      {{"SALLYPORT_EGRESS_INJECT", R"({"host":"a.example","headers":{"X":"variable"}})"}});

  ASSERT_THAT(problems(loaded), IsEmpty());
  std::string values;
  for (auto const& rule : loaded.settings.egress.inject) values += value_of(rule) + " ";
  EXPECT_EQ(values, "flag1 flag2 variable file ");
  EXPECT_EQ(describe(loaded.origins.at("egress.inject")), "flag --egress-inject");
}

TEST(InjectFlags, SayWhatIsWrongWithoutTheValue) {
  std::pair<std::string, std::string> const cases[] = {
      {R"([{"host":"a.example","headers":{"X":"hunter2"})", "is not YAML"},
      {R"([{"host":"a.example","headers":{"X":"hunter2","X":"hunter2"}}])",
       "--egress-inject[0].headers.X: is there twice"},
      {R"([{"host":"a.example","headers":{"X":"hunter2"},"auth":{}}])", "--egress-inject[0].auth"},
      {R"(["hunter2"])", "--egress-inject[0]: must have keys"},
      {"[]", "must be a rule or a list of rules"},
      {"host=a.example,header=X,value=one,hunter2", "write \\, for a comma in a value"},
      {"host=a.example,hunter2=X,value=v", "has an unknown name before a ="},
      {"host=a.example,header=X,header=Y,value=hunter2", "has header twice"},
      {"host=a.example,header=X,value=hunter2,token_url=https://as.example/t,client_id=a,"
       "client_secret=hunter2",
       "must have exactly one of headers, header with value, and auth"},
      {"host=a.example,token_url=https://as.example/t,client_secret=hunter2",
       "auth.client_id: is missing"},
      {"host=a.example,token_url=https://as.example/t,client_id=a,client_secret=hunter2,"
       "override=true",
       "cannot have override together with auth"},
      {"host=a.example,header=X,value=hunter2,override=perhaps", "override: must be"},
      {"host=,header=X,value=hunter2", "host: must be a host"},
      {"/does/not/exist.json", "is neither a rule nor a file of rules: the file cannot be read"},
  };
  for (auto const& [text, problem] : cases) {
    auto const loaded = load_flags({text});
    ASSERT_FALSE(loaded.good()) << text;
    EXPECT_THAT(problems(loaded)[0], HasSubstr(problem)) << text;
    EXPECT_THAT(problems(loaded)[0], HasSubstr("--egress-inject")) << text;
    for (auto const& said : problems(loaded)) EXPECT_THAT(said, Not(HasSubstr("hunter2"))) << text;
    EXPECT_THAT(loaded.settings.egress.inject, IsEmpty()) << text;
  }
}

TEST(BackendCredentials, AreWrittenLikeRules) {
  auto const loaded = load_text(R"(backends:
  - name: shop
    base_url: https://shop.example/
    credentials:
      - {headers: {X-One: 1, X-Two: 2}, methods: [post]}
      - )" + kAuth + "}\n" + "        on_failure: continue\n");

  ASSERT_THAT(problems(loaded), IsEmpty());
  auto const& rules = loaded.settings.backends.at(0).credentials;
  ASSERT_THAT(rules, SizeIs(3));
  EXPECT_THAT(rules[0].reach.methods, ElementsAre("POST"));
  EXPECT_EQ(rules[2].header, "Authorization");
  EXPECT_EQ(rules[2].name, "backends[0].credentials[1]");
  EXPECT_EQ(rules[2].on_failure, credentials::OnFailure::Continue);
  EXPECT_EQ(rules[2].source->token_options()->client_id, "shop");
  EXPECT_THAT(show(loaded, ShowFormat::Yaml), HasSubstr("https://as.example/token"));
  EXPECT_THAT(show(loaded, ShowFormat::Yaml), Not(HasSubstr("hunter2")));
}

TEST(BackendCredentials, CannotReachAnotherPlace) {
  auto const loaded = load_text(R"(backends:
  - name: shop
    base_url: https://shop.example/
    credentials: [{header: X, value: v, host: other.example}]
)");

  EXPECT_THAT(problems(loaded),
              ElementsAre(HasSubstr("backends[0].credentials[0].host: unknown key")));
}

}  // namespace
}  // namespace sallyport::config
