#include "src/app/rego_tools/testing.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::app::rego_tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PolicyCheck, SaysNothingAboutGoodModules) {
  PolicyFolder const folder;
  folder.write("a.rego", "package a\n\np if input.x\n");
  folder.write("deep/b.rego", "package b\n\nimport data.a\n\nq if a.p\n");
  folder.write("data.json", "{}");

  auto const came = policy_command({"check", folder.path()});

  EXPECT_EQ(came.code, 0) << came.err;
  EXPECT_EQ(came.out + came.err, "");
}

TEST(PolicyCheck, ShowsEveryErrorWithItsLineAndACaret) {
  PolicyFolder const folder;
  auto const a = folder.write("a.rego", "package a\n\np if {\n\tx > 1\n}\n");
  auto const b = folder.write("b.rego", "package b\n\nq if y\n");

  auto const came = policy_command({"check", folder.path()});
  auto const json = policy_command({"check", "--format", "json", folder.path()});

  EXPECT_EQ(came.code, 1);
  EXPECT_THAT(came.err,
              AllOf(HasSubstr(" errors occurred:\n"), HasSubstr(a + ":4:"),
                    HasSubstr(b + ":3:6: rego_unsafe_var_error"), HasSubstr("\nq if y\n     ^\n")));
  EXPECT_EQ(json.code, 1);
  EXPECT_TRUE(json::parse(json.out)) << json.out;
}

TEST(PolicyCheck, IsStrictWhenAsked) {
  PolicyFolder const folder;
  auto const file = folder.write("a.rego", "package a\n\nimport data.b\n\np if { x := 1 }\n");

  EXPECT_EQ(policy_command({"check", file}).code, 0);
  auto const came = policy_command({"check", "--strict", file});
  EXPECT_EQ(came.code, 1);
  EXPECT_THAT(came.err, HasSubstr("unused"));
}

TEST(PolicyCheck, WithoutAModuleThereIsNothingToSay) {
  PolicyFolder const folder;

  EXPECT_EQ(policy_command({"check", folder.path()}).code, 1);
  EXPECT_EQ(policy_command({"check", folder / "none.rego"}).code, 1);
  EXPECT_EQ(policy_command({"check"}).code, kUsageError);
}

constexpr char const* kUntidy = "package a\nimport data.z\nimport data.b\np if   {\n  z.x\n  b.y }";
constexpr char const* kTidy =
    "package a\n\nimport data.b\nimport data.z\n\np if {\n\tz.x\n\tb.y\n}\n";

TEST(PolicyFmt, PrintsOrWritesTheFormattedModule) {
  PolicyFolder const folder;
  auto const file = folder.write("a.rego", kUntidy);

  EXPECT_EQ(policy_command({"fmt", file}).out, kTidy);
  EXPECT_EQ(folder.read("a.rego"), kUntidy);
  auto const written = policy_command({"fmt", "-w", folder.path()});
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(folder.read("a.rego"), kTidy);
}

TEST(PolicyFmt, ListsAndFailsForCi) {
  PolicyFolder const folder;
  auto const untidy = folder.write("a.rego", kUntidy);
  auto const tidy = folder.write("b.rego", kTidy);

  auto const listed = policy_command({"fmt", "-l", "--fail", folder.path()});

  EXPECT_EQ(listed.code, 2);
  EXPECT_EQ(listed.out, untidy + "\n");
  EXPECT_EQ(policy_command({"fmt", "-l", folder.path()}).code, 0);
  EXPECT_EQ(policy_command({"fmt", "--fail", tidy}).code, 0);
}

TEST(PolicyFmt, ShowsWhatWouldChange) {
  PolicyFolder const folder;
  auto const file = folder.write("a.rego", kUntidy);

  auto const came = policy_command({"fmt", "--diff", file});

  EXPECT_THAT(came.out, AllOf(StartsWith("--- " + file + "\n+++ " + file),
                              HasSubstr("\n-p if   {\n"), HasSubstr("\n+p if {\n")));
  EXPECT_EQ(folder.read("a.rego"), kUntidy);
}

TEST(PolicyFmt, LeavesWhatItCannotReadAndGoesOn) {
  PolicyFolder const folder;
  auto const bad = folder.write("a.rego", "package a\n\np if {\n");
  folder.write("b.rego", kUntidy);

  auto const came = policy_command({"fmt", "-w", folder.path()});

  EXPECT_EQ(came.code, 1);
  EXPECT_THAT(came.err, AllOf(HasSubstr(bad + ":"), HasSubstr("rego_parse_error")));
  EXPECT_EQ(folder.read("a.rego"), "package a\n\np if {\n");
  EXPECT_EQ(folder.read("b.rego"), kTidy);
}

}  // namespace
}  // namespace sallyport::app::rego_tools
