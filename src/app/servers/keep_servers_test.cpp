#include "src/app/servers/keep_servers.hpp"

#include "src/app/servers/grants.hpp"
#include "src/app/servers/known_servers.hpp"
#include "src/app/servers/sign_in_server.hpp"
#include "src/json/write.hpp"

#include "tests/support/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sallyport::app::servers {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string entry_text(AddRequest const& request) {
  auto const entry = entry_of(request);
  return entry ? json::to_text(*entry) : entry.error().message;
}

std::string problem_of(AddRequest const& request) {
  auto const entry = entry_of(request);
  if (!entry) return entry.error().message;
  auto const settings = settings_of(request, *entry, {});
  return settings ? std::string{} : settings.error().message;
}

// A state folder of its own, and both streams.
struct Home {
  test::TempFolder folder;
  std::ostringstream out;
  std::ostringstream err;

  config::Loaded loaded() const {
    return config::load({.environment = {{"XDG_STATE_HOME", folder.path()}}},
                        config::Purpose::Stdio);
  }
  Surroundings surroundings() { return {.environment = {}, .out = out, .err = err}; }
  std::string file() const { return folder.file("sallyport/servers.json"); }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream{file()}.rdbuf();
    return text.str();
  }
  int add(AddRequest request) {
    request.test = false;
    return add_server(loaded().settings, request, surroundings());
  }
};

TEST(AddServer, WritesValuesAsTheyWereGiven) {
  EXPECT_EQ(entry_text({.name = "a",
                        .where = {"https://a.example/mcp"},
                        .headers = {"X-Key:  ${KEY} "},
                        .private_network = true,
                        .client_id = "us",
                        .client_secret_env = "SECRET",
                        .scopes = {"s"}}),
            R"({"type":"http","url":"https://a.example/mcp","headers":{"X-Key":"${KEY}"},)"
            R"("private_network":true,"oauth":{"client_id":"us","client_secret":"${SECRET}",)"
            R"("scopes":["s"]}})");
  EXPECT_EQ(
      entry_text({.name = "a", .where = {"npx", "-y", "server"}, .env = {"A=b=c"}, .cwd = "/tmp"}),
      R"({"type":"stdio","command":"npx","args":["-y","server"],"env":{"A":"b=c"},)"
      R"("cwd":"/tmp"})");
}

TEST(AddServer, MakesThePathOfAProgramAbsolute) {
  auto const entry = entry_of({.name = "a", .where = {"./bin/../x"}});

  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->at("command").as_string(), (std::filesystem::current_path() / "x").string());
}

TEST(AddServer, SaysWhatDoesNotFit) {
  std::vector<std::string> const url{"https://a.example/mcp"};
  EXPECT_EQ(problem_of({.name = "a", .where = {}}), "name a URL, or a command after --");
  EXPECT_THAT(problem_of({.name = "a", .where = {"https://a.example", "x"}}),
              HasSubstr("a URL stands alone"));
  EXPECT_THAT(problem_of({.name = "a", .where = url, .env = {"A=b"}}), HasSubstr("--env needs"));
  EXPECT_THAT(problem_of({.name = "a", .where = url, .cwd = "/"}), HasSubstr("--cwd needs"));
  EXPECT_THAT(problem_of({.name = "a", .where = {"x"}, .headers = {"A: b"}}),
              HasSubstr("--header needs a URL"));
  EXPECT_THAT(problem_of({.name = "a", .where = {"x"}, .private_network = true}),
              HasSubstr("--private-network needs"));
  EXPECT_THAT(problem_of({.name = "a", .where = {"x"}, .client_id = "us"}),
              HasSubstr("--oauth-… needs"));
  EXPECT_EQ(problem_of({.name = "a", .where = url, .headers = {"hunter2"}}),
            "--header: write it as \"Name: value\"");
  EXPECT_EQ(problem_of({.name = "a", .where = {"x"}, .env = {"hunter2"}}),
            "--env: write it as NAME=value");
  EXPECT_EQ(problem_of({.name = "a", .where = url, .headers = {"A: ${TEST_MISSING}"}}),
            "headers.A: the variable TEST_MISSING is not set");
  EXPECT_EQ(problem_of({.name = "a", .where = {"ftp://a.example"}}),
            "url: must be an http or https URL without user, password and fragment");
  EXPECT_THAT(problem_of({.name = "a b", .where = url}), HasSubstr("the name must be 1 to 32"));
  EXPECT_THAT(problem_of({.name = std::string(33, 'a'), .where = url}),
              HasSubstr("the name must be 1 to 32"));
  EXPECT_THAT(problem_of({.name = "__", .where = url}), HasSubstr("letter or a digit"));
  EXPECT_EQ(problem_of({.name = "a", .where = url}), "");
}

TEST(AddServer, IsFoundWhenTheSettingsAreReadAgain) {
  Home home;

  EXPECT_EQ(home.add({.name = "fs", .where = {"cat", "-u"}}), 0) << home.err.str();
  auto const loaded = home.loaded();
  ASSERT_TRUE(loaded.good());
  ASSERT_EQ(loaded.settings.mcp_servers.size(), 1U);
  EXPECT_EQ(loaded.settings.mcp_servers[0].server.program->command, "cat");

  EXPECT_EQ(home.add({.name = "FS", .where = {"cat"}}), kUsageError);
  EXPECT_THAT(home.err.str(), HasSubstr("there is a server fs already"));
}

