#include "src/rego/json.hpp"

#include "src/rego/build.hpp"
#include "src/rego/number.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::rego {
namespace {

std::string round_trip(std::string_view text) {
  Arena arena;
  auto const value = parse_json(text, arena);
  return value ? to_json(*value) : value.error().message;
}

TEST(RegoJson, ReadsEveryKind) {
  EXPECT_EQ(round_trip(R"( { "b" : [ 1 , -2.50 , 1e3, true , false , null ], "a" : {} } )"),
            R"({"a":{},"b":[1,-2.50,1e3,true,false,null]})");
}

TEST(RegoJson, KeepsTheTextOfNumbers) {
  for (auto const* const text :
       {"0", "-0", "0.0", "1.0", "1e0", "1E5", "123456789012345678901234567890",
        "18446744073709551615", "-9223372036854775808", "0.1000", "1e400", "-1.5e-300"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(RegoJson, KeepsTheLastOfEqualKeys) {
  EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
}

// Two texts that were nothing but escapes shared the parser's buffer: the second overwrote the
// first.
TEST(RegoJson, KeepsTextsThatAreOnlyEscapesApart) {
  EXPECT_EQ(round_trip(R"(["\u00e5\u00e4","\u79d8",""])"), R"(["åä","秘",""])");
}

TEST(RegoJson, ReadsEscapes) {
  EXPECT_EQ(round_trip(R"({"k\u0065y\n":"a\"\\\/\b\f\n\r\té😀\ud83d\ude00"})"),
            R"({"key\n":"a\"\\/\b\f\n\r\té😀😀"})");
  EXPECT_EQ(round_trip(R"(["\n","\nb","a\n",""])"), R"(["\n","\nb","a\n",""])");
}

// The parser decodes escapes into a buffer on its stack: a value that points there instead of into
// the arena reads whatever came after it.
TEST(RegoJson, KeepsStringsWithEscapesInTheArena) {
  Arena arena;
  auto const first = parse_json(R"(["\u0061bc", "d\n"])", arena);
  auto const second = parse_json(R"(["\u0078yz", "w\t"])", arena);
  ASSERT_TRUE(first && second);

  EXPECT_EQ(to_json(*first), R"(["abc","d\n"])");
  EXPECT_EQ(to_json(*second), R"(["xyz","w\t"])");
}

TEST(RegoJson, ReadsTextOfAnyLength) {
  std::string text = "[";
  for (int at = 0; at < 5000; ++at)
    text += "\"" + std::string(static_cast<std::size_t>(at % 300), 'x') + "\\n\",";
  text.back() = ']';

  EXPECT_EQ(round_trip(text), text);
}

// base64.decode and hex.decode make such strings.
TEST(RegoJson, WritesBytesThatAreNoTextAsReplacementCharacters) {
  EXPECT_EQ(to_json(Value::string("a\xC3\xA9\"\xFF")), R"("aé\"\ufffd")");
  EXPECT_EQ(to_json(Value::string("\xE2\x82")), R"("\ufffd\ufffd")");
}

TEST(RegoJson, NamesTheLineAndColumnOfAnError) {
  EXPECT_EQ(round_trip("{\n  \"a\": x\n}"),
            "Not valid JSON: line 2, column 8: unexpected character 'x'.");
  EXPECT_EQ(round_trip(""), "Not valid JSON: line 1, column 1: the text ends too early.");
  EXPECT_EQ(round_trip("[1,2"), "Not valid JSON: line 1, column 5: the text ends too early.");
  EXPECT_EQ(round_trip("1 2"),
            "Not valid JSON: line 1, column 3: more text after the end of the value.");
}

TEST(RegoJson, RefusesWhatIsNoJson) {
  for (std::string const text :
       {"01", "1.", ".5", "+1", "[1,]", "{a:1}", "'a'", "nul", "\"\t\"", "\"\\x\"", "\"\\ud800\"",
        "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "// c\n1", "NaN", "1e99999", "1e-99999",
        "1e999999999999999999"}) {
    EXPECT_TRUE(round_trip(text).starts_with("Not valid JSON")) << text << ": " << round_trip(text);
  }
}

TEST(RegoJson, BoundsTheNesting) {
  auto const nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };

  EXPECT_EQ(round_trip(nested(kDeepestJson)), nested(kDeepestJson));
  EXPECT_EQ(round_trip(nested(kDeepestJson + 1)),
            "Not valid JSON: line 1, column 257: the nesting is too deep.");
  EXPECT_TRUE(round_trip(std::string(1'000'000, '[')).starts_with("Not valid JSON"));
}

TEST(RegoJson, WritesSetsAsArraysAndOtherKeysAsText) {
  Arena arena;
  SetBuilder set{arena};
  set.add(Value::integer(2));
  set.add(Value::integer(1));
  ObjectBuilder object{arena};
  object.add(Value::integer(10), set.finish());
  object.add(Value::integer(9), Value{Value::null()});
  object.add(Value::null(), Value::boolean(true));
  object.add("x\"", Value::boolean(false));

  EXPECT_EQ(to_json(object.finish()), R"({"10":[1,2],"9":null,"null":true,"x\"":false})");
}

TEST(RegoJson, WritesOneMemberWhereTwoKeysHaveOneText) {
  Arena arena;
  ObjectBuilder object{arena};
  object.add(Value::integer(1), Value::string("number"));
  object.add("1", Value::string("string"));

  EXPECT_EQ(to_json(object.finish()), R"({"1":"string"})");
}

TEST(RegoText, IsWhatRegoWouldRead) {
  Arena arena;
  SetBuilder set{arena};
  auto const empty = set.finish();
  set.add(Value::string("a"));
  set.add(Value::integer(1));
  ObjectBuilder object{arena};
  object.add(Value::integer(1), empty);
  object.add("k", set.finish());
  Value const items[] = {Value::null(), Value::boolean(true), make_number("1.50", arena),
                         object.finish()};

  EXPECT_EQ(to_rego(Value::array(items)), R"([null, true, 1.50, {1: set(), "k": {1, "a"}}])");
}

TEST(RegoText, QuotesStringsAsGoDoes) {
  EXPECT_EQ(to_rego(Value::string("a\"b\\c\n\t\r\a\b\f\v")), R"("a\"b\\c\n\t\r\a\b\f\v")");
  using namespace std::string_view_literals;
  EXPECT_EQ(to_rego(Value::string("\0\x1f\x7f"sv)), R"("\x00\x1f\x7f")");
  EXPECT_EQ(to_rego(Value::string("é😀 <&>")), R"("é😀 <&>")");
  EXPECT_EQ(to_rego(Value::string("\u00a0\u200b\ufeff\U000e0001")),
            R"("\u00a0\u200b\ufeff\U000e0001")");
  EXPECT_EQ(to_rego(Value::string("a\xff\xc3z")), R"("a\xff\xc3z")");
}

}  // namespace
}  // namespace sallyport::rego
