#include "src/app/policy_reads.hpp"

#include <gtest/gtest.h>

namespace sallyport::app {
namespace {

// Names with spaces between them.
std::string read_by(std::string const& text) {
  auto const reads = PolicyReads::of({.sources = {{"p.rego", "package p\n" + text}}});
  std::string names;
  for (auto const what : kUnrecorded) {
    if (reads.may_read(what)) names += (names.empty() ? "" : " ") + std::string{name_of(what)};
  }
  return names;
}

constexpr auto* kEverything = "header_values masked_url scopes injection_failed session";

TEST(PolicyReads, KnowWhatIsRecorded) {
  EXPECT_EQ(read_by("allow if input.method == \"GET\""), "");
  EXPECT_EQ(read_by("allow if input.url_parsed.host == \"a\"\nx := input.principal.id"), "");
  EXPECT_EQ(read_by("allow if \"x\" in input.injection.headers"), "");
  EXPECT_EQ(read_by("# the input and its headers\nallow := true"), "");
}

TEST(PolicyReads, FindWhatIsNot) {
  EXPECT_EQ(read_by("allow if input.headers.accept"), "header_values");
  EXPECT_EQ(read_by("allow if input[\"headers\"][x]"), "header_values");
  EXPECT_EQ(read_by("allow if startswith(input.url, \"https:\")"), "masked_url");
  EXPECT_EQ(read_by("allow if input.url_parsed.query == \"\""), "masked_url");
  EXPECT_EQ(read_by("u := input.url_parsed\nallow if u[_] == 1"), "masked_url");
  EXPECT_EQ(read_by("allow if \"x\" in input.principal.scopes"), "scopes");
  EXPECT_EQ(read_by("allow if not input.injection.failed"), "injection_failed");
  EXPECT_EQ(read_by("allow if input.session"), "session");
  EXPECT_EQ(read_by("x := \"#\"; y := input.headers"), "header_values");
}

TEST(PolicyReads, TakeAnInputAsAWholeForAllOfIt) {
  for (auto const* text :
       {"allow if input[x]", "allow if walk(input, x)", "import input as i",
        "allow if object.get(input, a, b)", "x := input", "x := input . headers"}) {
    EXPECT_EQ(read_by(text), kEverything) << text;
  }
}

}  // namespace
}  // namespace sallyport::app
