#include "src/config/servers_json.hpp"

#include "src/config/expand_variables.hpp"
#include "src/config/test_load.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines(std::vector<PathProblem> const& told) {
  std::vector<std::string> texts;
  for (auto const& [path, message] : told) texts.push_back(path + ": " + message);
  return texts;
}

TEST(ServersJson, ReadsTheFormOfDesktopClients) {
  auto const read = read_servers_json(R"({"globalShortcut": "x", "mcpServers": {
    "fs": {"command": "npx", "args": ["-y", "${env:TEST_DIR}/x"], "env": {"KEY": "${TEST_KEY}"},
           "cwd": "/tmp", "type": "stdio"},
    "web": {"type": "streamable-http", "url": "https://a.example/mcp",
            "headers": {"Authorization": "Bearer ${TEST_KEY}"}, "disabled": true},
    "off": {"command": "x", "enabled": false, "timeout": "5s",
            "tools": {"allow": ["a*"], "deny": ["ab"]}}
  }})",
                                      {{"TEST_DIR", "/d"}, {"TEST_KEY", "hunter2"}});

  EXPECT_THAT(lines(read.problems), ElementsAre());
  EXPECT_THAT(lines(read.notices), ElementsAre());
  ASSERT_EQ(read.servers.size(), 3U);
  auto const& program = *read.servers[0].server.program;
  EXPECT_EQ(read.servers[0].server.name, "fs");
  EXPECT_EQ(read.servers[0].origin, "mcpServers.fs");
  EXPECT_TRUE(read.servers[0].enabled);
  EXPECT_EQ(program.command, "npx");
  EXPECT_THAT(program.args, ElementsAre("-y", "/d/x"));
  EXPECT_EQ(program.env.at("KEY").reveal(), "hunter2");
  EXPECT_EQ(program.cwd, "/tmp");
  auto const& http = *read.servers[1].server.http;
  EXPECT_EQ(http.url.href(), "https://a.example/mcp");
  EXPECT_EQ(http.headers.front().second.reveal(), "Bearer hunter2");
  EXPECT_EQ(read.servers[1].oauth.id, "web");
  EXPECT_FALSE(read.servers[1].enabled);
  EXPECT_FALSE(read.servers[2].enabled);
  EXPECT_THAT(read.servers[2].server.tools.deny, ElementsAre("ab"));
  EXPECT_EQ(read.servers[2].server.times.request, std::chrono::seconds{5});
}

TEST(ServersJson, ReadsTheSettingsOfGemiHub) {
  auto const read = read_servers_json(R"({"selectedModel": "x", "mcpServers": [
    {"id": "mcp_brave_search_9r0rq9", "name": "Brave Search", "url": "https://a.example/mcp",
     "headers": {"X-Key": "hunter2"}, "tools": [{"name": "t"}],
     "oauth": {"clientId": "us", "authorizationUrl": "https://a.example/a",
               "tokenUrl": "https://a.example/t", "scopes": ["a", "b"], "clientSecret": "hunter2",
               "resource": "https://a.example"},
     "oauthTokens": {"accessToken": "hunter2"}},
    {"id": "mcp_server_1", "name": "検索", "url": "https://b.example/mcp",
     "oauth": {"clientId": "theirs", "scopes": []}}
  ]})",
                                      {});

  EXPECT_THAT(lines(read.problems), ElementsAre());
  EXPECT_THAT(
      lines(read.notices),
      ElementsAre("mcpServers[0]: is called Brave_Search here",
                  "mcpServers[0].oauthTokens: is left out; sign in with `sallyport servers login "
                  "Brave_Search`",
                  "mcpServers[1]: is called mcp_server_1 here"));
  ASSERT_EQ(read.servers.size(), 2U);
  auto const& oauth = read.servers[0].oauth;
  EXPECT_EQ(oauth.client.client_id, "us");
  EXPECT_EQ(oauth.client.client_secret.reveal(), "hunter2");
  EXPECT_EQ(oauth.scope, "a b");
  EXPECT_EQ(oauth.endpoints.authorization_url, "https://a.example/a");
  EXPECT_EQ(oauth.endpoints.token_url, "https://a.example/t");
  EXPECT_EQ(oauth.endpoints.resource, "https://a.example");
  EXPECT_TRUE(oauth.endpoints.in_need_only);
  EXPECT_EQ(read.servers[0].server.http->headers.front().first, "X-Key");
  // A public client of another program leads back to that program.
  EXPECT_EQ(read.servers[1].oauth.client.client_id, "");
  EXPECT_EQ(read.servers[1].oauth.client.fallback_client_id, "theirs");
}

