#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

TEST(Encodings, WriteAndReadBase64) {
  EXPECT_EQ(result("base64.encode", R"(["subjects?_d"])"), R"("c3ViamVjdHM/X2Q=")");
  EXPECT_EQ(result("base64.decode", R"(["c3ViamVjdHM/X2Q="])"), R"("subjects?_d")");
  EXPECT_EQ(result("base64.decode", R"(["aGVs\r\nbG8="])"), R"("hello")");
  EXPECT_EQ(result("base64.decode", R"(["YR=="])"), R"("a")");
  EXPECT_EQ(result("base64.encode", R"([""])"), R"("")");
  EXPECT_EQ(result("base64url.encode", R"(["a??>"])"), R"("YT8_Pg==")");
  EXPECT_EQ(result("base64url.encode_no_pad", R"(["a??>"])"), R"("YT8_Pg")");
  EXPECT_EQ(result("base64url.decode", R"(["YT8_Pg"])"), R"("a??>")");
  EXPECT_EQ(result("base64url.decode", R"(["YT8_Pg=="])"), R"("a??>")");
}

TEST(Encodings, SayWhereBase64IsWrong) {
  struct {
    std::string_view operands;
    std::string_view answer;
  } const cases[] = {
      {R"(["YQ="])", "error: illegal base64 data at input byte 3"},
      {R"(["YQ"])", "error: illegal base64 data at input byte 0"},
      {R"(["Y"])", "error: illegal base64 data at input byte 0"},
      {R"(["YWJjY"])", "error: illegal base64 data at input byte 4"},
      {R"(["{'not'"])", "error: illegal base64 data at input byte 0"},
      {R"(["YQ==YQ=="])", "error: illegal base64 data at input byte 4"},
      {R"(["="])", "error: illegal base64 data at input byte 0"},
  };
  for (auto const& [operands, answer] : cases) {
    EXPECT_EQ(result("base64.decode", operands), answer) << operands;
    EXPECT_EQ(result("base64.is_valid", operands), "false") << operands;
  }
  EXPECT_EQ(result("base64.is_valid", R"(["YQ=="])"), "true");
  EXPECT_EQ(result("base64url.decode", R"(["YWJjY"])"), "error: illegal base64url string: YWJjY");
}

TEST(Encodings, WriteAndReadHex) {
  EXPECT_EQ(result("hex.encode", R"(["é"])"), R"("c3a9")");
  EXPECT_EQ(result("hex.decode", R"(["C3a9"])"), R"("é")");
  EXPECT_EQ(result("hex.decode", R"(["fghi"])"), "error: encoding/hex: invalid byte: U+0067 'g'");
  EXPECT_EQ(result("hex.decode", R"(["abc"])"), "error: encoding/hex: odd length hex string");
}

TEST(Encodings, WriteAndReadQueries) {
  EXPECT_EQ(result("urlquery.encode", R"(["a b&c=é/~"])"), R"("a+b%26c%3D%C3%A9%2F~")");
  EXPECT_EQ(result("urlquery.decode", R"(["a%3Db%2B1+x"])"), R"("a=b+1 x")");
  EXPECT_EQ(result("urlquery.decode", R"(["%zz1"])"), R"(error: invalid URL escape "%zz")");
  EXPECT_EQ(result("urlquery.encode_object", R"([{"b": ["x", "y z"], "a": "1", "c": []}])"),
            R"("a=1&b=x&b=y+z")");
  EXPECT_EQ(result("urlquery.encode_object", R"([{"b": 1}])"),
            "type error: operand 1 values must be string, array[string], or set[string]");
  EXPECT_EQ(result("urlquery.decode_object", R"(["a=1&b=2&a=3&c&=x&&d=%20"])"),
            R"({"": ["x"], "a": ["1", "3"], "b": ["2"], "c": [""], "d": [" "]})");
  EXPECT_EQ(result("urlquery.decode_object", R"(["a=1;b=2"])"),
            "error: invalid semicolon separator in query");
}

}  // namespace
}  // namespace sallyport::rego
