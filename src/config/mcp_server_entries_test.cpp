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
using testing::Not;

TEST(McpServerEntries, AreReadWithAllTheirFields) {
  TemporaryFile const secret{"from-a-file\n"};
  auto const loaded = load_text(
      "mcp_servers:\n"
      "  - name: shop\n"
      "    url: https://mcp.example.com/mcp?tenant=1\n"
      "    headers: {X-Key: hunter2, X-Env: {env: TEST_KEY}, X-File: {file: " +
          secret.path() +
          "}, X-Old: env:TEST_KEY}\n"
          "    private_network: true\n"
          "    oauth: {client_id: us, client_secret: env:TEST_KEY, scopes: [a, b]}\n"
          "    tools: {allow: [get_*], deny: [\"*delete*\"]}\n"
          "    timeout: 1s\n"
          "    call_timeout: 2s\n"
          "    max_timeout: 3m\n"
          "    notification_timeout: 4s\n"
          "  - name: files\n"
          "    enabled: false\n"
          "    command: npx\n"
          "    args: [-y, server]\n"
          "    env: {A: \"\", B: {env: TEST_KEY}}\n"
          "    cwd: /tmp\n",
      {{"TEST_KEY", "from-a-variable"}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  ASSERT_EQ(loaded.settings.mcp_servers.size(), 2U);
  auto const& shop = loaded.settings.mcp_servers[0];
  EXPECT_TRUE(shop.enabled);
  ASSERT_TRUE(shop.server.http);
  EXPECT_FALSE(shop.server.program);
  EXPECT_EQ(shop.server.http->url.href(), "https://mcp.example.com/mcp?tenant=1");
  EXPECT_TRUE(shop.server.http->private_network);
  ASSERT_EQ(shop.server.http->headers.size(), 4U);
  EXPECT_EQ(shop.server.http->headers[1].second.reveal(), "from-a-variable");
  EXPECT_EQ(shop.server.http->headers[2].second.reveal(), "from-a-file");
  EXPECT_EQ(shop.server.http->headers[3].second.reveal(), "from-a-variable");
  EXPECT_THAT(shop.server.tools.allow, ElementsAre("get_*"));
  EXPECT_THAT(shop.server.tools.deny, ElementsAre("*delete*"));
  EXPECT_EQ(shop.server.times.request, std::chrono::seconds{1});
  EXPECT_EQ(shop.server.times.tool_call, std::chrono::seconds{2});
  EXPECT_EQ(shop.server.times.longest, std::chrono::minutes{3});
  EXPECT_EQ(shop.server.times.notification, std::chrono::seconds{4});
  EXPECT_EQ(shop.oauth.id, "shop");
  EXPECT_EQ(shop.oauth.url, "https://mcp.example.com/mcp?tenant=1");
  EXPECT_EQ(shop.oauth.client.client_id, "us");
  EXPECT_EQ(shop.oauth.client.client_secret.reveal(), "from-a-variable");
  EXPECT_EQ(shop.oauth.scope, "a b");
  auto const& files = loaded.settings.mcp_servers[1];
  EXPECT_FALSE(files.enabled);
  EXPECT_FALSE(files.server.http);
  ASSERT_TRUE(files.server.program);
  EXPECT_EQ(files.server.program->command, "npx");
  EXPECT_THAT(files.server.program->args, ElementsAre("-y", "server"));
  EXPECT_EQ(files.server.program->env.at("A").reveal(), "");
  EXPECT_EQ(files.server.program->env.at("B").reveal(), "from-a-variable");
  EXPECT_EQ(files.server.program->cwd, "/tmp");
}

TEST(McpServerEntries, ReportWhatIsWrongWithEachOfThem) {
  auto const loaded = load_text(R"(mcp_servers:
  - name: a
  - url: https://a.example
  - name: b
    url: ftp://a.example
  - name: c
    url: https://c.example
    command: cat
  - name: "no good"
    command: cat
  - name: ___
    command: cat
  - name: d
    url: https://d.example
    args: [x]
  - name: e
    command: cat
    headers: {X-A: hunter2}
  - name: f
    url: http://f.example
    headers: {X-A: hunter2}
  - name: g
    url: https://g.example
    headers: {Host: hunter2}
  - name: h
    command: cat
    env: {A: [1]}
  - name: i
    command: cat
    env: {A: {env: TEST_MISSING}}
  - name: j
    command: cat
    timeout: 3
  - name: k
    command: cat
    tools: {alow: ["*"]}
)");

  EXPECT_THAT(
      problems(loaded),
      ElementsAre(
          "2:5: mcp_servers[0]: needs url, or command", "3:5: mcp_servers[1].name: is missing",
          "5:10: mcp_servers[2].url: must be an http or https URL without user, password and "
          "fragment",
          "6:5: mcp_servers[3].command: cannot be used together with url",
          "9:11: mcp_servers[4].name: must be 1 to 32 letters, digits, `_`, `.` or `-`",
          "11:11: mcp_servers[5].name: must have a letter or a digit",
          "13:5: mcp_servers[6].args: need command, not url",
          "16:5: mcp_servers[7].headers: need url, not command",
          "19:5: mcp_servers[8].headers: need an https url, or private_network: true",
          HasSubstr("24:15: mcp_servers[9].headers.Host: "),
          "27:11: mcp_servers[10].env.A: must be a text, {env: NAME} or {file: PATH}",
          "30:11: mcp_servers[11].env.A: the variable TEST_MISSING is not set",
          HasSubstr("33:14: mcp_servers[12].timeout: "),
          "36:13: mcp_servers[13].tools.alow: unknown key (did you mean allow?)"));
}

TEST(McpServerEntries, MustDifferAlsoInTheNamesOfTheirTools) {
  auto const loaded = load_text(R"(mcp_servers:
  - {name: my-server, command: cat}
  - {name: My.Server, command: cat}
  - {name: my-server, command: cat}
)");

  auto const told = problems(loaded);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], HasSubstr("3:5: mcp_servers[1].name: is too much like my-server: both are "
                                 "my_server in names of tools"));
  EXPECT_THAT(told[1], HasSubstr("4:5: mcp_servers[2].name: is that of another server"));
}

