#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::BuiltinBench;
using test::result;

// What json.match_schema finds, in short: "field: description (type)".
std::string findings(std::string_view document, std::string_view schema) {
  BuiltinBench bench;
  auto const operands = bench.parse("[" + std::string{document} + "," + std::string{schema} + "]");
  if (!operands.is_defined()) return "bad test";
  auto const answer = bench.call("json.match_schema", operands.items());
  if (bench.error != BuiltinErrc::None) return bench.message;
  std::string text;
  for (auto const finding : get(answer, Value::integer(1)).items()) {
    if (!text.empty()) text += "; ";
    text += std::string{get(finding, "error").as_string()} + " (" +
            std::string{get(finding, "type").as_string()} + ")";
  }
  EXPECT_EQ(get(answer, Value::integer(0)).is_true(), text.empty());
  return text;
}

TEST(JsonSchema, SaysWhatDoesNotMatch) {
  EXPECT_EQ(
      result("json.match_schema", R"([{"id": "x"}, {"properties": {"id": {"type": "integer"}}}])"),
      R"([false, [{"desc": "Invalid type. Expected: integer, given: string", )"
      R"("error": "id: Invalid type. Expected: integer, given: string", )"
      R"("field": "id", "type": "invalid_type"}]])");
  EXPECT_EQ(result("json.match_schema", R"(["{\"id\": 5}", "{\"required\": [\"id\"]}"])"),
            "[true, []]");
}

TEST(JsonSchema, HoldsDocumentsToEveryKeyword) {
  struct Case {
    std::string_view document;
    std::string_view schema;
    std::string_view wanted;
  };
  Case const cases[] = {
      {"{}", R"({"required": ["a"]})", "(Root): a is required (required)"},
      {R"({"a": {"b": 1.5}})",
       R"({"properties": {"a": {"properties": {"b": {"type": ["integer", "null"]}}}}})",
       "a.b: Invalid type. Expected: [integer,null], given: number (invalid_type)"},
      {R"({"a": 1.0})", R"({"properties": {"a": {"type": "integer"}}})", ""},
      {R"({"a": 7, "b": 7, "c": 1000001})",
       R"({"properties": {"a": {"maximum": 6.5}, "b": {"exclusiveMaximum": 7},
                          "c": {"maximum": 1000000}}})",
       "a: Must be less than or equal to 6.5 (number_lte); b: Must be less than 7 (number_lt); "
       "c: Must be less than or equal to 1e+06 (number_lte)"},
      {R"({"a": 7})", R"({"properties": {"a": {"minimum": 7, "exclusiveMinimum": true}}})",
       "a: Must be greater than 7 (number_gt)"},
      {R"([0.3, 0.35])", R"({"items": {"multipleOf": 0.1}})",
       "1: Must be a multiple of 0.1 (multiple_of)"},
      {R"(["a", "abcd", "xyz"])",
       R"({"items": {"minLength": 2, "maxLength": 3, "pattern": "^[a-z]b*"}})",
       "0: String length must be greater than or equal to 2 (string_gte); "
       "1: String length must be less than or equal to 3 (string_lte)"},
      {R"(["a"])", R"({"items": {"pattern": "^b"}})", "0: Does not match pattern '^b' (pattern)"},
      {R"([1, 2, 1])", R"({"uniqueItems": true, "maxItems": 2})",
       "(Root): Array must have at most 2 items (array_max_items); "
       "(Root): array items[0,2] must be unique (unique)"},
      {R"([1, "x"])", R"({"items": [{"type": "integer"}], "additionalItems": false})",
       "(Root): No additional items allowed on array (array_no_additional_items)"},
      {R"({"a": 1, "x_b": "s"})",
       R"({"properties": {"a": {}}, "patternProperties": {"^x_": {"type": "number"}},
           "additionalProperties": false})",
       "x_b: Invalid type. Expected: number, given: string (invalid_type)"},
      {R"({"b": 1})", R"({"additionalProperties": false})",
       "(Root): Additional property b is not allowed (additional_property_not_allowed)"},
      {R"({"a": 3})", R"({"properties": {"a": {"enum": [1, "x"]}}})",
       R"(a: a must be one of the following: 1, "x" (enum))"},
      {R"({"a": 3})", R"({"properties": {"a": {"const": 4}}})", "a: a does not match: 4 (const)"},
      {R"({"a": 3})", R"({"dependencies": {"a": ["b"]}})",
       "(Root): Has a dependency on b (missing_dependency)"},
      {R"({"a": 3})", R"({"not": {"required": ["a"]}})",
       "(Root): Must not validate the schema (not) (number_not)"},
      {R"({"a": 3})", R"({"properties": {"a": {"anyOf": [{"type": "string"}, {"minimum": 5}]}}})",
       "a: Must validate at least one schema (anyOf) (number_any_of); "
       "a: Must be greater than or equal to 5 (number_gte)"},
      {R"({"a": 3})", R"({"properties": {"a": {"oneOf": [{"type": "integer"}, {"minimum": 1}]}}})",
       "a: Must validate one and only one schema (oneOf) (number_one_of)"},
      {R"({"a": 3})", R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}})",
       R"((Root): Must validate "then" as "if" was valid (condition_then); (Root): b is required (required))"},
      {R"({"a": "x"})", R"({"properties": {"a": {"format": "ipv4"}}})",
       "a: Does not match format 'ipv4' (format)"},
      {R"({"a": 1})", R"({"properties": {"a": false}})",
       "a: False always fails validation (false)"},
      {R"({"a": {"a": {"a": 1}}})",
       R"({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object",
           "properties": {"a": {"$ref": "#/definitions/n"}}}}})",
       "a.a.a: Invalid type. Expected: object, given: integer (invalid_type)"},
  };
  for (auto const& [document, schema, wanted] : cases) {
    EXPECT_EQ(findings(document, schema), wanted) << schema;
  }
}

