#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::BuiltinBench;
using test::expect;
using test::result;

TEST(Arithmetic, ComputesAsOpaDoes) {
  expect({
      {"plus", "[0.1, 0.2]", "0.3"},
      {"plus", "[9223372036854775807, 1]", "9223372036854775808"},
      {"minus", "[1, 2.5]", "-1.5"},
      {"mul", "[4.35, 100]", "435"},
      {"div", "[1, 3]", "0.33333333333333333334"},
      {"div", "[6, 3]", "2"},
      {"rem", "[-7, 3]", "-1"},
  });
}

TEST(Arithmetic, SaysWhatIsWrong) {
  expect({
      {"div", "[1, 0]", "error: divide by zero"},
      {"rem", "[1, 0]", "error: modulo by zero"},
      {"rem", "[1.5, 1]", "error: modulo on floating-point number"},
      {"plus", R"(["a", 1])", "type error: operand 1 must be number but got string"},
      {"mul", "[1, null]", "type error: operand 2 must be number but got null"},
      {"minus", "[1, []]", "type error: operand 2 must be number but got array"},
      {"minus", "[[], 1]", "type error: operand 1 must be one of {number, set} but got array"},
  });
}

TEST(Arithmetic, RoundsHalvesAwayFromZero) {
  expect({
      {"round", "[2.5]", "3"},
      {"round", "[-2.5]", "-3"},
      {"round", "[2.4999]", "2"},
      {"round", "[-0.4]", "0"},
      {"ceil", "[1.2]", "2"},
      {"ceil", "[-1.2]", "-1"},
      {"ceil", "[3]", "3"},
      {"floor", "[-1.2]", "-2"},
      {"floor", "[1.9]", "1"},
      {"floor", "[123456789012345678901234567890]", "123456789012345678899921813504"},
      {"ceil", "[123456789012345678901234567890]", "123456789012345678899921813504"},
      {"round", "[-1e25]", "-10000000000000000000000000"},
      {"abs", "[-1.50]", "1.5"},
      {"abs", "[-7]", "7"},
  });
}

TEST(Arithmetic, TakesTheZeroOfANegativeFractionForPositiveAsOpaDoes) {
  expect({{"ceil", "[-0.5]", "1"}, {"floor", "[-0.5]", "0"}});
}

TEST(Arithmetic, EndsTheEvaluationWhereANumberGrowsTooLarge) {
  EXPECT_TRUE(result("mul", "[1e20000, 1e20000]").starts_with("halt: "));
  EXPECT_TRUE(result("div", "[1e4000, 1e-4000]").starts_with("halt: "));
}

TEST(Arithmetic, ChargesForLongNumbers) {
  BuiltinBench bench{{.steps = 1000}};

  std::string last;
  for (int round = 0; round < 1000 && !last.starts_with("halt"); ++round) {
    last = bench.result("mul", "[1e15000, 1e15000]");
  }

  EXPECT_EQ(last, "halt: the evaluation has used up its budget");
}

TEST(Bits, WorkOnIntegersOfAnySize) {
  expect({
      {"bits.and", "[7, 9]", "1"},
      {"bits.or", "[7, 9]", "15"},
      {"bits.xor", "[42, 3]", "41"},
      {"bits.negate", "[42]", "-43"},
      {"bits.lsh", "[1, 3]", "8"},
      {"bits.lsh", "[1, 64]", "18446744073709551616"},
      {"bits.lsh", "[-1, 64]", "-18446744073709551616"},
      {"bits.rsh", "[8, 1]", "4"},
      {"bits.rsh", "[-1, 3]", "-1"},
      {"bits.rsh", "[-9, 1]", "-5"},
      {"bits.rsh", "[1, 1000000000000]", "0"},
      {"bits.rsh", "[-18446744073709551617, 1]", "-9223372036854775809"},
      {"bits.and", "[18446744073709551617, 3]", "1"},
      {"bits.and", "[-1, 18446744073709551617]", "18446744073709551617"},
      {"bits.or", "[-18446744073709551616, 1]", "-18446744073709551615"},
      {"bits.xor", "[-1, 18446744073709551616]", "-18446744073709551617"},
      {"bits.negate", "[18446744073709551616]", "-18446744073709551617"},
      {"bits.lsh", "[2.0, 1e0]", "4"},
      {"bits.lsh", "[0, 99999999999999999999]", "0"},
  });
}

TEST(Bits, SayWhatIsWrong) {
  expect({
      {"bits.or", "[7.2, 9]",
       "type error: operand 1 must be integer number but got floating-point number"},
      {"bits.negate", R"(["a"])", "type error: operand 1 must be integer but got string"},
      {"bits.lsh", "[1, -1]",
       "type error: operand 2 must be an unsigned integer number but got a negative integer"},
      {"bits.rsh", "[1, -1]",
       "type error: operand 2 must be an unsigned integer number but got a negative integer"},
  });
}

