#include "src/json/write.hpp"

#include "src/json/parse.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace sallyport::json {
namespace {

std::string rewritten(std::string_view text) {
  auto const value = parse(text);
  EXPECT_TRUE(value) << text;
  return value ? to_text(*value) : std::string{};
}

std::string canonical_of(std::string_view text) {
  auto const value = parse(text);
  EXPECT_TRUE(value) << text;
  return value ? canonical(*value) : std::string{};
}

TEST(Write, GivesBackWhatWasRead) {
  for (std::string_view const text :
       {R"({"b":[1,2.5,null,true,false],"a":{},"c":[]})",
        R"("é ü 😀 \" \\ / \n\t\r\b\f\u0001\u001f")", "1.0", "-0.0", "0.1", "1e+23", "5e-324",
        "18446744073709551615", "-9223372036854775808", R"({"":""})"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

TEST(Write, KeepsADoubleADouble) {
  EXPECT_EQ(to_text(Value(1.0)), "1.0");
  EXPECT_EQ(to_text(Value(-0.0)), "-0.0");
  EXPECT_EQ(rewritten("-0"), "-0.0");
  EXPECT_EQ(rewritten("1e21"), "1e+21");
  EXPECT_EQ(rewritten("100000000000000000000"), "1e+20");
}

TEST(Write, EscapesWhatMustBeWhereverItStands) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t length = 1; length < 20; ++length) {
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, '~');
        text[at] = static_cast<char>(byte);
        std::string written;
        write_string(text, written);
        auto const read = parse(written);
        ASSERT_TRUE(read) << written;
        EXPECT_EQ(read->get_string(), text) << written;
        bool const plain = byte >= 0x20 && byte != '"' && byte != '\\';
        EXPECT_EQ(written.size() == length + 2, plain) << written;
      }
    }
  }
}

TEST(Write, HasNullForWhatJsonCannotSay) {
  EXPECT_EQ(to_text(Value(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(to_text(Value(std::nan(""))), "null");
}

TEST(Write, RoundTripsEveryDouble) {
  std::mt19937_64 random{20201212};  // NOLINT(cert-msc51-cpp): repeatable on purpose
  for (int round = 0; round < 300'000; ++round) {
    auto const number = round % 2 == 0 ? std::bit_cast<double>(random())
                                       : std::ldexp(static_cast<double>(random() >> 11), -53);
    if (!std::isfinite(number)) continue;

    auto const text = to_text(Value(number));
    auto const back = parse(text);

    ASSERT_TRUE(back) << text;
    ASSERT_TRUE(back->is_double()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back->get_double()),
              std::bit_cast<std::uint64_t>(number))
        << text;
  }
}

TEST(Write, RoundTripsEveryInteger) {
  std::mt19937_64 random{20201212};  // NOLINT(cert-msc51-cpp): repeatable on purpose
  for (int round = 0; round < 200'000; ++round) {
    auto const bits = random() >> (random() % 64);
    auto const integer = static_cast<std::int64_t>(round % 2 == 0 ? bits : ~bits);

    auto const signed_back = parse(to_text(Value(integer)));
    auto const unsigned_back = parse(to_text(Value(bits)));

    ASSERT_TRUE(signed_back && unsigned_back);
    ASSERT_EQ(signed_back->get_int64(), integer);
    ASSERT_EQ(unsigned_back->to_number<std::uint64_t>(), bits);
  }
}

TEST(Canonical, SortsTheNamesAtEveryLevel) {
  EXPECT_EQ(canonical_of(R"({"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]})"),
            R"({"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}})");
}

TEST(Canonical, GivesEqualNumbersOneText) {
  EXPECT_EQ(canonical_of("[1.0,1,-0.0,0,1e3,1.5]"), "[1,1,0,0,1000,1.5]");
  EXPECT_EQ(canonical_of("1.8446744073709550e19"), canonical_of("18446744073709549568"));
  EXPECT_EQ(canonical_of("-9223372036854775808.0"), canonical_of("-9223372036854775808"));
  EXPECT_EQ(canonical_of("1e25"), "1e+25");
}

}  // namespace
}  // namespace sallyport::json