TEST(ServersJson, LeavesOutEndpointsThatCannotBeUsed) {
  auto const read = read_servers_json(R"({"mcpServers": {
    "a": {"url": "https://a.example", "oauth": {"authorizationUrl": "javascript:alert(1)//",
          "tokenUrl": "https://a.example/t"}},
    "b": {"url": "https://b.example", "oauth": {"resource": "https://b.example"}}
  }})",
                                      {});

  EXPECT_THAT(lines(read.problems), ElementsAre());
  EXPECT_THAT(
      lines(read.notices),
      ElementsAre("mcpServers.a.oauth.authorizationUrl: must be an https URL (http only on "
                  "loopback) and is left out",
                  "mcpServers.a.oauth: names not all endpoints, and those that it names are left "
                  "out",
                  "mcpServers.b.oauth: names not all endpoints, and those that it names are left "
                  "out"));
  ASSERT_EQ(read.servers.size(), 2U);
  EXPECT_EQ(read.servers[0].oauth.endpoints.token_url, "");
  EXPECT_EQ(read.servers[1].oauth.endpoints.resource, "");
}

TEST(ServersJson, ReadsTheFormOfVsCode) {
  auto const read = read_servers_json(
      R"({"inputs": [], "servers": {"a": {"type": "http", "url": "https://a.example"},
          "b": {"command": "x", "envFile": ".env"}}})",
      {});

  EXPECT_THAT(lines(read.problems), ElementsAre());
  EXPECT_THAT(lines(read.notices), ElementsAre("servers.b.envFile: is not known and left out"));
  EXPECT_EQ(read.servers.size(), 2U);
  EXPECT_EQ(
      read_servers_json(R"({"mcp": {"servers": {"a": {"command": "x"}}}})", {}).servers.size(), 1U);
}

TEST(ServersJson, NamesThePathOfWhatIsWrong) {
  auto const read = read_servers_json(R"({"mcpServers": {
    "a": {"command": "x", "args": ["ok", 1]},
    "b": {"command": "x", "args": "ok"},
    "c": {"command": 5},
    "d": {"url": "nonsense"},
    "e": {"command": "x", "env": {"A": "${TEST_MISSING}"}},
    "f": {"command": "x", "env": {"A": "${input:key}"}},
    "g": {},
    "h": 7,
    "i": {"command": "x", "disabled": "yes"},
    "j": {"url": "http://a.example", "headers": {"A": "hunter2"}},
    "k": {"url": "https://a.example", "headers": {"Host": "hunter2"}},
    "l": {"url": "https://a.example", "oauth": {"clientSecret": "hunter2"}},
    "m": {"command": "x", "cwd": "${A"},
    "検索": {"command": "x"}
  }})",
                                      {});

  EXPECT_THAT(
      lines(read.problems),
      ElementsAre(
          "mcpServers.a.args[1]: must be text", "mcpServers.b.args: must be an array of texts",
          "mcpServers.c.command: must be text",
          "mcpServers.d.url: must be an http or https URL without user, password and fragment",
          "mcpServers.e.env.A: the variable TEST_MISSING is not set",
          "mcpServers.f.env.A: ${input:key} is not the name of a variable",
          "mcpServers.g: needs url, or command", "mcpServers.h: must be an object",
          "mcpServers.i.disabled: must be true or false",
          "mcpServers.j.headers: need an https url, or private_network: true",
          HasSubstr("mcpServers.k.headers.Host: "),
          "mcpServers.l.oauth: has a secret, but no client id",
          "mcpServers.m.cwd: has ${ without }",
          "mcpServers.検索: the name must have a letter or a digit"));
  for (auto const& line : lines(read.problems)) EXPECT_THAT(line, Not(HasSubstr("hunter2")));
  EXPECT_EQ(read.servers.size(), 0U);
}

