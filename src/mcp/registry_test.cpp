#include "src/mcp/registry.hpp"

#include "src/mcp/run_tool.hpp"

#include "tests/support/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::parsed;
using test::parsed_object;
using testing::HasSubstr;

Tool tool(std::string name) {
  Tool made;
  made.name = std::move(name);
  return made;
}

Resource resource(std::string uri) {
  Resource made;
  made.uri = std::move(uri);
  made.name = "r";
  return made;
}

ResourceTemplate by_template(std::string uri_template) {
  ResourceTemplate made;
  made.uri_template = std::move(uri_template);
  made.name = "t";
  return made;
}

Prompt prompt(std::string name) {
  Prompt made;
  made.name = std::move(name);
  return made;
}

template <class... Entries>
Result<std::shared_ptr<Registry const>> build(Entries... entries) {
  Registry::Builder builder;
  (builder.add(std::move(entries)), ...);
  return builder.build();
}

TEST(Registry, FindsWhatWasAdded) {
  auto const registry = build(tool("a"), tool("b"), resource("x://1"), prompt("p"));

  ASSERT_TRUE(registry);
  EXPECT_EQ((*registry)->tool("b"), &(*registry)->tools()[1]);
  EXPECT_EQ((*registry)->tool("c"), nullptr);
  EXPECT_NE((*registry)->prompt("p"), nullptr);
  EXPECT_TRUE((*registry)->resource("x://1"));
  EXPECT_FALSE((*registry)->resource("x://2"));
}

TEST(Registry, RefusesANameThatIsNotOne) {
  for (auto const& name : {std::string{}, std::string{"a b"}, std::string{"a/b"}, std::string{"ä"},
                           std::string(65, 'a')}) {
    EXPECT_FALSE(build(tool(name))) << name;
  }
  EXPECT_TRUE(build(tool(std::string(64, 'a')), tool("A-z_0.9")));
}

TEST(Registry, RefusesTheSameNameTwice) {
  EXPECT_THAT(build(tool("a"), tool("a")).error().message, HasSubstr("two tools named 'a'"));
  EXPECT_FALSE(build(resource("x://1"), resource("x://1")));
  EXPECT_FALSE(build(prompt("p"), prompt("p")));
  EXPECT_FALSE(build(by_template("x://{a}"), by_template("x://{a}")));
}

