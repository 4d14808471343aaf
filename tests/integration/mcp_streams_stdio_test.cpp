// Streams of the built program over stdio, pulled and pushed.
#include "src/base/base64.hpp"
#include "src/json/write.hpp"

#include "tests/support/child_process.hpp"
#include "tests/support/mcp_client.hpp"
#include "tests/support/origin.hpp"
#include "tests/support/temp_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sallyport::test {
namespace {

TEST(McpStreamsStdio, PullsAndIsPushed) {
  Origin origin{Origin::answering(Origin::ok(std::string(400'000, 's')))};
  TempFolder folder;
  folder.write("settings.yaml", fmt::format("audit:\n  enabled: false\nlog:\n  level: error\n"
                                            "backends:\n  - name: api\n    base_url: {}\n"
                                            "    private_network: true\n",
                                            origin.url("/")));
  ChildProcess program{{SALLYPORT_PROGRAM, "stdio", "--config", folder.file("settings.yaml")}};
  auto const ask = [&](Modern const& call) {
    program.write(call.body() + "\n");
    return parsed(program.line());
  };
  constexpr auto* kView = "a-view-over-stdio";
  auto const opened =
      ask(modern_call("http_request", fmt::format(R"({{"url":"/","view":"{}"}})", kView)));
  auto const id = std::string{
      json::view(opened.at("result").at("structuredContent").at("streamId").as_string())};
  std::size_t bytes = 0;
  auto const count = [&](json::Value const& frame) {
    auto const* data = json::find_string(frame.as_object(), "b64");
    if (data != nullptr) bytes += base64::decode(json::view(*data))->size();
  };
  auto pushed = modern_call(
      "stream_pull",
      fmt::format(R"({{"view":"{0}","acks":{{"{1}":0}},"push":true,"waitMs":500}})", kView, id));
  pushed.meta = R"("progressToken":"t")";
  program.write(pushed.body() + "\n");
  for (;;) {
    auto const message = parsed(program.line());
    ASSERT_FALSE(message.empty());
    if (message.contains("result")) break;
    count(message.at("params").at("_meta").at("sallyport/frame"));
  }
  EXPECT_EQ(bytes, 400'000);

  bytes = 0;
  auto const pulled = ask(
      modern_call("stream_pull", fmt::format(R"({{"view":"{0}","acks":{{"{1}":0}}}})", kView, id)));
  for (auto const& frame : pulled.at("result").at("structuredContent").at("frames").as_array()) {
    count(frame);
  }
  EXPECT_EQ(bytes, 400'000);
  program.close_input();
  EXPECT_EQ(program.wait(), 0);
}

TEST(McpStreamsStdio, WaitsForAReaderThatIsSlow) {
  Origin origin{Origin::answering(Origin::ok(std::string(3'000'000, 's')))};
  TempFolder folder;
  folder.write("settings.yaml", fmt::format("audit:\n  enabled: false\nlog:\n  level: error\n"
                                            "backends:\n  - name: api\n    base_url: {}\n"
                                            "    private_network: true\n",
                                            origin.url("/")));
  ChildProcess program{{SALLYPORT_PROGRAM, "stdio", "--config", folder.file("settings.yaml")}};
  constexpr auto* kView = "a-view-over-stdio";
  for (int i = 0; i < 4; ++i) {
    auto const open =
        modern_call("http_request", fmt::format(R"({{"url":"/","view":"{}"}})", kView));
    program.write(open.body() + "\n");
    ASSERT_TRUE(parsed(program.line()).contains("result"));
  }
  auto pushed =
      modern_call("stream_pull", fmt::format(R"({{"view":"{}","push":true,"waitMs":400}})", kView));
  pushed.meta = R"("progressToken":"t")";
  program.write(pushed.body() + "\n");
  std::this_thread::sleep_for(std::chrono::milliseconds{800});  // while it reads nothing

  std::size_t bytes = 0;
  for (;;) {
    auto const message = parsed(program.line());
    ASSERT_FALSE(message.empty());
    if (message.contains("result")) break;
    auto const& frame = message.at("params").at("_meta").at("sallyport/frame").as_object();
    bytes += json::view(frame.at("b64").as_string()).size();
  }
  // Four windows would be more than 5 MB of text.
  EXPECT_GT(bytes, 200'000);
  EXPECT_LT(bytes, 2'000'000);
}

}  // namespace
}  // namespace sallyport::test
