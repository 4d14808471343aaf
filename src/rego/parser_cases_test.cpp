// The parser over OPA's test cases and our own: what compiles there parses here, and what does not
// parse there does not here.
#include "src/json/parse.hpp"
#include "src/rego/parser.hpp"

#include "tests/support/not_tested.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sallyport::rego {
namespace {

namespace fs = std::filesystem;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

fs::path const kCases{SALLYPORT_REGO_CASES};
constexpr auto kHow = "put rego-cases into ../shared/data";

struct Case {
  std::string note;
  std::string query;
  std::string input_term;
  std::string wanted_error;
  std::vector<std::string> modules;
  CompileOptions options;
};

std::string text_of(json::Object const& object, std::string_view key) {
  auto const* const found = json::find_string(object, key);
  return found == nullptr ? std::string{} : std::string{json::view(*found)};
}

std::vector<Case> cases_of(char const* file) {
  std::vector<Case> cases;
  std::ifstream stream{kCases / file};
  for (std::string line; std::getline(stream, line);) {
    auto const parsed = json::parse(line);
    if (!parsed || !parsed->is_object()) continue;
    auto const& object = parsed->as_object();
    auto& next = cases.emplace_back();
    next.note = text_of(object, "note");
    next.query = text_of(object, "query");
    next.input_term = text_of(object, "input_term");
    next.wanted_error = text_of(object, "want_error_code");
    if (auto const* const modules = json::find_array(object, "modules")) {
      for (auto const& text : *modules) next.modules.emplace_back(json::view(text.as_string()));
    }
    if (object.if_contains("experimental_keywords") != nullptr) {
      next.options.experimental_keywords = {"and", "or"};
    }
  }
  return cases;
}

Diagnostics parse_all(Case const& test) {
  Arena arena;
  Diagnostics errors;
  for (auto const& text : test.modules) {
    auto const before = errors.size();
    auto const* const module = parse_module(text, 0, test.options, arena, errors);
    EXPECT_EQ(module == nullptr, errors.size() > before) << test.note;
  }
  if (!test.query.empty()) (void)parse_query(test.query, test.options, arena, errors);
  if (!test.input_term.empty()) (void)parse_ground_term(test.input_term, arena, errors);
  return errors;
}

std::string described(Diagnostics const& errors) {
  std::string text;
  for (auto const& error : errors) text += to_text(error) + '\n';
  return text;
}

TEST(ParserCases, ReadsEveryModuleAndQueryOfOpa) {
  if (!fs::exists(kCases / "v1.jsonl")) SP_NOT_TESTED(kHow);
  auto const cases = cases_of("v1.jsonl");
  EXPECT_THAT(cases, SizeIs(Gt(1000)));
  for (auto const& test : cases) {
    auto const errors = parse_all(test);
    EXPECT_THAT(errors, IsEmpty())
        << test.note << '\n'
        << described(errors) << (test.modules.empty() ? test.query : test.modules.back());
  }
}

TEST(ParserCases, RefusesWhatOpaRefusesAndNothingElse) {
  if (!fs::exists(kCases / "golden.jsonl")) SP_NOT_TESTED(kHow);
  auto const cases = cases_of("golden.jsonl");
  EXPECT_THAT(cases, SizeIs(Gt(100)));
  for (auto const& test : cases) {
    auto const errors = parse_all(test);
    auto const& text = test.modules.empty() ? test.query : test.modules.back();
    EXPECT_EQ(errors.empty(), test.wanted_error != "rego_parse_error") << test.note << '\n'
                                                                       << described(errors) << text;
    for (auto const& error : errors) EXPECT_EQ(error.code, Code::Parse);
  }
}

}  // namespace
}  // namespace sallyport::rego
