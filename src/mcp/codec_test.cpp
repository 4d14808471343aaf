#include "src/mcp/codec.hpp"

#include "src/mcp/content.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::parsed;
using test::parsed_object;

constexpr auto k2024 = Revision::V2024_11_05;
constexpr auto k2025_03 = Revision::V2025_03_26;
constexpr auto k2025_06 = Revision::V2025_06_18;
constexpr auto k2025_11 = Revision::V2025_11_25;

Tool full_tool() {
  Tool tool;
  tool.name = "t";
  tool.title = "Title";
  tool.description = "What it does";
  tool.output_schema = parsed(R"({"type":"object"})");
  tool.annotations = {{"readOnlyHint", true}};
  tool.icons = {json::Object{{"src", "https://icons.example/i.png"}}};
  tool.meta = {{"k", 1}};
  tool.task_support = TaskSupport::Optional;
  return tool;
}

bool since(Revision revision, Revision first) {
  return revision >= first;
}

TEST(CodecTool, ShowsEachRevisionTheMembersItKnows) {
  auto const tool = full_tool();

  for (auto const revision : kRevisions) {
    auto const shown = codec::tool(tool, revision);
    auto const name = to_string(revision);
    EXPECT_TRUE(shown.contains("inputSchema")) << name;
    EXPECT_TRUE(shown.contains("description")) << name;
    EXPECT_EQ(shown.contains("annotations"), since(revision, k2025_03)) << name;
    EXPECT_EQ(shown.contains("title"), since(revision, k2025_06)) << name;
    EXPECT_EQ(shown.contains("outputSchema"), since(revision, k2025_06)) << name;
    EXPECT_EQ(shown.contains("_meta"), since(revision, k2025_06)) << name;
    EXPECT_EQ(shown.contains("icons"), since(revision, k2025_11)) << name;
    EXPECT_EQ(shown.contains("execution"), revision == k2025_11) << name;
  }
}

TEST(CodecTool, AnOutputSchemaThatIsNoObjectIsShownToTheModernEraOnly) {
  auto tool = full_tool();
  tool.output_schema = parsed(R"({"type":"array"})");

  for (auto const revision : kRevisions) {
    EXPECT_EQ(codec::tool(tool, revision).contains("outputSchema"), is_modern(revision));
  }
}

TEST(CodecTool, NamesTaskSupportUnlessItIsForbidden) {
  auto tool = full_tool();

  tool.task_support = TaskSupport::Required;
  EXPECT_EQ(codec::tool(tool, k2025_11).at("execution").at("taskSupport"), "required");
  tool.task_support = TaskSupport::Forbidden;
  EXPECT_FALSE(codec::tool(tool, k2025_11).contains("execution"));
}

TEST(CodecTool, LeavesEmptyMembersOut) {
  Tool tool;
  tool.name = "t";

  EXPECT_EQ(codec::tool(tool, kModern),
            parsed_object(R"({"name":"t","inputSchema":{"type":"object"}})"));
}

TEST(CodecResource, ShowsTitlesAndIconsWhereTheyAreKnown) {
  Resource resource;
  resource.uri = "x://a";
  resource.name = "a";
  resource.title = "A";
  resource.mime_type = "text/plain";
  resource.size = 7;
  resource.annotations = {{"priority", 1}};
  resource.icons = {json::Object{{"src", "https://icons.example/i.png"}}};

  auto const oldest = codec::resource(resource, k2024);
  auto const newest = codec::resource(resource, kModern);

  EXPECT_FALSE(oldest.contains("title"));
  EXPECT_FALSE(oldest.contains("icons"));
  EXPECT_EQ(oldest.at("mimeType"), "text/plain");
  EXPECT_EQ(oldest.at("size"), 7);
  EXPECT_TRUE(oldest.contains("annotations"));
  EXPECT_EQ(newest.at("title"), "A");
  EXPECT_TRUE(newest.contains("icons"));
}

TEST(CodecPrompt, ShowsTitlesOfArgumentsWhereTheyAreKnown) {
  Prompt prompt;
  prompt.name = "p";
  prompt.arguments = {{"a", "A", "The first", true}, {"b", "", "", false}};

  EXPECT_EQ(codec::prompt(prompt, kModern).at("arguments"),
            parsed(R"([{"name":"a","title":"A","description":"The first","required":true},
                       {"name":"b"}])"));
  EXPECT_EQ(codec::prompt(prompt, k2025_03).at("arguments").at(0),
            parsed(R"({"name":"a","description":"The first","required":true})"));
}

