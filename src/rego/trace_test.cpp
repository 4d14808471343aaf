#include "src/rego/trace.hpp"

#include "src/rego/policy.hpp"
#include "src/rego/testing.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct Log final : Observer {
  void event(TraceEvent const& event) override {
    if (event.rule.empty()) return;
    lines.push_back(std::string{name_of(event.op)} + " " + std::to_string(event.at.row));
  }
  std::vector<std::string> lines;
};

std::string run(Compiled const& compiled, std::string_view input, Observer& observer) {
  auto const entry = compile_entry(compiled.policy, "data.t.p");
  Evaluation evaluation;
  auto const value = *parse_json(input, evaluation.arena());
  return testing::said(evaluation.value_of(*entry.query, value, {.observer = &observer}));
}

constexpr auto kPolicy = R"(package t
p := x if {
  some x in input.xs
  x > 1
}
else := 0 if {
  input.none
})";

TEST(Trace, TellsWhatIsTriedAndWhatFails) {
  auto const compiled = compile({{"a.rego", kPolicy}}, {.instrument = true});
  ASSERT_TRUE(compiled);
  Log log;

  auto const came = run(compiled, R"({"xs": [1, 2]})", log);

  EXPECT_EQ(came, "2");
  EXPECT_THAT(log.lines, ElementsAre("Enter 2", "Eval 3", "Eval 4", "Fail 4", "Redo 3", "Eval 4",
                                     "Exit 2", "Redo 2", "Redo 4", "Redo 3"));
}

TEST(Trace, CoverageKnowsTheLinesThatWereNotReached) {
  auto const compiled = compile({{"a.rego", kPolicy}}, {.instrument = true});
  ASSERT_TRUE(compiled);
  Coverage coverage;

  run(compiled, R"({"xs": [0]})", coverage);

  EXPECT_THAT(coverage.covered(), ElementsAre(Pair(0, 3), Pair(0, 4), Pair(0, 7)));
  EXPECT_THAT(coverage.missed(*compiled.policy), ElementsAre(Pair(0, 2), Pair(0, 6)));
}

TEST(Trace, APolicyThatIsNotInstrumentedTellsNothing) {
  auto const compiled = compile({{"a.rego", kPolicy}}, {});
  ASSERT_TRUE(compiled);
  Log log;

  run(compiled, R"({"xs": [1, 2]})", log);

  EXPECT_TRUE(log.lines.empty());
}

}  // namespace
}  // namespace sallyport::rego
