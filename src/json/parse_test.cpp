#include "src/json/parse.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sallyport::json {
namespace {

Value parsed(std::string_view text) {
  auto result = parse(text);
  EXPECT_TRUE(result) << text << ": " << result.error().message;
  return result ? std::move(*result) : Value{};
}

std::string refusal(std::string_view text, ParseLimits limits = {}) {
  auto const result = json::parse(text, {}, limits);
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, Errc::InvalidInput);
  return result.error().message;
}

TEST(Parse, KeepsIntegersThatFitSixtyFourBits) {
  EXPECT_EQ(parsed("9223372036854775807").get_int64(), 9223372036854775807);
  EXPECT_EQ(parsed("-9223372036854775808").get_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed("18446744073709551615").get_uint64(), 18446744073709551615U);
  EXPECT_EQ(parsed("18446744073709551616").get_double(), 18446744073709551616.0);
  EXPECT_EQ(parsed("-9223372036854775809").get_double(), -9223372036854775808.0);
}

TEST(Parse, TakesTheNearestDouble) {
  struct Case {
    std::string_view text;
    double number;
  };
  for (auto const& [text, number] : {
           Case{"0.1", 0.1},
           Case{"1.7976931348623157e308", 1.7976931348623157e308},
           Case{"5e-324", 5e-324},
           Case{"1e-400", 0.0},
           Case{"9007199254740993.0", 9007199254740992.0},
           Case{"0.30000000000000004", 0.30000000000000004},
           Case{"2.2250738585072011e-308", 2.2250738585072011e-308},
           Case{"179769313486231570000000000000000000000e270", 1.7976931348623157e308},
       }) {
    EXPECT_EQ(parsed(text).get_double(), number) << text;
    EXPECT_EQ(parsed("-" + std::string{text}).get_double(), -number) << text;
  }
}

TEST(Parse, KeepsTheSignOfZero) {
  for (std::string_view const text : {"-0", "-0.0", "-0e5", "-1e-400"}) {
    auto const zero = parsed(text).get_double();

    EXPECT_EQ(zero, 0) << text;
    EXPECT_TRUE(std::signbit(zero)) << text;
  }
}

TEST(Parse, RefusesANumberThatOverflows) {
  for (std::string_view const text : {"1e400", "-1e400", "1e99999999999", "[2e308]"}) {
    EXPECT_NE(refusal(text).find("the number is out of range"), std::string::npos) << text;
  }
}

TEST(Parse, LetsTheLastOfTwoEqualNamesCount) {
  auto const value = parsed(R"({"a":1,"b":2,"a":3})");

  EXPECT_EQ(value.as_object().size(), 2U);
  EXPECT_EQ(value.at("a").get_int64(), 3);
}

TEST(Parse, RefusesBytesThatAreNotUtf8) {
  for (std::string const& inner : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                   "\xe2\x82", "\xff", "\xf8\x88\x80\x80\x80"}) {
    EXPECT_NE(refusal("[\"" + inner + "\"]"), "accepted");
    EXPECT_NE(refusal("{\"" + inner + "\":1}"), "accepted");
  }
}

TEST(Parse, RefusesWhatIsNotJson) {
  for (std::string_view const text : {"",
                                      " ",
                                      "{",
                                      "[1,]",
                                      "{\"a\":}",
                                      "01",
                                      "+1",
                                      ".5",
                                      "1.",
                                      "1e",
                                      "nul",
                                      "NaN",
                                      "Infinity",
                                      "'a'",
                                      "[1] 2",
                                      "// c\n1",
                                      "\"\\x\"",
                                      "\"\t\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "{a:1}",
                                      "{\"a\":1,}",
                                      "\xef\xbb\xbf{}",
                                      "-",
                                      "--1",
                                      "\"",
                                      "[1",
                                      "tru",
                                      "1 1"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
}

TEST(Parse, NamesLineColumnAndCause) {
  EXPECT_EQ(refusal("{\n  \"\u00e9\": x}"),
            "Not valid JSON: line 2, column 8: unexpected character 'x'.");
  EXPECT_EQ(refusal("[1,"), "Not valid JSON: line 1, column 4: the text ends too early.");
  EXPECT_EQ(refusal("1 2"),
            "Not valid JSON: line 1, column 3: more text after the end of the value.");
  EXPECT_EQ(refusal("[[1]]", {.depth = 1}),
            "Not valid JSON: line 1, column 2: the nesting is too deep.");
}

TEST(Parse, LimitsTheDepth) {
  auto const nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };

  EXPECT_EQ(refusal(nested(128)), "accepted");
  EXPECT_NE(refusal(nested(129)).find("too deep"), std::string::npos);
  EXPECT_NE(refusal(std::string(1'000'000, '[')).find("too deep"), std::string::npos);
}

TEST(Parse, UsesTheStorageOfTheCaller) {
  boost::json::monotonic_resource memory;

  auto const value =
      json::parse(R"({"a":["a text that does not fit inside a small string"]})", &memory);

  ASSERT_TRUE(value);
  EXPECT_EQ(value->storage().get(), &memory);
  EXPECT_EQ(value->at("a").storage().get(), &memory);
}

TEST(Parse, DecodesEscapes) {
  EXPECT_EQ(view(parsed(R"("\u0041\n\ud83d\ude00\"\\\/\u0000")").get_string()),
            std::string_view("A\n\U0001F600\"\\/\0", 10));
}

}  // namespace
}  // namespace sallyport::json
