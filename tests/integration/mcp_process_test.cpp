// The built programs: stdio in both eras, signals, and the health check of a container.
#include "tests/support/child_process.hpp"
#include "tests/support/mcp_client.hpp"
#include "tests/support/not_tested.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class McpStdioTest : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }

  std::string ask(std::string const& line) {
    program_.write(line + "\n");
    return program_.line();
  }

  ChildProcess program_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, McpStdioTest,
                         testing::Values(std::vector<std::string>{SALLYPORT_PROGRAM, "stdio"},
                                         std::vector<std::string>{CONFORMANCE_SERVER, "--stdio"}),
                         [](auto const& info) {
                           return info.index == 0 ? "Sallyport" : "ConformanceServer";
                         });

TEST_P(McpStdioTest, SpeaksBothErasByTurns) {
  EXPECT_THAT(ask(initialize("2025-06-18")), HasSubstr(R"("protocolVersion":"2025-06-18")"));
  program_.write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                 "\n");
  EXPECT_THAT(ask(Modern{.method = "server/discover"}.body()), HasSubstr("2026-07-28"));
  EXPECT_THAT(ask(legacy("2", "tools/list")), testing::Not(HasSubstr("resultType")));
  EXPECT_THAT(ask(Modern{.method = "tools/list", .id = "3"}.body()), HasSubstr("resultType"));
  EXPECT_EQ(ask(legacy("4", "ping")), R"({"jsonrpc":"2.0","id":4,"result":{}})");

  program_.close_input();
  EXPECT_EQ(program_.line(), "");
  EXPECT_EQ(program_.wait(), 0);
}

TEST_P(McpStdioTest, OpensWithAModernRequest) {
  auto const answer = ask(Modern{.method = "server/discover"}.body());

  EXPECT_THAT(answer, HasSubstr(R"("supportedVersions")"));
  EXPECT_THAT(ask(initialize("2025-11-25")), HasSubstr(R"("protocolVersion":"2025-11-25")"));
}

