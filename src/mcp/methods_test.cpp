// Resources, prompts and completion, through the dispatcher.
#include "src/mcp/methods.hpp"

#include "src/mcp/content.hpp"

#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::McpBench;
using test::parsed;
using test::parsed_object;

Task<ResourceResult> read(CallContext&, std::string const& uri, TemplateValues const& values) {
  auto const id = values.find("id");
  if (id != values.end() && id->second == "gone") {
    co_return fail(Errc::NotFound, "There is no such thing.");
  }
  ResourceResult result;
  result.contents.push_back(
      content::resource_text(uri, "text/plain", id == values.end() ? "fixed" : id->second));
  if (id != values.end() && id->second == "fleeting") result.ttl = std::chrono::milliseconds{250};
  if (id != values.end() && id->second == "known") result.meta = {{"about", "it"}};
  co_return result;
}

Task<PromptResult> speak(CallContext&, json::Object const& arguments) {
  PromptResult result;
  result.messages.push_back(prompt_message("user", content::text(json::to_text(arguments))));
  if (arguments.contains("more")) result.meta = {{"about", "it"}};
  co_return result;
}

Task<Completion> count_up(CallContext&, std::string_view argument, std::string_view value,
                          json::Object const& known) {
  Completion proposals;
  for (int i = 0; i < (known.contains("few") ? 2 : 150); ++i) {
    proposals.values.push_back(fmt::format("{} {} {}", argument, value, i));
  }
  co_return proposals;
}

// As another server's list: a part of it, or no answer at all.
Task<Completion> relay(CallContext&, std::string_view argument, std::string_view,
                       json::Object const&) {
  if (argument == "broken") co_return fail(Errc::UpstreamFailed, "The server is gone.");
  if (argument == "many") co_return Completion{.values = {"a"}, .total = 7};
  co_return Completion{.values = {"a"}, .has_more = true};
}

Registry::Builder some_entries() {
  Resource fixed;
  fixed.uri = "x://fixed";
  fixed.name = "fixed";
  fixed.handler = read;
  ResourceTemplate by_id;
  by_id.uri_template = "x://by/{id}";
  by_id.name = "by id";
  by_id.handler = read;
  by_id.completer = count_up;
  Prompt prompt;
  prompt.name = "p";
  prompt.arguments = {{"needed", "", "", true}, {"more", "", "", false}};
  prompt.handler = speak;
  Prompt completed;
  completed.name = "q";
  completed.handler = speak;
  completed.completer = relay;
  Registry::Builder builder;
  builder.add(std::move(fixed)).add(std::move(by_id)).add(std::move(prompt));
  builder.add(std::move(completed));
  return builder;
}

class MethodsTest : public testing::Test {
 protected:
  McpBench bench_{some_entries()};
};