TEST(JsonSchema, SaysWhatIsWrongWithASchema) {
  struct Case {
    std::string_view schema;
    std::string_view wanted;
  };
  Case const cases[] = {
      {R"({"type": "unknown"})",
       "has a primitive type that is NOT VALID -- given: /unknown/ Expected valid values "
       "are:[array "
       "boolean integer number null object string]"},
      {R"({"type": 1})", "Invalid type. Expected: type, given: string/Array Of Strings"},
      {R"({"properties": {"a": {"minimum": "x"}}})", "minimum must be of a Number"},
      {R"({"pattern": "["})", "pattern must be a valid regex"},
      {R"({"required": ["a", "a"]})", "required items must be unique"},
      {R"({"minLength": 3, "maxLength": 2})", "minLength cannot be greater than maxLength"},
      {R"({"$ref": "https://example.com/schema"})",
       "remote reference loading disabled: https://example.com/schema"},
      {R"({"$ref": "#/definitions/none"})", "Object has no key 'definitions'"},
  };
  for (auto const& [schema, wanted] : cases) {
    EXPECT_EQ(findings("{}", schema), wanted) << schema;
    EXPECT_EQ(result("json.verify_schema", "[" + std::string{schema} + "]"),
              "[false, \"jsonschema: " + std::string{wanted} + "\"]");
  }
  EXPECT_EQ(result("json.verify_schema", R"([{"type": "object"}])"), "[true, null]");
  EXPECT_EQ(result("json.verify_schema", "[1]"),
            R"([false, "jsonschema: wrong type, expected string or object"])");
  EXPECT_EQ(result("json.verify_schema", R"(["{"])"),
            R"([false, "jsonschema: invalid JSON string"])");
  EXPECT_EQ(result("json.match_schema", R"(["{", {}])"), "error: invalid JSON string");
}

TEST(JsonSchema, EndsWhereSchemasReferToThemselves) {
  EXPECT_EQ(findings("{}", R"({"$ref": "#"})"), "the schema refers to itself without end");
}

TEST(JsonSchema, StopsWhereTheBudgetEnds) {
  BuiltinBench bench{{.steps = 5000}};
  // Each level asks the next one twice.
  std::string schema = R"({"$ref": "#/definitions/d0", "definitions": {)";
  for (int at = 0; at < 40; ++at) {
    auto const next = "#/definitions/d" + std::to_string(at + 1);
    schema += "\"d" + std::to_string(at) + R"(": {"allOf": [{"$ref": ")" + next +
              R"("}, {"$ref": ")" + next + "\"}]},";
  }
  schema += R"("d40": {}}})";

  EXPECT_EQ(bench.result("json.match_schema", "[{}, " + schema + "]"),
            "halt: the evaluation has used up its budget");
}

}  // namespace
}  // namespace sallyport::rego