TEST(Bits, EndTheEvaluationWhereAShiftIsTooLong) {
  EXPECT_TRUE(result("bits.lsh", "[1, 100000000]").starts_with("halt: "));
  EXPECT_TRUE(result("bits.lsh", "[1, 99999999999999999999]").starts_with("halt: "));
}

TEST(NumberBuiltins, MakeRanges) {
  expect({
      {"numbers.range", "[1, 3]", "[1, 2, 3]"},
      {"numbers.range", "[3, 1]", "[3, 2, 1]"},
      {"numbers.range", "[2, 2]", "[2]"},
      {"numbers.range", "[-1, 1.0]", "[-1, 0, 1]"},
      {"numbers.range", "[9223372036854775806, 9223372036854775808]",
       "[9223372036854775806, 9223372036854775807, 9223372036854775808]"},
      {"numbers.range_step", "[0, 10, 4]", "[0, 4, 8]"},
      {"numbers.range_step", "[10, 0, 4]", "[10, 6, 2]"},
      {"numbers.range_step", "[-9223372036854775808, 9223372036854775807, 9223372036854775807]",
       "[-9223372036854775808, -1, 9223372036854775806]"},
      {"numbers.range_step", "[0, 10, 0]",
       "error: numbers.range_step: step must be a positive integer"},
      {"numbers.range", "[1, 2.5]",
       "type error: operand 2 must be integer number but got floating-point number"},
  });
}

TEST(NumberBuiltins, BoundRanges) {
  EXPECT_EQ(result("numbers.range", "[1, 3000000]"),
            "halt: the range has more than 1000000 numbers");
  EXPECT_EQ(result("numbers.range", "[1, 1e30000]"),
            "halt: the range has more than 1000000 numbers");
  BuiltinBench bench{{.steps = 1000}};
  EXPECT_EQ(bench.result("numbers.range", "[1, 5000]"),
            "halt: the evaluation has used up its budget");
}

TEST(NumberBuiltins, FormatIntegers) {
  expect({
      {"format_int", "[255, 16]", R"("ff")"},
      {"format_int", "[-255, 16]", R"("-ff")"},
      {"format_int", "[0, 2]", R"("0")"},
      {"format_int", "[10, 2]", R"("1010")"},
      {"format_int", "[10, 8]", R"("12")"},
      {"format_int", "[15.9, 16]", R"("f")"},
      {"format_int", "[-15.9, 10]", R"("-15")"},
      {"format_int", "[1e3, 10]", R"("1000")"},
      {"format_int", "[18446744073709551617, 16]", R"("10000000000000001")"},
      {"format_int", "[1, 3]", "type error: operand 2 must be one of {2, 8, 10, 16}"},
  });
}

TEST(NumberBuiltins, ReadNumbers) {
  expect({
      {"to_number", "[null]", "0"},
      {"to_number", "[true]", "1"},
      {"to_number", "[1.50]", "1.50"},
      {"to_number", R"(["-12"])", "-12"},
      {"to_number", R"(["1e3"])", "1e3"},
      {"to_number", R"(["+007.50"])", "7.50"},
      {"to_number", R"([".5"])", "0.5"},
      {"to_number", R"(["5."])", "5"},
      {"to_number", R"(["abc"])", R"(error: strconv.ParseFloat: parsing "abc": invalid syntax)"},
      {"to_number", R"([""])", R"(error: strconv.ParseFloat: parsing "": invalid syntax)"},
      {"to_number", R"([" 1"])", R"(error: strconv.ParseFloat: parsing " 1": invalid syntax)"},
      {"to_number", R"(["."])", R"(error: strconv.ParseFloat: parsing ".": invalid syntax)"},
      {"to_number", R"(["1e400"])",
       R"(error: strconv.ParseFloat: parsing "1e400": value out of range)"},
      {"to_number", R"(["-Infinity"])",
       "type error: operand 1 must be valid number string but got string"},
      {"to_number", "[[]]",
       "type error: operand 1 must be one of {null, boolean, number, string} but got array"},
  });
}

TEST(NumberBuiltins, DrawTheSameRandomNumberForTheSameName) {
  BuiltinBench bench;
  auto const first = bench.call("rand.intn", bench.parse(R"(["a", 1000000])").items());
  ASSERT_TRUE(first.is_int64());
  EXPECT_GE(first.as_int64(), 0);
  EXPECT_LT(first.as_int64(), 1'000'000);
  EXPECT_TRUE(equal(first, bench.call("rand.intn", bench.parse(R"(["a", -1000000])").items())));
  EXPECT_FALSE(equal(first, bench.call("rand.intn", bench.parse(R"(["b", 1000000])").items())));
  bench.seed = 2;
  EXPECT_FALSE(equal(first, bench.call("rand.intn", bench.parse(R"(["a", 1000000])").items())));
  EXPECT_EQ(bench.result("rand.intn", R"(["a", 0])"), "0");
  EXPECT_EQ(bench.result("rand.intn", R"(["a", 1.5])"),
            "type error: operand 2 must be integer number but got floating-point number");
}

}  // namespace
}  // namespace sallyport::rego
