#include "src/upstream/catalog/hidden_text.hpp"

#include "tests/support/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using test::parsed_object;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(HiddenText, IsFoundWhereverItStands) {
  struct Row {
    char const* definition;
    char const* found;
  };
  for (auto const& [definition, found] : {
           Row{R"({"description":"Adds. \udb40\udc41\udb40\udc42"})",
               "description: tag characters (U+E0041)"},
           Row{R"({"title":"a\u200bb"})", "title: zero-width characters (U+200B)"},
           Row{R"({"title":"a\u200db"})", "title: zero-width characters (U+200D)"},
           Row{R"({"name":"a\u202eb"})", "name: bidirectional controls (U+202E)"},
           Row{R"({"description":"\u001b[8mhidden"})", "description: control characters (U+001B)"},
           Row{R"({"inputSchema":{"properties":{"x":{"enum":["\ufeff"]}}}})",
               "inputSchema: zero-width characters (U+FEFF)"},
           Row{R"({"inputSchema":{"properties":{"x\u2066":{}}}})",
               "inputSchema: bidirectional controls (U+2066)"},
           Row{R"({"x-other":["\udb40\udd00"]})", "another member: variation selectors (U+E0100)"},
           Row{R"({"\u200b":1})", "a member's name: zero-width characters (U+200B)"},
       }) {
    EXPECT_THAT(hidden_text(parsed_object(definition)), ElementsAre(found)) << definition;
  }
}

TEST(HiddenText, OfOneKindIsReportedOnce) {
  EXPECT_EQ(
      hidden_text(parsed_object(R"({"title":"\u200b\u200b","description":"\u2060\u202e"})")).size(),
      2U);
}

TEST(HiddenText, IsNotInTextThatPeopleWrite) {
  for (auto const* const text : {
           R"(\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67)",  // a family
           R"(\ud83c\udff4\udb40\udc67\udb40\udc62\udb40\udc73\udb40\udc63\udb40\udc7f)",  // a flag
           R"(\u2764\ufe0f)",                                // a heart
           R"(\u0645\u06cc\u200c\u062e\u0648\u0627\u0647)",  // Persian
           R"(a\tb\r\nc)",
       }) {
    auto const definition = std::string{R"({"description":")"} + text + R"("})";
    EXPECT_THAT(hidden_text(parsed_object(definition)), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace sallyport::upstream