TEST(RemoveServer, TakesAwayWhatWasAdded) {
  Home home;
  ASSERT_EQ(home.add({.name = "a", .where = {"cat"}}), 0);
  ASSERT_EQ(home.add({.name = "b", .where = {"cat"}}), 0);

  EXPECT_EQ(remove_server(home.loaded().settings, "a", home.surroundings()), 0);
  EXPECT_THAT(home.text(), Not(HasSubstr("\"a\"")));
  EXPECT_THAT(home.text(), HasSubstr("\"b\""));
  EXPECT_EQ(remove_server(home.loaded().settings, "a", home.surroundings()), kUsageError);
  EXPECT_THAT(home.err.str(), HasSubstr("There is no server a (did you mean b?). There are: b"));
}

TEST(RemoveServer, LeavesServersOfOtherFilesAlone) {
  Home home;
  auto settings = home.loaded().settings;
  config::McpServerSettings elsewhere;
  elsewhere.server.name = "a";
  elsewhere.server.program.emplace().command = "cat";
  elsewhere.origin = "sallyport.yaml:3:5";
  settings.mcp_servers.push_back(std::move(elsewhere));

  EXPECT_EQ(remove_server(settings, "a", home.surroundings()), kUsageError);
  EXPECT_THAT(home.err.str(), HasSubstr("a is written in sallyport.yaml:3:5"));
}

TEST(ListServers, ShowsWhatTheLastTestSaw) {
  Home home;
  ASSERT_EQ(home.add({.name = "a", .where = {"cat"}}), 0);
  ASSERT_EQ(home.add({.name = "b", .where = {"https://b.example/mcp?key=hunter2"}}), 0);
  home.out.str({});
  auto known = KnownServers::open(KnownServers::file_beside(home.file()));
  known.passed(
      "a",
      {.where = "cat", .tested_at = "T1", .seen_at = "T1", .server = "cat 9", .tools = {{}, {}}});
  known.failed("a", "cat", "T2", "It is gone.");
  ASSERT_TRUE(known.save());

  EXPECT_EQ(list_servers(home.loaded().settings, ListForm::Table, home.surroundings()), 0);
  EXPECT_EQ(home.out.str(),
            "a     program  cat\n      failed T2: It is gone.; 2 tools on T1\n"
            "b     http     https://b.example/mcp\n      never tested\n");
  EXPECT_EQ(list_servers(home.loaded().settings, ListForm::Json, home.surroundings()), 0);
  EXPECT_THAT(home.out.str(), HasSubstr("\"error\": \"It is gone.\""));
  EXPECT_THAT(home.out.str(), Not(HasSubstr("hunter2")));
}

TEST(ListServers, SaysWhereSomebodyIsSignedInOrHasTo) {
  Home home;
  for (auto const* name : {"in", "out", "never"}) {
    ASSERT_EQ(home.add({.name = name, .where = {fmt::format("https://{}.example/mcp", name)}}), 0);
  }
  home.out.str({});
  auto const settings = home.loaded().settings;
  auto const grants = open_grants(settings.gateway);
  ASSERT_TRUE(grants);
  for (auto const& server : settings.mcp_servers) {
    if (server.server.name == "never") continue;
    ASSERT_TRUE((*grants)->put(server.oauth, {.server_url = server.oauth.url, .issuer = "i"}));
    if (server.server.name == "out") ASSERT_TRUE((*grants)->put_challenge(server.oauth, {}));
  }

  EXPECT_EQ(list_servers(settings, ListForm::Table, home.surroundings()), 0);

  EXPECT_THAT(home.out.str(), HasSubstr("never tested; signed in\n"));
  EXPECT_THAT(home.out.str(),
              HasSubstr("never tested; sign in with `sallyport servers login out`\n"));
  EXPECT_THAT(home.out.str(), HasSubstr("never.example/mcp\n       never tested\n"));
  home.out.str({});
  EXPECT_EQ(list_servers(settings, ListForm::Json, home.surroundings()), 0);
  EXPECT_THAT(home.out.str(), HasSubstr(R"("sign_in": "needed")"));
  EXPECT_THAT(home.out.str(), HasSubstr(R"("sign_in": "done")"));

  auto known = KnownServers::open(KnownServers::file_beside(home.file()));
  known.failed("out", "https://out.example/mcp", "T",
               "sign in with `sallyport servers login out`.");
  ASSERT_TRUE(known.save());
  home.out.str({});
  EXPECT_EQ(list_servers(settings, ListForm::Table, home.surroundings()), 0);
  EXPECT_THAT(home.out.str(),  // once is enough
              HasSubstr("failed T: sign in with `sallyport servers login out`.\n"));
}

TEST(Login, ComesBackToTheSamePortEachTime) {
  EXPECT_EQ(usual_port("docs"), usual_port("docs"));
  EXPECT_NE(usual_port("docs"), usual_port("other"));
  for (auto const* name : {"", "a", "docs"}) EXPECT_GE(usual_port(name), 49'152);
}

}  // namespace
}  // namespace sallyport::app::servers