TEST(Registry, RefusesASchemaThatDoesNotCompileAndNamesTheTool) {
  auto input = tool("a");
  input.input_schema = parsed_object(R"({"type":"object","properties":{"x":{"type":"nonsense"}}})");
  auto output = tool("b");
  output.output_schema = parsed(R"({"$ref":"https://elsewhere.example/schema"})");
  auto mirrored = tool("c");
  mirrored.input_schema =
      parsed_object(R"({"type":"object","properties":{"x":{"type":"number","x-mcp-header":"X"}}})");

  EXPECT_THAT(build(input).error().message, HasSubstr("'a'"));
  EXPECT_THAT(build(output).error().message, HasSubstr("'b'"));
  EXPECT_THAT(build(mirrored).error().message, HasSubstr("'c'"));
}

// Clients refuse a whole list in which one input schema is not an object's.
TEST(Registry, RefusesAnInputSchemaThatDescribesNoObject) {
  for (auto const* const schema : {"{}", R"({"type":"string"})", R"({"type":["object"]})"}) {
    auto made = tool("a");
    made.input_schema = parsed_object(schema);
    EXPECT_FALSE(build(made)) << schema;
  }
}

TEST(Registry, TakesAForeignToolWhateverItsSchemasSayAndMakesThemAnObjects) {
  auto made = tool("a");
  made.foreign = true;
  made.input_schema = parsed_object(R"({"properties":{"x":{"type":"nonsense"}}})");
  made.output_schema = parsed(R"({"$ref":"https://elsewhere.example/schema"})");
  auto const registry = build(made).value();
  auto const& registered = *registry->tool("a");

  EXPECT_FALSE(registered.input);
  EXPECT_FALSE(registered.output);
  EXPECT_EQ(registered.tool.input_schema.at("type"), "object");
  EXPECT_THAT(registered.listed[kModern], HasSubstr("nonsense"));
  EXPECT_FALSE(refuse_arguments(registered, parsed(R"({"x":1})")));
  EXPECT_TRUE(refuse_arguments(registered, parsed("[]")));
}

TEST(Registry, RefusesAForeignToolWhoseArgumentsCannotBeMirrored) {
  auto made = tool("a");
  made.foreign = true;
  made.input_schema = parsed_object(R"({"properties":{"x":{"type":"number","x-mcp-header":"X"}}})");

  EXPECT_FALSE(build(made));
}

TEST(Registry, KeepsOneTextForRevisionsThatShowTheSame) {
  auto annotated = tool("b");
  annotated.annotations = {{"readOnlyHint", true}};
  auto const registry = build(tool("a"), annotated).value();

  EXPECT_EQ(registry->tool("a")->listed.distinct(), 1U);
  auto const& texts = registry->tool("b")->listed;
  EXPECT_EQ(texts.distinct(), 2U);
  EXPECT_EQ(texts[Revision::V2024_11_05].find("readOnlyHint"), std::string::npos);
  for (auto const revision : kRevisions) {
    if (revision == Revision::V2024_11_05) continue;
    EXPECT_THAT(texts[revision], HasSubstr("readOnlyHint")) << to_string(revision);
  }
}

// A handler that can be told from others without being called.
struct Marked {
  std::string mark;

  Task<ResourceResult> operator()(CallContext&, std::string const&, TemplateValues const&) const {
    co_return ResourceResult{};
  }
};

TEST(Registry, FindsAResourceUnderTheLongestMountThatFitsAfterAllEntries) {
  Registry::Builder builder;
  builder.mount("x://", Marked{"short"}).mount("x://a/", Marked{"long"});
  auto fixed = resource("x://a/fixed");
  fixed.handler = Marked{"fixed"};
  builder.add(std::move(fixed));
  auto by_id = by_template("x://a/by-{id}");
  by_id.handler = Marked{"template"};
  builder.add(std::move(by_id));
  auto const registry = builder.build().value();

  struct Row {
    char const* uri;
    char const* handler;
  };
  for (auto const& [uri, handler] : {Row{"x://a/fixed", "fixed"}, Row{"x://a/by-1", "template"},
                                     Row{"x://a/other", "long"}, Row{"x://b", "short"}}) {
    auto const found = registry->resource(uri);
    ASSERT_TRUE(found) << uri;
    EXPECT_EQ(found->handler.target<Marked>()->mark, handler) << uri;
  }
  EXPECT_FALSE(registry->resource("y://a"));
}

TEST(Registry, RefusesTheSameMountTwiceAndSaysThatItHasResourcesWhereThereIsOne) {
  Registry::Builder twice;
  twice.mount("x://", {}).mount("y://", {}).mount("x://", {});
  EXPECT_THAT(twice.build().error().message, HasSubstr("'x://'"));

  Registry::Builder once;
  once.mount("x://", {});
  EXPECT_TRUE(once.build().value()->capabilities(kModern).contains("resources"));
}

TEST(Registry, ShowsAToolToTheCallersItIsMeantFor) {
  struct Row {
    char const* meta;
    bool model;
    bool app;
  };
  constexpr Row kRows[] = {
      {"{}", true, true},
      {R"({"ui":{}})", true, true},
      {R"({"ui":{"visibility":["model","app"]}})", true, true},
      {R"({"ui":{"visibility":["app"]}})", false, true},
      {R"({"ui":{"visibility":["model"]}})", true, false},
      {R"({"ui":{"visibility":[]}})", false, false},
      {R"({"ui":{"visibility":"app"}})", true, true},
  };

  for (auto const& row : kRows) {
    auto made = tool("a");
    made.meta = parsed_object(row.meta);
    auto const registry = build(made).value();
    auto const& registered = *registry->tool("a");
    EXPECT_EQ(registered.visible_to(CallerKind::Model), row.model) << row.meta;
    EXPECT_EQ(registered.visible_to(CallerKind::App), row.app) << row.meta;
    EXPECT_TRUE(registered.visible_to(CallerKind::Unknown)) << row.meta;
  }
}

TEST(Registry, PrefersAFixedResourceToATemplateAndTheFirstTemplateToTheNext) {
  auto const registry =
      build(by_template("x://{first}"), by_template("x://{second}"), resource("x://1")).value();

  EXPECT_TRUE(registry->resource("x://1")->values.empty());
  EXPECT_EQ(registry->resource("x://2")->values.at("first"), "2");
}

TEST(Registry, HasAFingerprintThatChangesWithItsEntries) {
  auto const print = [](auto... entries) {
    return build(entries...).value()->fingerprint(Registry::List::Tools);
  };
  auto described = tool("a");
  described.description = "Something else";

  EXPECT_EQ(print(tool("a")), print(tool("a")));
  EXPECT_NE(print(tool("a")), print(tool("b")));
  EXPECT_NE(print(tool("a")), print(described));
  EXPECT_NE(print(tool("a")), print(tool("a"), prompt("p")));
}

TEST(Registry, SaysItCanDoOnlyWhatItsEntriesCan) {
  auto completing = prompt("p");
  completing.completer = [](CallContext&, std::string_view, std::string_view,
                            json::Object const&) -> Task<Completion> { co_return Completion{}; };
  auto slow = tool("a");
  slow.task_support = TaskSupport::Optional;
  auto const bare = build(tool("a")).value();
  auto const full = build(slow, completing, resource("x://1")).value();

  for (auto const revision : kRevisions) {
    auto const name = to_string(revision);
    EXPECT_EQ(bare->capabilities(revision),
              parsed_object(R"({"logging":{},"tools":{"listChanged":true}})"))
        << name;
    auto const& has = full->capabilities(revision);
    EXPECT_TRUE(has.contains("prompts")) << name;
    EXPECT_TRUE(has.contains("resources")) << name;
    EXPECT_EQ(has.contains("completions"), revision >= Revision::V2025_03_26) << name;
    EXPECT_EQ(has.contains("tasks"), has_core_tasks(revision)) << name;
    EXPECT_EQ(has.contains("extensions"), is_modern(revision)) << name;
  }
}

TEST(MatchTemplate, GivesTheVariablesOfAUriThatMatches) {
  struct Row {
    char const* uri_template;
    char const* uri;
    std::optional<TemplateValues> values;
  };
  Row const rows[] = {
      {"x://{id}", "x://7", {{{"id", "7"}}}},
      {"x://{id}/data", "x://7/data", {{{"id", "7"}}}},
      {"x://{a}/{b}", "x://1/2", {{{"a", "1"}, {"b", "2"}}}},
      {"x://{name}.txt", "x://a.txt", {{{"name", "a"}}}},
      {"x://plain", "x://plain", {TemplateValues{}}},
      {"x://{id}", "x://", std::nullopt},
      {"x://{id}", "x://a/b", std::nullopt},
      {"x://{id}/data", "x://7", std::nullopt},
      {"x://{id}/data", "x://7/data/more", std::nullopt},
      {"x://{id}/data", "x:///data", std::nullopt},
      {"x://{id}", "y://7", std::nullopt},
      {"x://{id", "x://7", std::nullopt},
      {"x://{a}{b}", "x://12", std::nullopt},
      {"x://plain", "x://plainer", std::nullopt},
  };

  for (auto const& row : rows) {
    EXPECT_EQ(match_template(row.uri_template, row.uri), row.values)
        << row.uri_template << ' ' << row.uri;
  }
}

}  // namespace
}  // namespace sallyport::mcp
