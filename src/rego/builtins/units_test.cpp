#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

struct UnitCase {
  std::string_view text;
  std::string_view answer;
};

void expect_all(std::string_view name, std::span<UnitCase const> cases) {
  for (auto const& [text, answer] : cases) {
    test::BuiltinBench bench;
    Value const operand = Value::string(text);
    EXPECT_EQ(bench.result(name, Operands{&operand, 1}), answer) << text;
  }
}

TEST(Units, ParsesAmountsExactly) {
  UnitCase const cases[] = {
      {"42", "42"},
      {"1K", "1000"},
      {"1k", "1000"},
      {"1Ki", "1024"},
      {"1KI", "1024"},
      {"1M", "1000000"},
      {"1m", "0.0010000000"},
      {"500m", "0.5000000000"},
      {"1000m", "1.0000000000"},
      {"0.5", "0.5000000000"},
      {"1.5G", "1500000000"},
      {"1E", "1000000000000000000"},
      {"1Ei", "1152921504606846976"},
      {"100E", "100000000000000000000"},
      {"4E2G", "400000000000"},
      {"1e-2", "0.0100000000"},
      {"5e1Gi", "53687091200"},
      {"-1.5", "-1.5000000000"},
      {"+2", "2"},
      {".5k", "500"},
      {"5.", "5"},
      {"\"12\"", "12"},
      {"1e-999999", "0.0000000000"},
      {"0e999999", "0"},
      {"0.33333333335", "0.3333333334"},
  };
  expect_all("units.parse", cases);
}

TEST(Units, ParsesBytes) {
  UnitCase const cases[] = {
      {"10", "10"},        {"1KiB", "1024"},     {"1kb", "1000"}, {"1MB", "1000000"},
      {"2mib", "2097152"}, {"4.1Mi", "4299161"}, {"1e3", "1000"}, {"1eb", "1000000000000000000"},
      {"-1.5k", "-1500"},  {"1.9", "1"},         {"0.5", "0"},    {"20ei", "23058430092136939520"},
      {"1e-999", "0"},
  };
  expect_all("units.parse_bytes", cases);
}

TEST(Units, SaysWhatIsWrong) {
  UnitCase const units[] = {
      {"", "error: units.parse: no amount provided"},
      {"G", "error: units.parse: no amount provided"},
      {"1 G", "error: units.parse: spaces not allowed in resource strings"},
      {"1foo", "error: units.parse: unit foo not recognized"},
      {"1KB", "error: units.parse: unit Kb not recognized"},
      {"1.2.3", "error: units.parse: could not parse amount to a number"},
      {"1e9999999", "error: units.parse: exponent too large"},
      {"1e999999", "error: units.parse: exponent too large"},
  };
  expect_all("units.parse", units);
  UnitCase const bytes[] = {
      {"", "error: units.parse_bytes: no byte amount provided"},
      {"foo", "error: units.parse_bytes: no byte amount provided"},
      {"1 k", "error: units.parse_bytes: spaces not allowed in resource strings"},
      {"1XB", "error: units.parse_bytes: byte unit xb not recognized"},
      {"1b", "error: units.parse_bytes: byte unit b not recognized"},
      {"..1", "error: units.parse_bytes: could not parse byte amount to a number"},
      {"1e999999", "error: units.parse_bytes: exponent too large"},
  };
  expect_all("units.parse_bytes", bytes);
}

}  // namespace
}  // namespace sallyport::rego
