#include "src/rego/crypto/der.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::crypto {
namespace {

using namespace std::string_view_literals;

TEST(Der, ReadsElementsOneAfterTheOther) {
  Der der{"\x02\x01\x05\x01\x01\xff\x06\x03\x55\x1d\x0f"sv};
  std::int64_t number = 0;
  bool flag = false;
  Oid oid;

  EXPECT_TRUE(der.read_small_integer(Der::kInteger, number));
  EXPECT_TRUE(der.read_boolean(flag));
  EXPECT_TRUE(der.read_oid(oid));

  EXPECT_EQ(number, 5);
  EXPECT_TRUE(flag);
  EXPECT_EQ(to_text(oid), "2.5.29.15");
  EXPECT_TRUE(der.is_empty());
}

TEST(Der, RefusesLengthsThatAreNotDer) {
  for (auto const bytes :
       {"\x04"sv, "\x04\x01"sv, "\x04\x80"sv, "\x04\x81\x01\x00"sv, "\x04\x82\x00\x81"sv,
        "\x04\x85\x01\x01\x01\x01\x01"sv, "\x1f\x01\x00"sv, "\x04\x84\xff\xff\xff\xff"sv}) {
    Der der{bytes};
    Der::Element element;

    EXPECT_FALSE(der.read_any(element));
    EXPECT_EQ(der.rest(), bytes);
  }
}

TEST(Der, RefusesIdsThatAreNone) {
  Oid oid;
  for (auto const content : {""sv, "\x80\x01"sv, "\x55\x80"sv, "\x55\xff\xff\xff\xff\x7f"sv}) {
    EXPECT_FALSE(parse_oid(content, oid));
  }
}

TEST(Der, AlignsBitsToTheRight) {
  Der der{"\x03\x03\x04\xab\xc0"sv};
  std::string bits;

  EXPECT_TRUE(der.read_bits(bits));

  EXPECT_EQ(bits, "\x0a\xbc"sv);
}

TEST(Der, KnowsTheSignOfNumbers) {
  Der der{"\x02\x02\xff\x7f"sv};
  std::int64_t number = 0;

  EXPECT_TRUE(der.read_small_integer(Der::kInteger, number));

  EXPECT_EQ(number, -129);
}

}  // namespace
}  // namespace sallyport::rego::crypto