TEST_P(McpStdioTest, AnswersGarbageAndGoesOn) {
  EXPECT_EQ(code_of(ask("garbage")), -32700);
  EXPECT_EQ(code_of(ask("\xff\xfe")), -32700);
  EXPECT_EQ(code_of(ask("{}")), -32600);
  program_.write("\n  \r\n");  // empty lines are no messages
  EXPECT_EQ(ask(legacy("1", "ping") + "\r"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_P(McpStdioTest, RefusesALineThatIsTooLongAndGoesOn) {
  std::thread writer{[this] { program_.write(std::string(5 * 1024 * 1024, 'x') + "\n"); }};
  auto const answer = program_.line();
  writer.join();

  EXPECT_EQ(code_of(answer), -32600);
  EXPECT_EQ(ask(legacy("1", "ping")), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_P(McpStdioTest, SubscribesAndCancels) {
  auto listen = modern_listen();
  listen.id = R"("sub")";
  EXPECT_THAT(ask(listen.body()), HasSubstr("subscriptions/acknowledged"));
  program_.write(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                 R"("params":{"requestId":"sub"}})"
                 "\n");

  EXPECT_EQ(ask(legacy("1", "ping")), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_P(McpStdioTest, EndsWithItsInputDespiteASubscription) {
  ask(modern_listen().body());

  program_.close_input();

  EXPECT_EQ(program_.line(), "");
  EXPECT_EQ(program_.wait(), 0);
}

TEST_P(McpStdioTest, AnswersALastLineWithoutAnEnd) {
  program_.write(legacy("1", "ping"));
  program_.close_input();

  EXPECT_EQ(program_.line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(program_.wait(), 0);
}

TEST_P(McpStdioTest, EndsOnASignal) {
  EXPECT_NE(ask(legacy("1", "ping")), "");

  program_.signal(SIGTERM);

  EXPECT_EQ(program_.line(), "");
  EXPECT_EQ(program_.wait(), 0);
}

// A signal that came together with the end of the input was taken for one more round of waiting:
// the program never ended.
TEST(McpStdio, EndsWhenSignalAndEndOfInputMeet) {
  for (int round = 0; round < 50; ++round) {
    ChildProcess program{{SALLYPORT_PROGRAM, "stdio"}};
    program.write(legacy("1", "ping") + "\n");
    EXPECT_NE(program.line(), "");
    program.close_input();
    program.signal(SIGTERM);

    int const code = program.wait();

    // When it has ended by itself, the signal may still find it with its handler gone.
    ASSERT_TRUE(code == 0 || code == -SIGTERM) << code;
  }
}

TEST_P(McpStdioTest, WritesNothingButOneMessagePerLine) {
  ask(initialize("2025-11-25"));
  for (int id = 1; id <= 200; ++id) {
    program_.write(legacy(std::to_string(id), id % 2 == 0 ? "ping" : "tools/list") + "\n");
  }
  program_.close_input();

  std::set<std::int64_t> answered;
  for (auto line = program_.line(); !line.empty(); line = program_.line()) {
    auto const message = parsed(line);
    ASSERT_EQ(message.at("jsonrpc"), "2.0") << line;
    answered.insert(message.at("id").as_int64());
  }
  EXPECT_EQ(answered.size(), 200);
  EXPECT_EQ(program_.wait(), 0);
}

TEST(McpStdio, AnswersCallsInFlightWhenItsInputEnds) {
  ChildProcess program{{CONFORMANCE_SERVER, "--stdio"}};
  program.write(initialize("2025-11-25") + "\n" +
                legacy_call("1", "test_tool_with_progress", "{}", kProgress) + "\n" +
                modern_call("test_tool_with_logging").body() + "\n");
  program.close_input();

  std::string all;
  for (auto line = program.line(); !line.empty(); line = program.line()) all += line + "\n";

  EXPECT_THAT(all, HasSubstr("Tool with progress executed successfully"));
  EXPECT_THAT(all, HasSubstr("Tool with logging executed successfully"));
  EXPECT_EQ(program.wait(), 0);
}

TEST(McpStdio, CarriesNewsQuestionsAndCancellation) {
  ChildProcess program{{CONFORMANCE_SERVER, "--stdio"}};
  auto const ask = [&](std::string const& line) {
    program.write(line + "\n");
    return program.line();
  };
  ask(initialize("2025-11-25", R"({"elicitation":{}})"));
  auto const question = parsed(ask(legacy_call("1", "test_elicitation", R"({"message":"who?"})")));
  ASSERT_EQ(question.at("method"), "elicitation/create");
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
                "\n" +
                legacy("2", "ping")),
            R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_THAT(ask(modern_listen().body()), HasSubstr("subscriptions/acknowledged"));

  program.write(legacy_call("3", "test_trigger_tool_change") + "\n");
  std::string all;
  for (int i = 0; i < 3; ++i) all += program.line() + "\n";

  EXPECT_THAT(all, HasSubstr(R"("method":"notifications/tools/list_changed","params":{"_meta")"));
  EXPECT_THAT(all, HasSubstr(R"("id":3,"result")"));
  auto const first = all.find("tools/list_changed");
  EXPECT_NE(all.find("tools/list_changed", first + 1), std::string::npos);  // the session, too
}

TEST(McpStdio, TakesNoAuthenticationIntoAccount) {
  ChildProcess program{{SALLYPORT_PROGRAM, "stdio"}, {"HOST=0.0.0.0"}};

  program.write(legacy("1", "ping") + "\n");

  EXPECT_EQ(program.line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

class McpProcessTest : public testing::Test {
 protected:
  static std::uint16_t port_of(ChildProcess& server) {
    auto const line = server.line();  // listening on http://127.0.0.1:PORT/mcp
    auto const colon = line.rfind(':');
    return colon == std::string::npos
               ? std::uint16_t{0}
               : static_cast<std::uint16_t>(std::stoul(line.substr(colon + 1)));
  }

  static Modern with_progress(std::string const& tool) {
    auto request = modern_call(tool);
    request.meta = R"("progressToken":"t")";
    return request;
  }
};

TEST_F(McpProcessTest, AnswersWhatIsInFlightAfterASignal) {
  ChildProcess server{{CONFORMANCE_SERVER, "--port", "0"}};
  auto const port = port_of(server);
  std::vector<std::unique_ptr<EventClient>> calls;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(
        std::make_unique<EventClient>(port, with_progress("test_tool_with_progress").http()));
  }
  EventClient listener{port, modern_listen().http()};
  EXPECT_THAT(listener.data(), HasSubstr("acknowledged"));
  auto const begin = Clock::now();

  server.signal(SIGTERM);

  for (auto& call : calls) {
    std::string last;
    for (auto data = call->data(); !data.empty(); data = call->data()) last = data;
    EXPECT_THAT(last, HasSubstr("Tool with progress executed successfully"));
    EXPECT_TRUE(call->ended_well());
  }
  EXPECT_THAT(listener.data(), HasSubstr(R"("resultType":"complete")"));
  EXPECT_EQ(listener.data(), "");
  EXPECT_TRUE(listener.ended_well());
  EXPECT_EQ(server.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 8s);
}

TEST_F(McpProcessTest, EndsAtOnceOnASecondSignal) {
  ChildProcess server{{CONFORMANCE_SERVER, "--port", "0"}};
  auto const port = port_of(server);
  RawClient client{port};
  client.send(post(initialize("2025-11-25", R"({"elicitation":{}})")));
  Fields const session{{"Mcp-Session-Id", header(client.receive(), "Mcp-Session-Id")}};
  EventClient asking{port,
                     post(legacy_call("1", "test_elicitation", R"({"message":"who?"})"), session)};
  EXPECT_THAT(asking.data(), HasSubstr("elicitation/create"));
  auto const begin = Clock::now();

  server.signal(SIGTERM);
  std::this_thread::sleep_for(100ms);  // two signals at once would be one
  server.signal(SIGTERM);

  EXPECT_NE(server.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 5s);
}

TEST_F(McpProcessTest, EndsQuicklyWhenItIsIdle) {
  ChildProcess server{{CONFORMANCE_SERVER, "--port", "0"}};
  RawClient keeps_alive{port_of(server)};
  keeps_alive.send(http_request("GET", "/healthz", {}));
  EXPECT_EQ(keeps_alive.receive().status, 200);
  auto const begin = Clock::now();

  server.signal(SIGINT);

  EXPECT_EQ(server.wait(), 0);
  EXPECT_LT(Clock::now() - begin, 3s);
}

TEST_F(McpProcessTest, RefusesToServeOthersWithoutAuthentication) {
  for (auto const& command :
       {std::vector<std::string>{SALLYPORT_PROGRAM, "serve", "--host", "0.0.0.0", "--port", "0"},
        std::vector<std::string>{SALLYPORT_PROGRAM, "serve", "--host", "::", "--port", "0"}}) {
    ChildProcess server{command};
    EXPECT_EQ(server.wait(), 2);
  }
  ChildProcess by_environment{{SALLYPORT_PROGRAM, "serve"}, {"HOST=0.0.0.0", "PORT=0"}};
  EXPECT_EQ(by_environment.wait(), 2);
}

// A free port: it was ours a moment ago.
std::uint16_t free_port() {
  int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(socket, reinterpret_cast<sockaddr const*>(&address), size);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return ntohs(address.sin_port);
}

// The shell command with which operators check a container, as they have it.
TEST_F(McpProcessTest, PassesTheHealthCheckOfAContainer) {
  if (std::system("command -v curl >/dev/null") != 0) SP_NOT_TESTED("install curl.");
  auto const port = std::to_string(free_port());
  std::string const check =
      "curl -s -X POST http://localhost:" + port +
      "/mcp -H 'Content-Type: application/json' "
      "-d '{\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\""
      "2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"healthcheck\",\"version\":\""
      "1.0\"}},\"id\":1}' | grep -q '\"protocolVersion\":\"2025-06-18\"'";
  ChildProcess server{{SALLYPORT_PROGRAM, "serve"},
                      {"MCP_PROTOCOL_VERSION=2025-06-18", "HOST=127.0.0.1", "PORT=" + port}};

  int outcome = -1;
  for (int tries = 0; tries < 200 && outcome != 0; ++tries) {
    outcome = std::system(check.c_str());
    if (outcome != 0) std::this_thread::sleep_for(25ms);
  }

  EXPECT_EQ(outcome, 0);
  RawClient client{static_cast<std::uint16_t>(std::stoul(port))};
  client.send(post(initialize("1900-01-01")));
  EXPECT_THAT(client.receive().body, HasSubstr(R"("protocolVersion":"2025-06-18")"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

}  // namespace
}  // namespace sallyport::test
