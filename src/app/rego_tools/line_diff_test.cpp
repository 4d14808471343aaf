#include "src/app/rego_tools/line_diff.hpp"

#include "src/app/rego_tools/text.hpp"

#include <gmock/gmock.h>

namespace sallyport::app::rego_tools {
namespace {

using namespace std::chrono_literals;

TEST(LineDiff, ShowsChangesWithTheLinesAround) {
  EXPECT_EQ(line_diff("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\n", "x"),
            "--- x\n+++ x (formatted)\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
  EXPECT_EQ(line_diff("a\n", "a\n", "x"), "");
}

TEST(LineDiff, FarChangesAreHunksOfTheirOwn) {
  std::string before = "first\n";
  for (int i = 0; i < 10; ++i) before += std::to_string(i) + "\n";
  auto const after = before.substr(6) + "last\n";

  EXPECT_EQ(line_diff(before, after, "x"),
            "--- x\n+++ x (formatted)\n@@ -1,4 +1,3 @@\n-first\n 0\n 1\n 2\n"
            "@@ -9,3 +8,4 @@\n 7\n 8\n 9\n+last\n");
}

TEST(LineDiff, AMissingNewLineAtTheEndIsAChange) {
  EXPECT_EQ(line_diff("a", "a\n", "x"),
            "--- x\n+++ x (formatted)\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  EXPECT_EQ(line_diff("", "a\n", "x"), "--- x\n+++ x (formatted)\n@@ -0,0 +1 @@\n+a\n");
}

TEST(PolicyText, IndentsJsonWithoutTouchingTexts) {
  EXPECT_EQ(indented(R"({"a":[],"b":{},"c":["x,{\"","y:z"]})"),
            "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    \"x,{\\\"\",\n    \"y:z\"\n  ]\n}");
}

TEST(PolicyText, WritesDurationsLikeGo) {
  EXPECT_EQ(duration_text(912ns), "912ns");
  EXPECT_EQ(duration_text(1500ns), "1.5µs");
  EXPECT_EQ(duration_text(23ms), "23ms");
  EXPECT_EQ(duration_text(1234567ns), "1.234567ms");
  EXPECT_EQ(duration_text(2s), "2s");
}

}  // namespace
}  // namespace sallyport::app::rego_tools
