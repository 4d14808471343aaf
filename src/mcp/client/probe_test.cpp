#include "src/mcp/client/probe.hpp"

#include "src/json/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sallyport::mcp::client {
namespace {

ProbeVerdict judge(int status, std::optional<int> code, bool over_http = true) {
  ProbeAnswer answer{.over_http = over_http, .status = status};
  if (code) {
    auto const text = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"error":{{"code":{},"message":"Unsupported protocol version"}}}})",
        *code);
    answer.message = read_message(json::parse(text).value());
  }
  return judge_probe(answer);
}

ProbeVerdict judge_result(std::string const& result) {
  auto const text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
  return judge_probe({.message = read_message(json::parse(text).value())});
}

TEST(Probe, TakesAResultAndTheErrorsOfTheNewEraForTheNewEra) {
  EXPECT_EQ(judge_result(R"({"supportedVersions":["2026-07-28","2025-11-25"]})"),
            ProbeVerdict::Modern);
  EXPECT_EQ(judge(400, -32022), ProbeVerdict::ModernAgain);
  EXPECT_EQ(judge(400, -32020), ProbeVerdict::Refused);
  EXPECT_EQ(judge(400, -32021), ProbeVerdict::Refused);
  EXPECT_EQ(judge(404, -32601), ProbeVerdict::Undiscovered);
}

TEST(Probe, TakesEverythingElseForAnOlderServerWhateverItsWords) {
  EXPECT_EQ(judge_result("{}"), ProbeVerdict::Legacy);
  EXPECT_EQ(judge_result(R"({"supportedVersions":["2025-11-25",7]})"), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(400, -32000), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(400, std::nullopt), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(404, std::nullopt), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(405, std::nullopt), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(200, -32601), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(200, -32601, false), ProbeVerdict::Legacy);
  EXPECT_EQ(judge(200, -32602, false), ProbeVerdict::Legacy);
}

TEST(Probe, LearnsNothingFromRefusalsAndTrouble) {
  for (auto const status : {401, 403, 429, 500, 502, 503}) {
    EXPECT_EQ(judge(status, std::nullopt), ProbeVerdict::Unclear) << status;
  }
}

}  // namespace
}  // namespace sallyport::mcp::client
