#include "src/app/rego_tools/testing.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::app::rego_tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct BenchFolder : PolicyFolder {
  BenchFolder() {
    write("fetch.rego", "package mcp.fetch\n\nallow if input.method == \"GET\"\n");
    write("get.json", R"({"method": "GET"})");
  }
  PolicyOutcome bench(std::vector<std::string> more) const {
    std::vector<std::string> words{"bench", "-d", *this / "fetch.rego", "--duration", "20ms"};
    words.insert(words.end(), more.begin(), more.end());
    return policy_command(words);
  }
};

TEST(PolicyBench, TellsWhatAnEvaluationCosts) {
  BenchFolder const folder;

  auto const came = folder.bench({"-i", folder / "get.json", "data.mcp.fetch.allow"});

  EXPECT_EQ(came.code, 0) << came.err;
  EXPECT_THAT(came.out, AllOf(HasSubstr("parsed input"), HasSubstr("p99")));
}

TEST(PolicyBench, TellsItAsJson) {
  BenchFolder const folder;

  auto const came = folder.bench({"-i", folder / "get.json", "-f", "json", "data.mcp.fetch.allow"});

  EXPECT_EQ(came.code, 0) << came.err;
  auto const value = json::parse(came.out);
  ASSERT_TRUE(value) << came.out;
  auto const& parsed = value->at("parsed_input");
  EXPECT_GT(parsed.at("evaluations").as_int64(), 100);
  EXPECT_LE(parsed.at("p50_ns").as_int64(), parsed.at("p99_ns").as_int64());
  EXPECT_LE(parsed.at("p99_ns").as_int64(), parsed.at("longest_ns").as_int64());
}

TEST(PolicyBench, MeasuresAnyQuery) {
  BenchFolder const folder;

  auto const came = folder.bench({"x := 1; x > 0"});

  EXPECT_EQ(came.code, 0) << came.err;
}

TEST(PolicyBench, SaysWhatIsWrong) {
  BenchFolder const folder;

  EXPECT_THAT(folder.bench({"-i", folder / "absent.json", "data.mcp.fetch.allow"}).err,
              HasSubstr("absent.json"));
  EXPECT_THAT(folder.bench({"1 +"}).err, HasSubstr("rego_parse_error"));
  EXPECT_THAT(folder.bench({"--duration", "0s", "true"}).err, HasSubstr("--duration"));
  EXPECT_EQ(folder.bench({"--duration", "soon", "true"}).code, 2);
}

}  // namespace
}  // namespace sallyport::app::rego_tools
