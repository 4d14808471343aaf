#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

struct FormatCase {
  std::string_view operands;
  std::string_view answer;
};

void expect_all(std::span<FormatCase const> cases) {
  for (auto const& [operands, answer] : cases) {
    test::BuiltinBench bench;
    auto const value = bench.call("sprintf", bench.parse(operands).items());
    ASSERT_TRUE(value.is(Kind::String)) << operands << ": " << bench.message;
    EXPECT_EQ(value.as_string(), answer) << operands;
  }
}

TEST(Sprintf, FormatsIntegers) {
  FormatCase const cases[] = {
      {R"(["hi", []])", "hi"},
      {R"(["%d", [42]])", "42"},
      {R"(["%02d|%-4d|%4d|%+d|% d", [5, 6, 7, 8, 9]])", "05|6   |   7|+8| 9"},
      {R"(["%05d|%-05d|%.3d|%6.3d", [-42, 7, 7, -7]])", "-0042|7    |007|  -007"},
      {R"(["%x %X %#x %o %#o %O %b %#b %08b", [255, 255, 255, 8, 8, 8, 5, 5, 5]])",
       "ff FF 0xff 10 010 0o10 101 0b101 00000101"},
      {R"(["%c%c|%q|%U|%#U", [65, 233, 120, 8364, 8364]])", "Aé|'x'|U+20AC|U+20AC '€'"},
      {R"(["%d", [-9223372036854775808]])", "-9223372036854775808"},
      {R"(["%.0d|%5.0d|", [0, 0]])", "|     |"},
      {R"(["%v", [7]])", "7"},
  };
  expect_all(cases);
}

TEST(Sprintf, FormatsLargeIntegersExactly) {
  FormatCase const cases[] = {
      {R"(["%s %d %v", [123456789123456789123, 123456789123456789123, -123456789123456789123]])",
       "123456789123456789123 123456789123456789123 -123456789123456789123"},
      {R"(["%x %b", [18446744073709551616, 18446744073709551616]])",
       "10000000000000000 10000000000000000000000000000000000000000000000000000000000000000"},
      {R"(["%030d", [123456789123456789123]])", "000000000123456789123456789123"},
      {R"(["%q", [123456789123456789123]])", "%!q(big.Int=123456789123456789123)"},
      {R"(["", [123456789123456789123]])", "%!(EXTRA *big.Int=123456789123456789123)"},
      {R"(["%v", [1e30]])", "1e30"},
  };
  expect_all(cases);
}

TEST(Sprintf, FormatsFloats) {
  FormatCase const cases[] = {
      {R"(["%.2f|%05.1f|%f|%8.3f|%-8.3f|", [3.1415, 3.14159, 1.5, 2.5, 2.5]])",
       "3.14|003.1|1.500000|   2.500|2.500   |"},
      {R"(["%v %v %v %v", [0.1, 1000000.5, 123456789.5, 0.00001]])",
       "0.1 1.0000005e+06 1.234567895e+08 1e-05"},
      {R"(["%v %v", [3.0, 100000.0]])", "3 100000"},
      {R"(["%e %E %.3e %g %G %.3g", [1.5, 1.5, 12345.678, 1.5, 0.0000015, 1234.5]])",
       "1.500000e+00 1.500000E+00 1.235e+04 1.5 1.5E-06 1.23e+03"},
      {R"(["%+.1f % .1f %+06.1f", [1.5, 1.5, 1.5]])", "+1.5  1.5 +001.5"},
      {R"(["%#g %#.3f %#.0f", [1.5, 1.5, 2.5]])", "1.50000 1.500 2."},
      {R"(["%x %X %b", [1.5, 0.1, 1.5]])", "0x1.8p+00 0X1.999999999999AP-04 6755399441055744p-52"},
      {R"(["%.0f %.1f", [-0.4, -1.25]])", "-0 -1.2"},
  };
  expect_all(cases);
}

TEST(Sprintf, FormatsTextsAndOtherValuesAsTexts) {
  FormatCase const cases[] = {
      {R"(["%s|%5s|%-5s|%.2s|%05s|", ["ab", "ab", "ab", "héllo", "ab"]])",
       "ab|   ab|ab   |hé|000ab|"},
      {R"(["%q %+q %#q %x %X % x %#x", ["a\"é", "é", "a`b", "hi", "hi", "hi", "hi"]])",
       "\"a\\\"é\" \"\\u00e9\" \"a`b\" 6869 6869 68 69 0x6869"},
      {R"(["%v %s %v", [true, null, {"a": [1, "b"]}]])", R"(true null {"a": [1, "b"]})"},
      {R"(["%v%%", ["x"]])", "x%"},
      {R"(["%#v %T %T %T", ["x", "x", 1, 1.5]])", "\"x\" string int64 float64"},
  };
  expect_all(cases);
}

TEST(Sprintf, SaysWhatIsWrongWithinTheText) {
  FormatCase const cases[] = {
      {R"(["%d", [1.5]])", "%!d(float64=1.5)"},
      {R"(["%d", ["x"]])", "%!d(string=x)"},
      {R"(["%5d", ["x"]])", "%!d(string=    x)"},
      {R"(["%s", [1]])", "%!s(int64=1)"},
      {R"(["%t", [true]])", "%!t(string=true)"},
      {R"(["%d %d", [1]])", "1 %!d(MISSING)"},
      {R"(["%d", [1, 2, "x"]])", "1%!(EXTRA int64=2, string=x)"},
      {R"(["%", []])", "%!(NOVERB)"},
      {R"(["%!", [1]])", "%!!(int64=1)"},
      {R"(["%z %é", [1, 2]])", "%!z(int64=1) %!é(int64=2)"},
      {R"(["%200000000d", [1]])", "%!(NOVERB)%!(EXTRA int64=1)"},
  };
  expect_all(cases);
}

TEST(Sprintf, TakesArgumentsByNumberAndWidthsFromThem) {
  FormatCase const cases[] = {
      {R"(["%[2]d %[1]d", [1, 2]])", "2 1"},
      {R"(["%[3]d", [1, 2]])", "%!d(BADINDEX)"},
      {R"(["%[x]d", [1]])", "%!d(BADINDEX)"},
      {R"(["%*d|%-*d|%.*f", [4, 7, 4, 7, 1, 2.25]])", "   7|7   |2.2"},
      {R"(["%*d", ["x", 7]])", "%!(BADWIDTH)7"},
      {R"(["%.*d", [-1, 7]])", "%!(BADPREC)7"},
      {R"(["%*d|", [-4, 7]])", "7   |"},
  };
  expect_all(cases);
}

TEST(Sprintf, ChecksItsOperands) {
  EXPECT_EQ(test::result("sprintf", R"([1, []])"),
            "type error: operand 1 must be string but got number");
  EXPECT_EQ(test::result("sprintf", R"(["", "x"])"),
            "type error: operand 2 must be array but got string");
}

TEST(Sprintf, StopsBeforeATextGrowsTooLong) {
  test::BuiltinBench bench{Limits{.longest_text = 1000}};

  EXPECT_EQ(bench.result("sprintf", R"(["%1000000d", [1]])"),
            "halt: the text is longer than 1000 bytes");
}

}  // namespace
}  // namespace sallyport::rego
