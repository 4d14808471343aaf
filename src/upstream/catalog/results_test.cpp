#include "src/upstream/catalog/results.hpp"

#include "src/mcp/codec.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using namespace std::chrono_literals;
using test::parsed;
using test::parsed_object;

TEST(TakeResults, KeepWhatTheProtocolHas) {
  auto const tool = take_tool_result(parsed_object(
      R"({"content":[{"type":"text","text":"t","_meta":{"k":1}},{"type":"new kind"}],
          "structuredContent":[1],"isError":true,"_meta":{"m":1}})"));
  EXPECT_EQ(tool.content,
            parsed(R"([{"type":"text","text":"t","_meta":{"k":1}},{"type":"new kind"}])"));
  EXPECT_EQ(tool.structured, parsed("[1]"));
  EXPECT_TRUE(tool.is_error);
  EXPECT_EQ(tool.meta, parsed_object(R"({"m":1})"));

  auto const resource =
      take_resource_result(parsed_object(R"({"contents":[{"uri":"a:b"}],"_meta":{"m":2}})"));
  EXPECT_EQ(resource.contents, parsed(R"([{"uri":"a:b"}])"));
  EXPECT_EQ(resource.meta, parsed_object(R"({"m":2})"));

  auto const prompt = take_prompt_result(parsed_object(
      R"({"description":"d","messages":[{"role":"user","content":{"type":"text","text":""}}],
          "_meta":{"m":3}})"));
  EXPECT_EQ(prompt.description, "d");
  EXPECT_EQ(prompt.messages.size(), 1U);
  EXPECT_EQ(prompt.meta, parsed_object(R"({"m":3})"));

  auto const completion = take_completion(
      parsed_object(R"({"completion":{"values":["a",1,"b"],"total":9,"hasMore":true}})"));
  EXPECT_EQ(completion.values, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(completion.total, 9U);
  EXPECT_TRUE(completion.has_more);
}

TEST(TakeResults, SayHowLongAResourceMayBeKept) {
  EXPECT_EQ(take_resource_result(parsed_object(R"({"contents":[],"ttlMs":2500})")).ttl, 2500ms);
  for (auto const* const text : {R"({"contents":[]})", R"({"ttlMs":-1})", R"({"ttlMs":"1"})"}) {
    EXPECT_EQ(take_resource_result(parsed_object(text)).ttl, 0ms) << text;
  }
}

// The codec takes the shape of a result for granted: it must survive whatever comes out of here.
TEST(TakeResults, LeaveOutWhatIsOfTheWrongType) {
  for (auto const* const text : {
           "{}",
           R"({"content":7,"contents":{},"messages":"x","isError":"yes","_meta":[]})",
           R"({"content":[1,null,[],{},{"type":1}],"contents":[1,{},{"uri":null}],
               "messages":[1,{},{"role":"user"},{"role":1,"content":{"type":"text"}},
                 {"role":"user","content":[]},{"role":"user","content":{}}]})",
           R"({"completion":[]})",
           R"({"completion":{"values":1,"total":-1,"hasMore":1}})",
       }) {
    auto const object = parsed_object(text);
    auto const tool = take_tool_result(object);
    auto const prompt = take_prompt_result(object);
    EXPECT_TRUE(tool.content.empty()) << text;
    EXPECT_FALSE(tool.is_error) << text;
    EXPECT_TRUE(prompt.messages.empty()) << text;
    EXPECT_TRUE(take_resource_result(object).contents.empty()) << text;
    EXPECT_TRUE(take_completion(object).values.empty()) << text;
    EXPECT_FALSE(take_completion(object).total) << text;
    for (auto const revision : mcp::kRevisions) {
      (void)mcp::codec::tool_result(tool, revision);
      (void)mcp::codec::prompt_result(prompt, revision);
      (void)mcp::codec::resource_result(take_resource_result(object), revision);
    }
  }
}

}  // namespace
}  // namespace sallyport::upstream