TEST(ServersJson, LeavesOutAServerOfAnUnknownKind) {
  auto const read =
      read_servers_json(R"({"mcpServers": {"a": {"type": "ws", "url": "https://a.example"}}})", {});

  EXPECT_THAT(lines(read.problems), ElementsAre());
  EXPECT_THAT(lines(read.notices),
              ElementsAre("mcpServers.a.type: is not one that we have; the server is left out"));
  EXPECT_EQ(read.servers.size(), 0U);
}

TEST(ServersJson, MustHaveServers) {
  EXPECT_THAT(lines(read_servers_json("[]", {}).problems), ElementsAre(": must be an object"));
  EXPECT_THAT(lines(read_servers_json("{}", {}).problems), ElementsAre(": has no mcpServers"));
  EXPECT_THAT(lines(read_servers_json(R"({"mcpServers": 1})", {}).problems),
              ElementsAre("mcpServers: must be an object or an array"));
  EXPECT_EQ(read_servers_json("{", {}).problems.size(), 1U);
  EXPECT_THAT(lines(read_servers_json(R"({"mcpServers": {}})", {}).problems), ElementsAre());
}

TEST(ServersFiles, AreReadBesideTheEntries) {
  TemporaryFile const one{R"({"mcpServers": {"b": {"command": "x", "odd": 1}}})"};
  TemporaryFile const ours{R"({"mcpServers": {"c": {"command": "x"}, "a": {"command": "x"}}})"};
  auto const loaded =
      load_text(fmt::format("mcp_servers: [{{name: a, command: y}}]\n"
                            "gateway: {{servers_files: [{}], servers_file: {}}}\n",
                            one.path(), ours.path()));

  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_THAT(to_string(loaded.problems[0]),
              HasSubstr(ours.path() + ": mcpServers.a: is that of another server ("));
  ASSERT_EQ(loaded.settings.mcp_servers.size(), 3U);
  EXPECT_EQ(loaded.settings.mcp_servers[1].server.name, "b");
  EXPECT_EQ(loaded.settings.mcp_servers[1].origin, one.path() + ": mcpServers.b");
  ASSERT_EQ(loaded.notices.size(), 1U);
  EXPECT_EQ(to_string(loaded.notices[0]),
            one.path() + ": mcpServers.b.odd: is not known and left out");
}

TEST(ServersFiles, MustBeThereWhereTheOperatorNamesThem) {
  auto const loaded =
      load_text("gateway: {servers_files: [/nowhere/a.json], servers_file: /nowhere/ours.json}\n");

  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_THAT(to_string(loaded.problems[0]), HasSubstr("/nowhere/a.json: cannot be read"));
}

TEST(ExpandVariables, FillsThemIn) {
  Variables const variables{{"A", "1"}, {"E", ""}};
  EXPECT_EQ(*expand_variables("x${A}y${env:A}", variables), "x1y1");
  EXPECT_EQ(*expand_variables("${E}", variables), "");
  EXPECT_EQ(*expand_variables("${B:-two}${E:-three}${A:-four}", variables), "twothree1");
  EXPECT_EQ(*expand_variables("$A $ {A} cost: 5$", variables), "$A $ {A} cost: 5$");
  EXPECT_EQ(expand_variables("${B}", variables).error().message, "the variable B is not set");
  EXPECT_FALSE(expand_variables("${}", variables));
  EXPECT_FALSE(expand_variables("${A", variables));
}

}  // namespace
}  // namespace sallyport::config
