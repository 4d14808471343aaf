#include "src/upstream/catalog/uris.hpp"

#include "src/json/write.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using test::parsed_object;

TEST(Uris, ArePublicUnderTheNameOfTheirServerAndComeBack) {
  struct Row {
    std::string_view original;
    std::string_view shown;
  };
  for (auto const& [original, shown] : {
           Row{"ui://x/y", "ui://s/x/y"},
           Row{"ui://", "ui://s/"},
           Row{"file:///etc/hosts", "mcp://s/file:///etc/hosts"},
           Row{"x://by/{id}{?q*}", "mcp://s/x://by/{id}{?q*}"},
           Row{"ui://{page}", "ui://s/{page}"},
           Row{"UI://x", "mcp://s/UI://x"},
           Row{"mcp://other/x", "mcp://s/mcp://other/x"},
           Row{"", "mcp://s/"},
           Row{"/", "mcp://s//"},
           Row{"no uri at all", "mcp://s/no uri at all"},
       }) {
    EXPECT_EQ(to_public("s", original), shown);
    EXPECT_EQ(to_original("s", shown), original);
    EXPECT_EQ(to_original("t", shown), std::nullopt);
    EXPECT_EQ(server_of(shown), "s");
  }
}

TEST(Uris, ThatNobodyMadePublicHaveNoOriginal) {
  for (std::string_view const uri : {"", "ui://", "mcp://", "ui://s", "mcp://s", "mcp:///x",
                                     "http://s/x", "mcp://s/ui://x", "s", "ui:///s/x"}) {
    EXPECT_EQ(to_original("s", uri), std::nullopt) << uri;
    EXPECT_EQ(to_original("", uri), std::nullopt) << uri;
  }
}

struct Rewriting {
  void (*publish)(std::string_view, json::Object&);
  char const* given;
  char const* expected;
};

class PublishTest : public testing::TestWithParam<Rewriting> {};

TEST_P(PublishTest, ChangesUrisAndNothingElse) {
  auto object = parsed_object(GetParam().given);

  GetParam().publish("s", object);

  EXPECT_EQ(json::to_text(object), json::to_text(parsed_object(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Uris, PublishTest,
    testing::Values(
        Rewriting{publish_tool,
                  R"({"z":1,"uri":"a:b","_meta":{"k":[1.5],"ui":{"resourceUri":"ui://p","v":2},
                      "ui/resourceUri":"ui://q"},"name":"n"})",
                  R"({"z":1,"uri":"a:b","_meta":{"k":[1.5],"ui":{"resourceUri":"ui://s/p","v":2},
                      "ui/resourceUri":"ui://s/q"},"name":"n"})"},
        Rewriting{publish_resource, R"({"uri":"a:b","name":"uri","_meta":{"uri":"a:b"}})",
                  R"({"uri":"mcp://s/a:b","name":"uri","_meta":{"uri":"a:b"}})"},
        Rewriting{publish_template, R"({"uriTemplate":"a:{b}","uri":"a:b"})",
                  R"({"uriTemplate":"mcp://s/a:{b}","uri":"a:b"})"},
        Rewriting{publish_tool_result,
                  R"({"content":[{"type":"text","text":"ui://x","uri":"a:b"},
                        {"type":"resource","resource":{"uri":"a:b","text":"ui://x",
                          "_meta":{"ui":{"resourceUri":"ui://p"}}}},
                        {"type":"resource_link","uri":"ui://x","name":"n"}],
                      "structuredContent":{"uri":"a:b"},"extra":null,
                      "_meta":{"ui":{"resourceUri":"ui://p"}}})",
                  R"({"content":[{"type":"text","text":"ui://x","uri":"a:b"},
                        {"type":"resource","resource":{"uri":"mcp://s/a:b","text":"ui://x",
                          "_meta":{"ui":{"resourceUri":"ui://s/p"}}}},
                        {"type":"resource_link","uri":"ui://s/x","name":"n"}],
                      "structuredContent":{"uri":"a:b"},"extra":null,
                      "_meta":{"ui":{"resourceUri":"ui://s/p"}}})"},
        Rewriting{publish_resource_result,
                  R"({"contents":[{"uri":"ui://x","text":"t","_meta":{"ui":{"csp":{}}}},
                        {"uri":"a:b","blob":""}],"uri":"a:b",
                      "_meta":{"ui":{"resourceUri":"ui://p"}}})",
                  R"({"contents":[{"uri":"ui://s/x","text":"t","_meta":{"ui":{"csp":{}}}},
                        {"uri":"mcp://s/a:b","blob":""}],"uri":"a:b",
                      "_meta":{"ui":{"resourceUri":"ui://s/p"}}})"},
        Rewriting{publish_prompt_result,
                  R"({"messages":[{"role":"user","content":{"type":"resource",
                        "resource":{"uri":"a:b"}}},{"role":"user","content":{"type":"text"}},
                      {"content":[{"type":"resource_link","uri":"a:b"}]}],"_meta":{"ui/resourceUri":"ui://p"}})",
                  R"({"messages":[{"role":"user","content":{"type":"resource",
                        "resource":{"uri":"mcp://s/a:b"}}},{"role":"user","content":{"type":"text"}},
                      {"content":[{"type":"resource_link","uri":"mcp://s/a:b"}]}],
                      "_meta":{"ui/resourceUri":"ui://s/p"}})"}));

TEST(Publish, IsTakenBackInTheMetaOfADefinition) {
  for (auto const* const text : {
           R"({"_meta":{"ui":{"resourceUri":"ui://x/y","visibility":["app"]},"a":1}})",
           R"({"_meta":{"ui/resourceUri":"ui://x/y"}})",
           R"({"_meta":{"ui":{"resourceUri":7},"ui/resourceUri":[]}})",
       }) {
    auto object = parsed_object(text);
    publish_tool("s", object);
    restore_meta("s", object.at("_meta").as_object());
    EXPECT_EQ(json::to_text(object), json::to_text(parsed_object(text)));
  }
}

TEST(Publish, IsNotTakenBackWhereAnotherServerIsNamed) {
  auto meta = parsed_object(R"({"ui":{"resourceUri":"ui://other/y"}})");
  restore_meta("s", meta);
  EXPECT_EQ(json::to_text(meta), R"({"ui":{"resourceUri":"ui://other/y"}})");
}

TEST(Publish, LeavesAloneWhatHasAnotherTypeThanItShould) {
  for (auto const* const text : {
           R"({"_meta":7,"content":{},"contents":"x","messages":null,"uri":[],"uriTemplate":1})",
           R"({"_meta":{"ui":[],"ui/resourceUri":{}},"content":[1,null,[],"x",{}]})",
           R"({"_meta":{"ui":{"resourceUri":1}},"contents":[1,{"uri":null,"_meta":[]}]})",
           R"({"content":[{"type":1,"uri":"a"},{"type":"resource","resource":"a:b"},
               {"type":"resource_link","uri":{}}]})",
           R"({"messages":[1,{"content":"x"},{"content":7},{"content":[null]}]})",
           "{}",
       }) {
    for (auto const publish :
         {publish_tool, publish_resource, publish_template, publish_tool_result,
          publish_resource_result, publish_prompt_result}) {
      auto object = parsed_object(text);
      publish("s", object);
      EXPECT_EQ(json::to_text(object), json::to_text(parsed_object(text)));
    }
  }
}

}  // namespace
}  // namespace sallyport::upstream
