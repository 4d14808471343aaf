#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_environment;
using test::problems;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Environment, EveryVariableOfTheFetchServerWorks) {
  auto const loaded = load_environment({
      {"MCP_SERVER_NAME", "mcp-fetch"},
      {"MCP_SERVER_VERSION", "1.0.0"},
      {"MCP_PROTOCOL_VERSION", "2025-06-18"},
      {"MCP_FETCH_ALLOWED_SCHEMES", R"(["https"])"},
      {"MCP_FETCH_MAX_REDIRECTS", "7"},
      {"MCP_FETCH_DEFAULT_USER_AGENT", "Door/2.0 (Fetch Server)"},
      {"MCP_FETCH_ENABLE_SSE", "true"},
      {"HOST", "127.0.0.2"},
      {"PORT", "3001"},
  });

  EXPECT_THAT(problems(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.server.name, "mcp-fetch");
  EXPECT_EQ(loaded.settings.server.version, "1.0.0");
  EXPECT_EQ(loaded.settings.server.protocol_version, "2025-06-18");
  EXPECT_THAT(loaded.settings.fetch.allowed_schemes, ElementsAre("https"));
  EXPECT_EQ(loaded.settings.fetch.max_redirects, 7U);
  EXPECT_EQ(loaded.settings.fetch.default_user_agent, "Door/2.0 (Fetch Server)");
  EXPECT_TRUE(loaded.settings.fetch.enable_sse);
  EXPECT_EQ(loaded.settings.listen.host, "127.0.0.2");
  EXPECT_EQ(loaded.settings.listen.port, 3001);
}

TEST(Environment, AListIsJsonOrSeparatedByCommas) {
  for (auto const* text : {R"(["http","https"])", R"([ "http", "https" ])", "http,https",
                           "http, https", " http , https,"}) {
    auto const loaded = load_environment({{"MCP_FETCH_ALLOWED_SCHEMES", text}});

    EXPECT_THAT(problems(loaded), ElementsAre()) << text;
    EXPECT_THAT(loaded.settings.fetch.allowed_schemes, ElementsAre("http", "https")) << text;
  }
  EXPECT_THAT(problems(load_environment({{"MCP_FETCH_ALLOWED_SCHEMES", R"(["http")"}})),
              ElementsAre(HasSubstr(R"(must be a list such as ["a","b"] or a,b)")));
  EXPECT_THAT(problems(load_environment({{"MCP_FETCH_ALLOWED_SCHEMES", "[]"}})),
              ElementsAre(HasSubstr("must not be empty")));
  EXPECT_THAT(problems(load_environment({{"MCP_FETCH_ALLOWED_SCHEMES", "http,file"}})),
              ElementsAre(HasSubstr("\"file\" must be one of http, https")));
}

TEST(Environment, TheProtocolVersionIsOneThatInitializeKnows) {
  EXPECT_THAT(problems(load_environment({{"MCP_PROTOCOL_VERSION", "2025-01-01"}})),
              ElementsAre("env MCP_PROTOCOL_VERSION: server.protocol_version: must be one of "
                          "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25"));
  EXPECT_THAT(problems(load_environment({{"MCP_PROTOCOL_VERSION", "2026-07-28"}})),
              ElementsAre(HasSubstr("2026-07-28 is always served and needs no setting")));
}

TEST(Environment, AnUnknownVariableWithOurPrefixIsATypingMistake) {
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_LOG_LEVLE", "debug"}})),
              ElementsAre("env SALLYPORT_LOG_LEVLE: unknown variable (did you mean "
                          "SALLYPORT_LOG_LEVEL?)"));
  EXPECT_THAT(problems(load_environment({{"MCP_FETCH_MAX_REDIRECT", "1"}})),
              ElementsAre("env MCP_FETCH_MAX_REDIRECT: unknown variable (did you mean "
                          "MCP_FETCH_MAX_REDIRECTS?)"));
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_LISTEN_PORT", "1"}})),
              ElementsAre("env SALLYPORT_LISTEN_PORT: listen.port: is set by the variable PORT"));
}

TEST(Environment, OtherVariablesAreNoneOfOurBusiness) {
  auto const loaded =
      load_environment({{"MCP_SERVER_COLOUR", "red"}, {"PATH", "/bin"}, {"SALLYPORTER", "x"}});

  EXPECT_THAT(problems(loaded), ElementsAre());
}

// A service called `sallyport` makes Kubernetes set these in every pod of its namespace; refusing
// them would keep the program from starting there.
TEST(Environment, ToleratesWhatKubernetesSetsForAServiceOfOurName) {
  auto const loaded = load_environment({
      {"SALLYPORT_SERVICE_HOST", "10.0.0.1"},
      {"SALLYPORT_SERVICE_PORT", "3000"},
      {"SALLYPORT_SERVICE_PORT_HTTP", "3000"},
      {"SALLYPORT_PORT", "tcp://10.0.0.1:3000"},
      {"SALLYPORT_PORT_3000_TCP", "tcp://10.0.0.1:3000"},
      {"SALLYPORT_PORT_3000_TCP_ADDR", "10.0.0.1"},
      {"MCP_FETCH_SERVICE_HOST", "10.0.0.1"},
  });

  EXPECT_THAT(problems(loaded), ElementsAre());
}

TEST(Environment, AnEmptyVariableCountsAsUnset) {
  auto const loaded = load_environment({{"PORT", ""}, {"MCP_SERVER_NAME", ""}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.listen.port, 3000);
  EXPECT_EQ(loaded.settings.server.name, "sallyport");
}

}  // namespace
}  // namespace sallyport::config
