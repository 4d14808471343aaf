#include "src/mcp/header_mirror.hpp"

#include "tests/support/header_map.hpp"
#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::HeaderMap;
using test::parsed_object;

TEST(DecodeHeaderValue, DecodesTheSentinelAndNothingElse) {
  struct Row {
    char const* header;
    char const* value;
  };
  constexpr Row kRows[] = {
      {"plain", "plain"},
      {"", ""},
      {"=?base64?SGVsbG8=?=", "Hello"},
      {"=?base64?"
       "?=",
       ""},
      {"=?base64?4pyT?=", "\xE2\x9C\x93"},
      // Half a sentinel is a literal.
      {"=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
      {"SGVsbG8=?=", "SGVsbG8=?="},
      {"=?base64?=", "=?base64?="},
      {"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},
  };

  for (auto const& row : kRows) EXPECT_EQ(decode_header_value(row.header), row.value);
}

TEST(DecodeHeaderValue, RefusesBase64ThatIsNotStrict) {
  for (auto const* const value : {
           "=?base64?SGVsbG8?=",    // padding missing
           "=?base64?SGVsbG8==?=",  // too much of it
           "=?base64?SGVs*G8=?=",   // alphabet
           "=?base64?SGVs-_8=?=",   // the URL alphabet
           "=?base64?SGVsbG9=?=",   // bits left over
           "=?base64? SGVsbG8=?=",  // whitespace
           "=?base64?=?=",
       }) {
    EXPECT_FALSE(decode_header_value(value)) << value;
  }
}

TEST(MirroredParameters, AreFoundInNestedProperties) {
  auto const found = mirrored_parameters(parsed_object(R"({"type":"object","properties":{
      "region":{"type":"string","x-mcp-header":"Region"},
      "plain":{"type":"string"},
      "where":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"}}}}})"));

  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).header, "Mcp-Param-Region");
  EXPECT_EQ(found->at(0).path, std::vector<std::string>{"region"});
  EXPECT_EQ(found->at(1).header, "Mcp-Param-Zone");
  EXPECT_EQ(found->at(1).path, (std::vector<std::string>{"where", "zone"}));
}

TEST(MirroredParameters, RefusesAMarkThatBreaksTheRules) {
  for (auto const* const properties : {
           R"({"a":{"type":"string","x-mcp-header":""}})",
           R"({"a":{"type":"string","x-mcp-header":7}})",
           R"({"a":{"type":"string","x-mcp-header":"two words"}})",
           R"({"a":{"type":"string","x-mcp-header":"a:b"}})",
           R"({"a":{"type":"string","x-mcp-header":"a\r\nb"}})",
           R"({"a":{"type":"number","x-mcp-header":"A"}})",
           R"({"a":{"type":"object","x-mcp-header":"A"}})",
           R"({"a":{"type":["string","null"],"x-mcp-header":"A"}})",
           R"({"a":{"x-mcp-header":"A"}})",
           R"({"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}})",
       }) {
    json::Object const schema{{"properties", test::parsed(properties)}};
    EXPECT_FALSE(mirrored_parameters(schema)) << properties;
  }
}

TEST(CheckParameterHeaders, ComparesTheValueByItsType) {
  std::vector<MirroredParameter> const mirrored{{"Mcp-Param-A", {"a"}}};
  struct Row {
    char const* argument;
    char const* header;
    bool agrees;
  };
  constexpr Row kRows[] = {
      {R"("west")", "west", true},
      {R"("west")", "West", false},
      {R"("west")", "=?base64?d2VzdA==?=", true},
      {R"("west")", "=?base64?d2VzdA?=", false},
      {R"("42")", "42", true},
      {"42", "42", true},
      {"42", "42.0", true},
      {"42", "4.2e1", true},
      {"42", "042", true},
      {"42", "43", false},
      {"42", "42 ", false},
      {"42", "0x2a", false},
      {"42", "", false},
      {"42", "nan", false},
      {"-1", "-1", true},
      {"true", "true", true},
      {"true", "True", false},
      {"true", "1", false},
      {"false", "false", true},
      {"[1]", "1", false},
      {"{}", "{}", false},
      {"null", "null", false},
      // As doubles these would be equal.
      {"9007199254740993", "9007199254740993", true},
      {"9007199254740993", "9007199254740992", false},
      {"9007199254740993", "9007199254740992.0", false},
      {"18446744073709551615", "18446744073709551615", true},
      {"18446744073709551615", "18446744073709551614", false},
  };

  for (auto const& row : kRows) {
    json::Object const arguments{{"a", test::parsed(row.argument)}};
    auto const error =
        check_parameter_headers(HeaderMap{{{"Mcp-Param-A", row.header}}}, mirrored, arguments);
    EXPECT_EQ(!error, row.agrees) << row.argument << " and " << row.header;
    if (error) {
      EXPECT_EQ(error->code, code::kHeaderMismatch);
      EXPECT_EQ(error->http_status, 400);
    }
  }
}

