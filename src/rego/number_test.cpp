#include "src/rego/number.hpp"

#include "src/rego/big_integer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::rego {
namespace {

class Numbers : public testing::Test {
 protected:
  Value number(std::string_view text) {
    auto const value = make_number(text, arena_);
    EXPECT_TRUE(value.is_defined()) << text;
    return value;
  }
  std::string text(Value value) {
    std::string out;
    if (value.is_defined()) append_number(value, out);
    return out;
  }
  std::string sum(std::string_view left, std::string_view right) {
    return text(add(number(left), number(right), arena_).value);
  }
  std::string product(std::string_view left, std::string_view right) {
    return text(multiply(number(left), number(right), arena_).value);
  }
  std::string quotient(std::string_view left, std::string_view right) {
    return text(divide(number(left), number(right), arena_).value);
  }
  std::string remainder(std::string_view left, std::string_view right) {
    return text(modulo(number(left), number(right), arena_).value);
  }

  Arena arena_;
};

TEST_F(Numbers, KeepTheirText) {
  for (auto const* const given :
       {"0", "-0", "1", "1.0", "1e0", "1E+2", "-12.50", "18446744073709551616",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e30102",
        "0e99999999999", "0.30000000000000004"}) {
    EXPECT_EQ(text(number(given)), given);
  }
}

TEST_F(Numbers, AreInt64WhereTheyAreWrittenSo) {
  EXPECT_TRUE(number("9223372036854775807").is_int64());
  EXPECT_TRUE(number("-9223372036854775808").is_int64());
  EXPECT_FALSE(number("9223372036854775808").is_int64());
  EXPECT_FALSE(number("1.0").is_int64());
}

TEST_F(Numbers, RefuseWhatIsNoNumberOrTooLarge) {
  for (std::string const& given :
       {std::string{""}, std::string{"-"}, std::string{"01"}, std::string{"1."}, std::string{".5"},
        std::string{"+1"}, std::string{"1e"}, std::string{"1e+"}, std::string{"0x10"},
        std::string{" 1"}, std::string{"1 "}, std::string{"NaN"}, std::string{"1e30103"},
        std::string{"1e-30105"}, std::string{"1e99999999999999999999"}, std::string(40'000, '1'),
        std::string(31'000, '9')}) {
    EXPECT_FALSE(make_number(given, arena_).is_defined()) << given.substr(0, 40);
  }
}

TEST_F(Numbers, CompareByValueNotByText) {
  // Each line: equal among themselves, less than the next.
  std::string_view const sorted[][4] = {
      {"-1e30", "-1000000000000000000000000000000", "-1.0e30", "-10e29"},
      {"-10", "-10.0", "-1e1", "-0.1e2"},
      {"-1.5", "-15e-1", "-1.50", "-0.15e1"},
      {"0", "-0", "0.000", "0e5"},
      {"1e-10", "0.0000000001", "10e-11", "0.1e-9"},
      {"0.1", "1e-1", "0.10", "100e-3"},
      {"0.10000000000000000001", "0.100000000000000000010", "10000000000000000001e-20",
       "1.0000000000000000001e-1"},
      {"1", "1.0", "1e0", "10e-1"},
      {"9223372036854775807", "9223372036854775807.0", "9.223372036854775807e18",
       "9223372036854775807e0"},
      {"9223372036854775808", "9223372036854775808.0", "9.223372036854775808e18",
       "9223372036854775808e0"},
      {"1e30", "1000000000000000000000000000000", "1.0e30", "10E+29"},
  };
  for (std::size_t left = 0; left < std::size(sorted); ++left) {
    for (std::size_t right = 0; right < std::size(sorted); ++right) {
      for (auto const ours : sorted[left]) {
        for (auto const theirs : sorted[right]) {
          EXPECT_EQ(compare_numbers(number(ours), number(theirs)), left <=> right)
              << ours << " and " << theirs;
          if (left == right) {
            EXPECT_EQ(hash_number(number(ours)), hash_number(number(theirs)))
                << ours << " and " << theirs;
          }
        }
      }
    }
  }
}

TEST_F(Numbers, TellIntegersFromFractions) {
  for (auto const* const integer : {"3", "3.0", "1e3", "10e-1", "0.0"}) {
    EXPECT_TRUE(is_integer(number(integer))) << integer;
  }
  for (auto const* const fraction : {"3.5", "1e-1", "15e-1", "0.0001"}) {
    EXPECT_FALSE(is_integer(number(fraction))) << fraction;
    EXPECT_EQ(to_int64(number(fraction)), std::nullopt);
  }
  EXPECT_EQ(to_int64(number("12.0e2")), 1200);
  EXPECT_EQ(to_int64(number("-9223372036854775808.0")), INT64_MIN);
  EXPECT_EQ(to_int64(number("9223372036854775808")), std::nullopt);
  EXPECT_EQ(to_int64(number("1e25")), std::nullopt);
  EXPECT_EQ(to_int64(number("-0")), 0);
}

TEST_F(Numbers, AddFloatsAsOpaDoes) {
  EXPECT_EQ(sum("0.1", "0.2"), "0.3");
  EXPECT_EQ(sum("1.0", "1"), "2");
  EXPECT_EQ(sum("1e0", "0.5"), "1.5");
  EXPECT_EQ(product("4.35", "100"), "435");
  EXPECT_EQ(product("2.5e-7", "1"), "2.5e-07");
  EXPECT_EQ(quotient("1", "3"), "0.33333333333333333334");
  EXPECT_EQ(quotient("1e16", "3"), "3.3333333333333333333e+15");
  EXPECT_EQ(quotient("1e109", "1e100"), "1000000000");
  EXPECT_EQ(quotient("4", "2"), "2");
  EXPECT_EQ(quotient("-1", "8"), "-0.125");
  EXPECT_EQ(quotient("1", "100000"), "1e-05");
  EXPECT_EQ(quotient("1", "10000"), "0.0001");
  EXPECT_EQ(quotient("2469135", "2"), "1.2345675e+06");
  EXPECT_EQ(quotient("246913", "2"), "123456.5");
  EXPECT_EQ(quotient("1e30", "1"), "1000000000000000000000000000000");
}

TEST_F(Numbers, ComputeWithIntegersExactly) {
  EXPECT_EQ(sum("9223372036854775807", "1"), "9223372036854775808");
  EXPECT_EQ(text(subtract(number("-9223372036854775808"), number("1"), arena_).value),
            "-9223372036854775809");
  EXPECT_EQ(product("9223372036854775807", "9223372036854775807"),
            "85070591730234615847396907784232501249");
  EXPECT_EQ(sum("1e21", "0"), "1000000000000000000000");
  EXPECT_EQ(sum("123456789012345678901234567890", "-123456789012345678901234567889"), "1");
  EXPECT_EQ(product("1.0e20", "1.5e1"), "1500000000000000000000");
}

TEST_F(Numbers, TakeRemaindersWithTheSignOfTheDividend) {
  EXPECT_EQ(remainder("7", "3"), "1");
  EXPECT_EQ(remainder("-7", "3"), "-1");
  EXPECT_EQ(remainder("7", "-3"), "1");
  EXPECT_EQ(remainder("7.0", "2e0"), "1");
  EXPECT_EQ(remainder("-9223372036854775808", "-1"), "0");
  EXPECT_EQ(remainder("10", "18446744073709551616"), "10");
  EXPECT_EQ(remainder("100000000000000000000000", "7"), "5");
}

TEST_F(Numbers, SayWhatIsWrong) {
  EXPECT_EQ(divide(number("1"), number("0"), arena_).error, NumberError::DivideByZero);
  EXPECT_EQ(divide(number("1"), number("0.0"), arena_).error, NumberError::DivideByZero);
  EXPECT_EQ(modulo(number("1"), number("0"), arena_).error, NumberError::ModuloByZero);
  EXPECT_EQ(modulo(number("1e30"), number("0"), arena_).error, NumberError::ModuloByZero);
  EXPECT_EQ(modulo(number("1.5"), number("0"), arena_).error, NumberError::ModuloOfFloat);
  EXPECT_EQ(multiply(number("1e20000"), number("1e20000"), arena_).error, NumberError::TooLarge);
  EXPECT_EQ(multiply(number("1.5e4000"), number("1.5e4000"), arena_).error, NumberError::None);
  EXPECT_EQ(divide(number("1e4000"), number("1e-4000"), arena_).error, NumberError::TooLarge);
}

TEST_F(Numbers, DivideByWhatIsTooSmallForAFloat) {
  // 1e-20000 is not zero, but nearer to it than a float can be.
  EXPECT_EQ(divide(number("1"), number("1e-20000"), arena_).error, NumberError::TooLarge);
}

TEST_F(Numbers, MakeTextOfUnsignedAndBigIntegers) {
  EXPECT_EQ(text(make_number(std::uint64_t{18446744073709551615U}, arena_)),
            "18446744073709551615");
  EXPECT_TRUE(make_number(std::uint64_t{7}, arena_).is_int64());
  EXPECT_TRUE(make_number(BigInteger{-5}, arena_).is_int64());
  EXPECT_EQ(text(make_number(BigInteger{1} << 64, arena_)), "18446744073709551616");
  EXPECT_FALSE(make_number(BigInteger{1} << 200'000, arena_).is_defined());
}

}  // namespace
}  // namespace sallyport::rego