TEST(McpServerEntries, ShowNoSecret) {
  auto const loaded = load_text(R"(mcp_servers:
  - name: a
    url: https://a.example/mcp?key=hunter2
    headers: {X-A: hunter2}
    oauth: {client_id: us, client_secret: hunter2}
  - {name: b, command: cat, env: {A: hunter2}}
)");

  ASSERT_THAT(problems(loaded), ElementsAre());
  auto const shown = show(loaded, ShowFormat::Json);
  EXPECT_THAT(shown, HasSubstr("https://a.example/mcp"));
  EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
}

TEST(McpServerEntries, SayHowTokensAreGot) {
  TemporaryFile const token{"ey.workload.token\n"};
  auto const loaded = load_text(
      "mcp_servers:\n"
      "  - name: a\n"
      "    url: https://a.example/mcp\n"
      "    oauth: {grant: jwt_bearer, assertion_file: " +
      token.path() +
      "}\n"
      "  - name: b\n"
      "    url: https://b.example/mcp\n"
      "    oauth:\n"
      "      grant: enterprise_managed\n"
      "      client_id: us\n"
      "      assertion_file: " +
      token.path() +
      "\n"
      "      identity_provider: {token_url: \"https://idp.example/token\", client_id: idp}\n"
      "  - name: c\n"
      "    url: https://c.example/mcp\n"
      "    oauth: {grant: client_credentials, client_id: us, client_secret: hunter2}\n");

  ASSERT_THAT(problems(loaded), ElementsAre());
  auto const& servers = loaded.settings.mcp_servers;
  EXPECT_EQ(servers[0].oauth.kind, oauth::upstream::GrantKind::JwtBearer);
  EXPECT_EQ(servers[0].oauth.assertion()->reveal(), "ey.workload.token");
  EXPECT_EQ(servers[1].oauth.kind, oauth::upstream::GrantKind::EnterpriseManaged);
  EXPECT_EQ(servers[1].oauth.identity_provider.client_id, "idp");
  EXPECT_EQ(servers[1].oauth.identity_provider.client_auth, oauth::ClientAuth::None);
  EXPECT_EQ(servers[2].oauth.kind, oauth::upstream::GrantKind::ClientCredentials);
}

TEST(McpServerEntries, StateEndpointsForServersThatDoNot) {
  auto const loaded = load_text(R"(mcp_servers:
  - name: a
    url: https://a.example/mcp
    oauth:
      client_id: us
      authorization_url: https://as.example/a
      token_url: https://as.example/t
      issuer: https://as.example
      resource: https://a.example
)");

  ASSERT_THAT(problems(loaded), ElementsAre());
  auto const& endpoints = loaded.settings.mcp_servers[0].oauth.endpoints;
  EXPECT_EQ(endpoints.authorization_url, "https://as.example/a");
  EXPECT_EQ(endpoints.token_url, "https://as.example/t");
  EXPECT_EQ(endpoints.issuer, "https://as.example");
  EXPECT_EQ(endpoints.resource, "https://a.example");
  EXPECT_FALSE(endpoints.in_need_only);
  EXPECT_THAT(show(loaded, ShowFormat::Json), HasSubstr("https://as.example/t"));
}