TEST(CheckParameterHeaders, WantsTheHeaderWhereTheArgumentIsAndOnlyThere) {
  std::vector<MirroredParameter> const mirrored{{"Mcp-Param-Zone", {"where", "zone"}}};
  HeaderMap const none;
  HeaderMap const zone{{{"Mcp-Param-Zone", "1"}}};

  EXPECT_FALSE(check_parameter_headers(none, mirrored, {}));
  EXPECT_FALSE(
      check_parameter_headers(none, mirrored, parsed_object(R"({"where":{"zone":null}})")));
  EXPECT_FALSE(check_parameter_headers(none, mirrored, parsed_object(R"({"where":5})")));
  EXPECT_FALSE(check_parameter_headers(zone, mirrored, parsed_object(R"({"where":{"zone":1}})")));
  EXPECT_TRUE(check_parameter_headers(none, mirrored, parsed_object(R"({"where":{"zone":1}})")));
  EXPECT_TRUE(check_parameter_headers(zone, mirrored, {}));
}

TEST(CheckNameHeader, ComparesWithTheMemberThatTheMethodMirrors) {
  struct Row {
    char const* method;
    char const* params;
    char const* header;
    bool agrees;
  };
  constexpr Row kRows[] = {
      {"tools/call", R"({"name":"a"})", "a", true},
      {"tools/call", R"({"name":"a"})", "A", false},
      {"tools/call", R"({"name":7})", "7", false},
      {"tools/call", "{}", "", false},
      {"tools/call", R"({"name":"a"})", "=?base64?YQ==?=", true},
      {"tools/call", R"({"name":"a"})", "=?base64?YQ?=", false},
      {"prompts/get", R"({"name":"p"})", "p", true},
      {"resources/read", R"({"uri":"x://y","name":"z"})", "x://y", true},
      {"resources/read", R"({"uri":"x://y","name":"z"})", "z", false},
      {"tasks/get", R"({"taskId":"t"})", "t", true},
      {"tasks/update", R"({"taskId":"t"})", "u", false},
      {"tasks/cancel", R"({"taskId":"t"})", "t", true},
      {"tools/list", "{}", "whatever", true},
  };

  for (auto const& row : kRows) {
    auto const error = check_name_header(HeaderMap{{{"Mcp-Name", row.header}}}, row.method,
                                         parsed_object(row.params));
    EXPECT_EQ(!error, row.agrees) << row.method << ' ' << row.params << ' ' << row.header;
  }
  EXPECT_TRUE(check_name_header(HeaderMap{}, "tools/call", parsed_object(R"({"name":"a"})")));
  EXPECT_FALSE(check_name_header(HeaderMap{}, "tools/list", {}));
}

TEST(HeaderMirror, WritesWhatItReads) {
  struct Row {
    std::string_view value;
    std::string_view header;
  };
  constexpr Row kRows[] = {{"plain text", "plain text"},
                           {"", ""},
                           {" padded", "=?base64?IHBhZGRlZA==?="},
                           {"line\r\nbreak", "=?base64?bGluZQ0KYnJlYWs=?="},
                           {"\ttab", "=?base64?CXRhYg==?="},
                           {"größe", "=?base64?Z3LDtsOfZQ==?="},
                           {"=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="},
                           {"=?base64?", "=?base64?"}};
  for (auto const& row : kRows) {
    EXPECT_EQ(encode_header_value(row.value), row.header);
    EXPECT_EQ(decode_header_value(row.header), row.value);
  }
}

TEST(HeaderMirror, WritesArgumentsThatAreThere) {
  std::vector<MirroredParameter> const mirrored{{"Mcp-Param-Region", {"region"}},
                                                {"Mcp-Param-Level", {"deep", "level"}},
                                                {"Mcp-Param-Dry", {"dry"}},
                                                {"Mcp-Param-None", {"none"}},
                                                {"Mcp-Param-Gone", {"gone"}}};
  auto const headers = parameter_headers(
      mirrored, parsed_object(R"({"region":" x","deep":{"level":-3},"dry":false,"none":null})"));

  std::vector<std::pair<std::string, std::string>> const wanted{
      {"Mcp-Param-Region", "=?base64?IHg=?="},
      {"Mcp-Param-Level", "-3"},
      {"Mcp-Param-Dry", "false"}};
  EXPECT_EQ(headers, wanted);
}

}  // namespace
}  // namespace sallyport::mcp