TEST_F(MethodsTest, AResourceIsReadByItsUriOrByATemplate) {
  auto const fixed = bench_.modern("resources/read", R"({"uri":"x://fixed"})").result();
  auto const by_id = bench_.modern("resources/read", R"({"uri":"x://by/7"})").result();

  EXPECT_EQ(fixed.at("contents").at(0).at("text"), "fixed");
  EXPECT_EQ(fixed.at("cacheScope"), "private");
  EXPECT_EQ(by_id.at("contents").at(0).at("text"), "7");
}

TEST_F(MethodsTest, AResourceMayBeKeptAsLongAsItSays) {
  auto const session = bench_.open(Revision::V2025_11_25);
  auto const* const params = R"({"uri":"x://by/fleeting"})";
  auto const modern = bench_.modern("resources/read", params).result();
  auto const legacy = bench_.legacy(session, "resources/read", params).result();

  EXPECT_EQ(modern.at("ttlMs"), 250);
  EXPECT_EQ(modern.at("cacheScope"), "private");
  EXPECT_FALSE(legacy.contains("ttlMs"));
  EXPECT_FALSE(legacy.contains("cacheScope"));
}

TEST_F(MethodsTest, WhatAHandlerSaysAboutItsResultStandsBesideTheServersName) {
  auto const session = bench_.open(Revision::V2025_11_25);
  auto const* const uri = R"({"uri":"x://by/known"})";
  auto const* const prompt = R"({"name":"p","arguments":{"needed":"a","more":"b"}})";

  for (auto const& [method, params] :
       {std::pair{"resources/read", uri}, std::pair{"prompts/get", prompt}}) {
    auto const modern = bench_.modern(method, params).result().at("_meta").get_object();
    EXPECT_EQ(modern.at("about"), "it") << method;
    EXPECT_TRUE(modern.contains(meta::kServerInfo)) << method;
    EXPECT_EQ(bench_.legacy(session, method, params).result().at("_meta"),
              parsed(R"({"about":"it"})"))
        << method;
  }
}

TEST_F(MethodsTest, AResourceThatIsNotThereHasTheErrorOfItsEra) {
  auto const session = bench_.open(Revision::V2025_11_25);

  for (auto const* const uri : {"x://none", "x://by/gone", "x://by/a/b"}) {
    auto const params = fmt::format(R"({{"uri":"{}"}})", uri);
    auto const& modern = bench_.modern("resources/read", params);
    EXPECT_EQ(modern.error_code(), code::kInvalidParams) << uri;
    EXPECT_EQ(modern.status, 200) << uri;
    EXPECT_EQ(modern.answer.at("error").at("data").at("uri"), uri);
    EXPECT_EQ(bench_.legacy(session, "resources/read", params).error_code(),
              code::kResourceNotFound);
  }
  EXPECT_EQ(bench_.modern("resources/read").error_code(), code::kInvalidParams);
}

TEST_F(MethodsTest, APromptGetsItsArguments) {
  auto const& outlet = bench_.modern("prompts/get", R"({"name":"p","arguments":{"needed":"a"}})");

  EXPECT_EQ(outlet.result().at("messages").at(0).at("content").at("text"), R"({"needed":"a"})");
}

TEST_F(MethodsTest, APromptIsRefusedArgumentsThatAreMissingOrNoStrings) {
  for (auto const* const params : {
           "{}",
           R"({"name":"none"})",
           R"({"name":"p"})",
           R"({"name":"p","arguments":{}})",
           R"({"name":"p","arguments":{"needed":1}})",
           R"({"name":"p","arguments":{"needed":"a","more":null}})",
           R"({"name":"p","arguments":{"needed":"a","undeclared":{"deep":1}}})",
           R"({"name":"p","arguments":["needed"]})",
       }) {
    EXPECT_EQ(bench_.modern("prompts/get", params).error_code(), code::kInvalidParams) << params;
  }
}

TEST_F(MethodsTest, CompletionGivesAtMostAHundredAndSaysThatThereAreMore) {
  auto const& outlet = bench_.modern(
      "completion/complete",
      R"({"ref":{"type":"ref/resource","uri":"x://by/{id}"},"argument":{"name":"id","value":"v"}})");

  auto const completion = outlet.result().at("completion").get_object();
  EXPECT_EQ(completion.at("values").get_array().size(), 100U);
  EXPECT_EQ(completion.at("values").at(0), "id v 0");
  EXPECT_EQ(completion.at("total"), 150);
  EXPECT_EQ(completion.at("hasMore"), true);
}

TEST_F(MethodsTest, CompletionKnowsTheArgumentsAlreadyFilledIn) {
  auto const& outlet = bench_.modern(
      "completion/complete",
      R"({"ref":{"type":"ref/resource","uri":"x://by/{id}"},"argument":{"name":"id","value":""},
          "context":{"arguments":{"few":"yes"}}})");

  EXPECT_EQ(outlet.result().at("completion").at("values").get_array().size(), 2U);
  EXPECT_EQ(outlet.result().at("completion").at("hasMore"), false);
}

TEST_F(MethodsTest, CompletionOfAPartSaysSoAndAFailureIsAnError) {
  auto const ask = [&](std::string_view argument) -> auto const& {
    return bench_.modern(
        "completion/complete",
        fmt::format(
            R"({{"ref":{{"type":"ref/prompt","name":"q"}},"argument":{{"name":"{}","value":""}}}})",
            argument));
  };

  EXPECT_EQ(ask("many").result().at("completion"),
            parsed(R"({"values":["a"],"total":7,"hasMore":true})"));
  EXPECT_EQ(ask("some").result().at("completion"), parsed(R"({"values":["a"],"hasMore":true})"));
  EXPECT_NE(ask("broken").error_code(), 0);
}

TEST_F(MethodsTest, CompletionOfSomethingWithoutProposalsIsEmpty) {
  auto const& outlet = bench_.modern(
      "completion/complete",
      R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"needed","value":""}})");

  EXPECT_TRUE(outlet.result().at("completion").at("values").get_array().empty());
}