TEST(CodecContentBlock, SaysWhatWasLeftOutForARevisionThatDoesNotKnowIt) {
  auto const audio = content::audio("\x01\x02", "audio/wav");
  auto const link = content::resource_link("x://a", "a");

  for (auto const revision : kRevisions) {
    auto const name = to_string(revision);
    EXPECT_EQ(codec::content_block(audio, revision).at("type"),
              since(revision, k2025_03) ? "audio" : "text")
        << name;
    auto const shown = codec::content_block(link, revision);
    EXPECT_EQ(shown.at("type"), since(revision, k2025_06) ? "resource_link" : "text") << name;
  }
  EXPECT_EQ(codec::content_block(link, k2024).at("text"), "[link: x://a]");
}

TEST(CodecContentBlock, LeavesTheOtherKindsAsTheyAre) {
  json::Object const blocks[] = {
      content::text("t"), content::image("\xFF", "image/png"),
      content::embedded(content::resource_bytes("x://a", "image/png", "\xFF")),
      content::embedded(content::resource_text("x://a", "text/plain", "t"))};

  for (auto const& block : blocks) {
    for (auto const revision : kRevisions) EXPECT_EQ(codec::content_block(block, revision), block);
  }
  EXPECT_EQ(blocks[1].at("data"), "/w==");
}

TEST(CodecToolResult, ShowsStructuredContentByRevisionAndType) {
  auto const object = structured_result(json::Object{{"a", 1}});
  auto const array = structured_result(json::Array{1, 2});

  for (auto const revision : kRevisions) {
    EXPECT_EQ(codec::tool_result(object, revision).contains("structuredContent"),
              since(revision, k2025_06));
    EXPECT_EQ(codec::tool_result(array, revision).contains("structuredContent"),
              is_modern(revision));
  }
  EXPECT_EQ(codec::tool_result(array, k2024).at("content").at(0).at("text"), "[1,2]");
}

TEST(CodecToolResult, WritesWhatIsTextAlreadyAsItIs) {
  ToolResult result;
  result.structured_text = R"({"a":"x"})";

  std::string text = "{";
  codec::write_tool_result(result, kModern, text);
  EXPECT_EQ(text, R"({"content":[],"structuredContent":{"a":"x"})");
  // Who knows no structure gets it as text.
  text = "{";
  codec::write_tool_result(result, k2024, text);
  EXPECT_EQ(text, R"({"content":[{"type":"text","text":"{\"a\":\"x\"}"}])");
}

TEST(CodecToolResult, SaysIsErrorOnlyWhenItIsOne) {
  EXPECT_EQ(codec::tool_result(error_result("no"), k2024).at("isError"), true);
  EXPECT_FALSE(codec::tool_result(text_result("yes"), k2024).contains("isError"));
}

TEST(CodecPromptResult, PutsContentInTheRevisionsForm) {
  PromptResult result;
  result.messages.push_back(prompt_message("user", content::audio("a", "audio/wav")));

  EXPECT_EQ(codec::prompt_result(result, k2024).at("messages").at(0).at("content").at("type"),
            "text");
  EXPECT_EQ(codec::prompt_result(result, kModern).at("messages").at(0).at("content").at("type"),
            "audio");
}

TEST(CodecInput, AFormHasAModeSince2025_11_25) {
  auto const form = elicit_form("m", parsed_object(R"({"type":"object"})"));

  EXPECT_FALSE(codec::input_params(form, k2025_06).contains("mode"));
  EXPECT_EQ(codec::input_params(form, k2025_11).at("mode"), "form");
  EXPECT_EQ(codec::input_params(form, kModern).at("mode"), "form");
}

TEST(CodecInput, NamesTheMethodOfEachKind) {
  EXPECT_EQ(codec::input_method(InputKind::Elicitation), "elicitation/create");
  EXPECT_EQ(codec::input_method(InputKind::UrlElicitation), "elicitation/create");
  EXPECT_EQ(codec::input_method(InputKind::Sampling), "sampling/createMessage");
  EXPECT_EQ(codec::input_method(InputKind::SamplingWithTools), "sampling/createMessage");
  EXPECT_EQ(codec::input_method(InputKind::Roots), "roots/list");
}

}  // namespace
}  // namespace sallyport::mcp
