#include "src/json/schema.hpp"

#include "src/json/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace sallyport::json {
namespace {

Value value_of(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : Value{};
}

// "ok", or the message.
std::string verdict(std::string_view schema, std::string_view instance) {
  auto const compiled = Schema::compile(value_of(schema));
  if (!compiled) return "schema: " + compiled.error().message;
  auto const result = compiled->validate(value_of(instance));
  return result ? "ok" : result.error().message;
}

std::string compile_error(std::string_view schema, SchemaLimits limits = {}) {
  auto const compiled = Schema::compile(value_of(schema), limits);
  if (compiled) return "accepted";
  EXPECT_EQ(compiled.error().code, Errc::InvalidInput);
  return compiled.error().message;
}

constexpr std::string_view kTool = R"({
  "type":"object",
  "properties":{
    "url":{"type":"string","pattern":"^https?://"},
    "limit":{"type":"integer","minimum":1,"maximum":100},
    "tags":{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true,"maxItems":2},
    "body":{"anyOf":[{"type":"string"},{"type":"null"}]}
  },
  "required":["url"],
  "additionalProperties":false})";

TEST(Schema, AcceptsWhatMatches) {
  EXPECT_EQ(verdict(kTool, R"({"url":"https://x","limit":100,"tags":["b","a"],"body":null})"),
            "ok");
  EXPECT_EQ(verdict(kTool, R"({"url":"http://x","limit":5.0})"), "ok");
}

TEST(Schema, NamesThePlaceAndWhatWasExpected) {
  struct Case {
    std::string_view instance;
    std::string_view message;
  };
  for (auto const& [instance, message] : {
           Case{R"([])", "(root): must be an object"},
           Case{R"({})", R"((root): must have the property "url")"},
           Case{R"({"url":"ftp://x"})", R"(/url: must match the pattern "^https?://")"},
           Case{R"({"url":"http://","limit":101})", "/limit: must be at most 100"},
           Case{R"({"url":"http://","limit":0})", "/limit: must be at least 1"},
           Case{R"({"url":"http://","limit":1.5})", "/limit: must be an integer"},
           Case{R"({"url":"http://","tags":["a","c"]})", R"(/tags/1: must be one of "a", "b")"},
           Case{R"({"url":"http://","tags":["a","a"]})", "/tags: must not have equal items"},
           Case{R"({"url":"http://","a/b~":1})", "/a~1b~0: is not a known property"},
           Case{R"({"url":"http://","body":1})", "/body: must be a string, or must be null"},
       }) {
    EXPECT_EQ(verdict(kTool, instance), message) << instance;
  }
}

TEST(Schema, ReportsTheAlternativeThatWasMeant) {
  auto const schema = R"({"oneOf":[
      {"type":"null"},
      {"type":"object","properties":{"limit":{"maximum":10}}},
      {"type":"array"}]})";

  EXPECT_EQ(verdict(schema, R"({"limit":11})"), "/limit: must be at most 10");
  EXPECT_EQ(verdict(schema, "1"),
            "(root): must be null, or must be an object, or must be an array");
  EXPECT_EQ(verdict(R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "3"),
            "(root): must match exactly one of 2 alternatives, but matches number 1 and 2");
}

TEST(Schema, KeepsMessagesShort) {
  auto const schema = fmt::format(R"({{"const":"{}"}})", std::string(100'000, 'x'));
  auto const name = std::string(100'000, 'n');

  EXPECT_LT(verdict(schema, "1").size(), 200U);
  EXPECT_LT(verdict(R"({"additionalProperties":false})", fmt::format(R"({{"{}":1}})", name)).size(),
            500U);
}

TEST(Schema, ComparesNumbersByTheirValue) {
  EXPECT_EQ(verdict(R"({"const":1})", "1.0"), "ok");
  EXPECT_EQ(verdict(R"({"enum":[0]})", "-0.0"), "ok");
  EXPECT_NE(verdict(R"({"const":9007199254740993})", "9007199254740992.0"), "ok");
  EXPECT_NE(verdict(R"({"maximum":18446744073709551614})", "18446744073709551615"), "ok");
  EXPECT_EQ(verdict(R"({"minimum":-1})", "18446744073709551615"), "ok");
  EXPECT_NE(verdict(R"({"exclusiveMinimum":9223372036854775807})", "9223372036854775807"), "ok");
  EXPECT_EQ(verdict(R"({"maximum":1e300})", "18446744073709551615"), "ok");
}

TEST(Schema, DividesDecimalsExactly) {
  for (std::string_view const multiple : {"0.3", "4.35", "1e300", "-0.1", "0", "19.99", "1e-1"}) {
    auto const schema = multiple == "4.35" || multiple == "19.99" ? "0.01" : "0.1";
    EXPECT_EQ(verdict(fmt::format(R"({{"multipleOf":{}}})", schema), multiple), "ok") << multiple;
  }
  EXPECT_NE(verdict(R"({"multipleOf":0.1})", "0.35"), "ok");
  EXPECT_NE(verdict(R"({"multipleOf":1e20})", "3"), "ok");
  EXPECT_NE(verdict(R"({"multipleOf":9223372036854775807})", "-9223372036854775808"), "ok");
  EXPECT_EQ(verdict(R"({"multipleOf":2})", "-9223372036854775808"), "ok");
  EXPECT_NE(verdict(R"({"multipleOf":1e300})", "1e-300"), "ok");
}

TEST(Schema, FindsEqualItemsInLongLists) {
  std::string items = "{\"b\":1,\"a\":[2.0]}";
  for (int at = 0; at < 5000; ++at) items += fmt::format(",{},[{}]", at, at);

  EXPECT_EQ(verdict(R"({"uniqueItems":true})", "[" + items + "]"), "ok");
  EXPECT_EQ(verdict(R"({"uniqueItems":true})", "[" + items + R"(,{"a":[2],"b":1.0}])"),
            "(root): must not have equal items");
}

TEST(Schema, CountsCodePoints) {
  EXPECT_EQ(verdict(R"({"minLength":2,"maxLength":2})", R"("\ud83d\ude00é")"), "ok");
  EXPECT_EQ(verdict(R"({"minLength":2})", R"("\ud83d\ude00")"),
            "(root): must have at least 2 characters");
}

TEST(Schema, RefusesWhatIsNotASchema) {
  struct Case {
    std::string_view schema;
    std::string_view message;
  };
  for (auto const& [schema, message] : {
           Case{"1", "The schema is not valid: #: must be an object or a boolean."},
           Case{R"({"properties":{"a":{"type":"text"}}})",
                "The schema is not valid: #/properties/a: \"type\" must name one of the seven JSON "
                "types."},
           Case{R"({"items":{"minimum":"1"}})",
                "The schema is not valid: #/items: \"minimum\" must be a number."},
           Case{R"({"multipleOf":0})",
                "The schema is not valid: #: \"multipleOf\" must be greater than 0."},
           Case{R"({"required":true})",
                "The schema is not valid: #: \"required\" must list names."},
           Case{R"x({"pattern":"(?=a)"})x",
                "The schema is not valid: #: \"pattern\": \"(?=a)\": lookaround '(?=' is not "
                "supported."},
           Case{R"({"$schema":"http://json-schema.org/draft-04/schema#"})",
                "The schema dialect \"http://json-schema.org/draft-04/schema\" is not supported."},
           Case{R"({"$ref":"#/$defs/a"})",
                "The schema is not valid: #: \"$ref\": \"#/$defs/a\": \"#/$defs/a\" leads to "
                "nothing."},
       }) {
    EXPECT_EQ(compile_error(schema), message);
  }
}

TEST(Schema, NeverFetchesAReference) {
  EXPECT_EQ(
      compile_error(R"({"properties":{"a":{"$ref":"https://example.com/x#/y"}}})"),
      "The schema is not valid: #/properties/a: \"$ref\": \"https://example.com/x#/y\": "
      "\"https://example.com/x\" is not part of the schema, and references are never fetched.");
}

TEST(Schema, FollowsReferencesToKnownDocuments) {
  KnownSchemas known;
  known.emplace("https://example.com/limit", value_of(R"({"$defs":{"l":{"maximum":3}}})"));

  auto const schema =
      Schema::compile(value_of(R"({"$ref":"https://example.com/limit#/$defs/l"})"), {}, known);

  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_TRUE(schema->validate(Value(3)));
  EXPECT_FALSE(schema->validate(Value(4)));
}

TEST(Schema, ValidatesSchemasAgainstTheMetaSchema) {
  auto const meta = R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})";

  EXPECT_EQ(verdict(meta, kTool), "ok");
  EXPECT_EQ(verdict(meta, R"({"properties":{"a":{"minLength":-1}}})"),
            "/properties/a/minLength: must be at least 0");
}

TEST(Schema, ReadsDraft07) {
  auto const draft = [](std::string_view rest) {
    return fmt::format(R"({{"$schema":"http://json-schema.org/draft-07/schema#",{}}})", rest);
  };

  EXPECT_NE(verdict(draft(R"("items":[{"type":"string"}],"additionalItems":false)"), "[1]"), "ok");
  EXPECT_NE(verdict(draft(R"("items":[true],"additionalItems":false)"), "[1,2]"), "ok");
  EXPECT_NE(verdict(draft(R"("dependencies":{"a":["b"]})"), R"({"a":1})"), "ok");
  EXPECT_NE(verdict(draft(R"("definitions":{"x":{"type":"null"}},"$ref":"#/definitions/x")"), "1"),
            "ok");
  EXPECT_EQ(
      verdict(draft(R"("definitions":{"x":true},"$ref":"#/definitions/x","type":"null")"), "1"),
      "ok");
}

TEST(SchemaLimits, BoundSizeAndDepthOfTheSchema) {
  std::string deep = "true";
  for (int level = 0; level < 70; ++level) deep = fmt::format(R"({{"not":{}}})", deep);

  EXPECT_EQ(compile_error(deep), "The schema is nested too deeply.");
  EXPECT_EQ(compile_error(R"({"allOf":[{},{},{}]})", {.subschemas = 3}),
            "The schema is too large.");
}

TEST(SchemaLimits, StopAReferenceToItself) {
  for (std::string_view const schema :
       {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
        R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})",
        R"({"$dynamicRef":"#a","$dynamicAnchor":"a"})"}) {
    auto const compiled = Schema::compile(value_of(schema));
    ASSERT_TRUE(compiled) << schema;

    auto const result = compiled->validate(Value(1));

    ASSERT_FALSE(result) << schema;
    EXPECT_EQ(result.error().code, Errc::LimitExceeded) << schema;
  }
}

TEST(SchemaLimits, StopExponentialWork) {
  std::string schema = R"({"$defs":{"s0":{"type":"null"})";
  for (int level = 1; level < 40; ++level) {
    schema +=
        fmt::format(R"(,"s{0}":{{"anyOf":[{{"$ref":"#/$defs/s{1}"}},{{"$ref":"#/$defs/s{1}"}}]}})",
                    level, level - 1);
  }
  schema += R"(},"$ref":"#/$defs/s39"})";
  auto const compiled = Schema::compile(value_of(schema));
  ASSERT_TRUE(compiled);

  auto const result = compiled->validate(Value(1));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::LimitExceeded);
}

// One step must not hide work as large as the instance.
TEST(SchemaLimits, CountTheWorkOfLargeValues) {
  std::string large = "[";
  for (int at = 0; at < 20'000; ++at) large += fmt::format(R"("item {}",)", at);
  large += R"("end"])";
  auto const text = fmt::format(R"("{}")", std::string(500'000, 'x'));
  for (auto const& [keyword, instance] : {
           std::pair{std::string{R"("uniqueItems":true)"}, large},
           std::pair{R"("const":)" + large, large},
           std::pair{std::string{R"("pattern":"^[^y]*$","maxLength":600000)"}, text},
           std::pair{std::string{R"("contains":true,"unevaluatedItems":false)"}, large},
       }) {
    std::string schema = fmt::format(R"({{"$defs":{{"s0":{{{}}})", keyword);
    for (int level = 1; level < 20; ++level) {
      schema += fmt::format(
          R"(,"s{0}":{{"allOf":[{{"$ref":"#/$defs/s{1}"}},{{"$ref":"#/$defs/s{1}"}}]}})", level,
          level - 1);
    }
    auto const compiled = Schema::compile(value_of(schema + R"(},"$ref":"#/$defs/s19"})"));
    ASSERT_TRUE(compiled) << compiled.error().message;

    auto const result = compiled->validate(value_of(instance));

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Errc::LimitExceeded);
  }
}

TEST(SchemaLimits, LeaveRoomForTheDeepestInstance) {
  auto const schema = Schema::compile(value_of(
      R"({"$defs":{"n":{"allOf":[{"$ref":"#/$defs/m"}]},
                   "m":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"}]}}},
          "$ref":"#/$defs/n"})"));
  ASSERT_TRUE(schema);
  auto const instance = value_of(std::string(128, '[') + std::string(128, ']'));

  EXPECT_TRUE(schema->validate(instance));
}

TEST(SchemaLimits, BoundThePatternsOfASchema) {
  std::string many = R"({"patternProperties":{)";
  for (int at = 0; at < 1100; ++at) many += fmt::format(R"("a{}":true,)", at);
  many += R"("b":true}})";
  std::string large = R"({"patternProperties":{)";
  for (int at = 0; at < 50; ++at) large += fmt::format(R"("a{}[^x]{{900}}":true,)", at);
  large += R"("b":true}})";

  EXPECT_NE(compile_error(many).find("too large"), std::string::npos) << compile_error(many);
  EXPECT_NE(compile_error(large).find("too large"), std::string::npos) << compile_error(large);
  EXPECT_EQ(compile_error(R"({"pattern":"^[\\p{L}\\p{N}_-]{1,64}$"})"), "accepted");
}

TEST(Schema, IsReadByManyThreadsAtOnce) {
  auto const schema = Schema::compile(value_of(kTool));
  ASSERT_TRUE(schema);
  auto const good = value_of(R"({"url":"https://x","tags":["a"]})");
  auto const bad = value_of(R"({"url":"x"})");

  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> wrong{0};
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        if (!schema->validate(good) || schema->validate(bad)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sallyport::json