TEST_F(MethodsTest, CompletionOfTheWrongShapeIsRefused) {
  for (auto const* const params : {
           "{}",
           R"({"ref":{"type":"ref/prompt","name":"p"}})",
           R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"needed"}})",
           R"({"ref":{"type":"ref/prompt","name":"no"},"argument":{"name":"a","value":""}})",
           R"({"ref":{"type":"ref/resource","uri":"x://no"},"argument":{"name":"a","value":""}})",
           R"({"ref":{"type":"ref/other"},"argument":{"name":"a","value":""}})",
           R"({"ref":{},"argument":{"name":"a","value":""}})",
       }) {
    EXPECT_EQ(bench_.modern("completion/complete", params).error_code(), code::kInvalidParams)
        << params;
  }
}

TEST_F(MethodsTest, CompletionNeedsNoCapabilityIn2024_11_05) {
  auto const session = bench_.open(Revision::V2024_11_05);

  auto const& outlet = bench_.legacy(
      session, "completion/complete",
      R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"needed","value":""}})");

  EXPECT_EQ(outlet.error_code(), 0);
  EXPECT_FALSE(
      bench_.initialized.at("result").at("capabilities").get_object().contains("completions"));
}

TEST_F(MethodsTest, DiscoveryNamesTheRevisionsNewestFirst) {
  auto const result = bench_.modern("server/discover").result();

  EXPECT_EQ(result.at("supportedVersions"),
            parsed(R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])"));
  EXPECT_TRUE(result.contains("capabilities"));
  EXPECT_EQ(result.at("cacheScope"), "public");
}

TEST_F(MethodsTest, PingIsAnsweredWithAnEmptyObject) {
  auto const session = bench_.open(Revision::V2025_06_18);

  EXPECT_EQ(json::to_text(bench_.legacy(session, "ping").answer.at("result")), "{}");
}

TEST(MissingCapability, NamesOnlyWhatIsMissing) {
  struct Row {
    char const* declared;
    char const* required;
    char const* missing;  // empty: nothing
  };
  constexpr Row kRows[] = {
      {"{}", "{}", ""},
      {R"({"sampling":{}})", R"({"sampling":{}})", ""},
      {"{}", R"({"sampling":{}})", R"({"sampling":{}})"},
      {R"({"sampling":true})", R"({"sampling":{}})", R"({"sampling":{}})"},
      {R"({"sampling":{}})", R"({"sampling":{"tools":{}},"roots":{}})",
       R"({"sampling":{"tools":{}},"roots":{}})"},
      {R"({"roots":{}})", R"({"roots":{},"elicitation":{"url":{}}})",
       R"({"elicitation":{"url":{}}})"},
  };

  for (auto const& row : kRows) {
    auto const error = missing_capability(parsed_object(row.declared), parsed_object(row.required));
    ASSERT_EQ(error.has_value(), *row.missing != '\0') << row.declared << row.required;
    if (error) EXPECT_EQ(error->data.at("requiredCapabilities"), parsed(row.missing));
  }
}

}  // namespace
}  // namespace sallyport::mcp