TEST(McpServerEntries, ReportEndpointsThatCannotBeUsed) {
  auto const loaded = load_text(R"(mcp_servers:
  - {name: a, url: "https://a.example", oauth: {authorization_url: "javascript:alert//1"}
}
  - {name: b, url: "https://b.example", oauth: {token_url: "http://b.example/t"}}
  - {name: c, url: "https://c.example", oauth: {token_url: "https://c.example/t"}}
  - {name: d, url: "https://d.example", oauth: {resource: "https://d.example"}}
)");

  EXPECT_THAT(problems(loaded),
              ElementsAre(HasSubstr("mcp_servers[0].oauth.authorization_url: must be an https URL"),
                          HasSubstr("mcp_servers[1].oauth.token_url: must be an https URL"),
                          HasSubstr("mcp_servers[2].oauth.authorization_url: is missing"),
                          HasSubstr("mcp_servers[3].oauth.token_url: is missing")));
}

TEST(McpServerEntries, ReportAGrantThatLacksSomething) {
  auto const loaded = load_text(R"(mcp_servers:
  - {name: a, url: "https://a.example", oauth: {grant: jwt_bearer}}
  - {name: b, url: "https://a.example", oauth: {grant: client_credentials, client_id: x}}
  - {name: c, url: "https://a.example", oauth: {client_secret: hunter2}}
  - {name: d, url: "https://a.example", oauth: {identity_provider: {token_url: x, client_id: y}}}
  - {name: e, command: cat, oauth: {client_id: x}}
  - {name: f, url: "https://a.example", oauth: {metadata_document: "http://a.example/x"}}
)");

  EXPECT_THAT(problems(loaded),
              ElementsAre(HasSubstr("mcp_servers[0].oauth.assertion_file: is missing"),
                          HasSubstr("oauth.client_secret: is missing, and so is private_key"),
                          HasSubstr("oauth.client_id: is missing beside client_secret"),
                          HasSubstr("mcp_servers[3].oauth.identity_provider.token_url: "),
                          HasSubstr("mcp_servers[4].oauth: needs url, not command"),
                          HasSubstr("oauth.metadata_document: must be an https URL")));
}

TEST(GatewaySettings, HaveTheirFilesWhereStateBelongs) {
  auto const loaded = load_text("gateway: {search: on, search_above: 5, approval: always}\n",
                                {{"XDG_STATE_HOME", "/nowhere"},
                                 {"SALLYPORT_GATEWAY_GRANTS_KEY", std::string(32, 'k')},
                                 {"SALLYPORT_GATEWAY_GRANTS_FILE", "/named"}});

  ASSERT_THAT(problems(loaded), ElementsAre());
  auto const& gateway = loaded.settings.gateway;
  EXPECT_EQ(gateway.search, ToolSearch::On);
  EXPECT_EQ(gateway.search_above, 5U);
  EXPECT_EQ(gateway.approval, Approval::Always);
  EXPECT_EQ(gateway.servers_file, "/nowhere/sallyport/servers.json");
  EXPECT_EQ(gateway.approvals_file, "/nowhere/sallyport/approvals.db");
  EXPECT_EQ(gateway.grants_file, "/named");
  EXPECT_EQ(gateway.grants_key.reveal(), std::string(32, 'k'));
  EXPECT_FALSE(load_text("gateway: {approval: never}\n").good());
}

TEST(GatewaySettings, HaveTheirKeyFromOnePlaceOnly) {
  std::string const key(32, 'k');
  TemporaryFile const file{key + "\n"};

  auto const alone = load_text("gateway: {grants_key_keyring: work}\n");
  auto const with_key =
      load_text("gateway: {grants_key_keyring: work}\n", {{"SALLYPORT_GATEWAY_GRANTS_KEY", key}});
  auto const with_file =
      load_text("gateway: {grants_key_keyring: work, grants_key_file: " + file.path() + "}\n");
  auto const nameless = load_text("", {{"SALLYPORT_GATEWAY_GRANTS_KEY_KEYRING", "two words"}});

  EXPECT_THAT(problems(alone), ElementsAre());
  EXPECT_EQ(alone.settings.gateway.grants_key_keyring, "work");
  EXPECT_THAT(problems(with_key),
              ElementsAre(HasSubstr("grants_key_keyring: cannot be used together with "
                                    "gateway.grants_key")));
  EXPECT_THAT(problems(with_file),
              ElementsAre(HasSubstr("grants_key_keyring: cannot be used together with "
                                    "gateway.grants_key_file")));
  EXPECT_THAT(problems(nameless), ElementsAre(HasSubstr("must be 1 to 64 letters")));
}

}  // namespace
}  // namespace sallyport::config
