#include "src/pipeline/simulation.hpp"

#include "src/base/task_group.hpp"
#include "src/json/parse.hpp"
#include "src/policy/allowlist.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace sallyport::pipeline {
namespace {

// Runs vectors one after the other, as `sallyport check --simulate` does.
class Simulator {
 public:
  Simulated run(std::string_view vector) { return run(json::parse(vector)->get_object()); }

  Simulated run(json::Object const& vector) {
    EventLoops loops{1};
    SimulationParts const parts{
        .guard = guard_, .policy = policy_, .injector = injector_, .loops = loops};
    Simulated result;
    TaskGroup group{loops.executor(0), [](std::string_view, Error const&) {}};
    group.spawn("vector", simulate_one(parts, vector, loops, result));
    loops.run();
    return result;
  }

 private:
  static Task<void> simulate_one(SimulationParts const& parts, json::Object const& vector,
                                 EventLoops& loops, Simulated& result) {
    auto simulated = co_await simulate(parts, vector);
    EXPECT_TRUE(simulated);
    if (simulated) result = std::move(*simulated);
    loops.finish();
    co_return Result<void>{};
  }

  egress::Guard guard_;
  policy::Allowlist policy_{{}};
  credentials::Injector injector_{{}};
};

// Besides those that are published: other values of every class, and unusual forms of the fields.
TEST(Simulation, PassesTheVectorsOfItsOwn) {
  std::ifstream file{SALLYPORT_ROAD_VECTORS};
  ASSERT_TRUE(file);
  std::string const text{std::istreambuf_iterator<char>{file}, {}};
  auto const vectors = json::parse(text);
  ASSERT_TRUE(vectors) << vectors.error().message;
  Simulator simulator;
  std::set<std::string> classes;

  for (auto const& vector : vectors->get_array()) {
    auto const result = simulator.run(vector.get_object());
    EXPECT_TRUE(result.passed) << result.input << " is " << result.verdict << ": " << result.reason;
    classes.emplace(json::view(*json::find_string(vector.get_object(), "class")));
  }

  EXPECT_GE(vectors->get_array().size(), 300U);
  EXPECT_EQ(classes.size(), 57U);
}

TEST(Simulation, SaysThatSomethingElseWasDialledWhateverWasExpected) {
  Simulator simulator;
  for (auto const* const expect : {R"("allow")", R"("block")", R"("allow", "either": true)"}) {
    auto const result =
        simulator.run(std::string{R"({"input": "http://a.example/", "expect": )"} + expect +
                      R"(, "resolve": {"a.example": ["1.1.1.1"]},
                                          "expect_connect": "8.8.8.8"})");
    EXPECT_EQ(result.verdict, "leak") << expect;
    EXPECT_FALSE(result.passed) << expect;
  }
}

TEST(Simulation, SaysThatAHeaderWentAlong) {
  Simulator simulator;
  for (auto const* const names : {R"(["Accept"])", R"("X-Gone, Accept")", R"("accept")"}) {
    auto const result =
        simulator.run(std::string{R"({"input": "http://a.example/", "expect": "allow",
        "resolve": {"a.example": "1.1.1.1"}, "headers": {"Accept": "x/y"},
        "redirect": {"status": 302, "location": "http://a.example:8080/"},
        "expect_headers_absent_after_redirect": )"} +
                      names + "}");
    EXPECT_EQ(result.verdict, "leak") << names;
    EXPECT_FALSE(result.passed) << names;
  }
}

TEST(Simulation, AnAnswerThatIsNoAddressIsRefused) {
  auto const result = Simulator{}.run(
      R"({"input": "http://a.example/", "resolve": {"a.example": ["1.1.1.1", "1.1.1.999"]}})");
  EXPECT_EQ(result.verdict, "block");
  EXPECT_EQ(result.reason, "The vector resolves a name to \"1.1.1.999\", which is not an address.");
}

TEST(Simulation, BearsFieldsOfAnyType) {
  Simulator simulator;
  for (auto const* const value : {"null", "true", "9", "-1.5", R"("x")", "[]", "{}", "[[]]",
                                  R"([{"status": "x", "location": 9}])", R"({"a.example": 9})",
                                  R"({"a.example": [[9, null]]})", R"([["a"], ["a", {}], "b"])"}) {
    for (auto const* const field :
         {"input", "expect", "resolve", "resolve_sequence", "redirect", "loop", "headers",
          "response_headers", "response_body", "env", "config", "either", "expect_connect",
          "expect_headers_absent_after_redirect"}) {
      json::Object vector{{"input", "http://a.example/"},
                          {"expect", "allow"},
                          {"resolve", json::Object{{"a.example", json::Array{"1.1.1.1"}}}}};
      vector[field] = *json::parse(value);
      auto const result = simulator.run(vector);
      EXPECT_FALSE(result.verdict.empty()) << field << " " << value;
      EXPECT_FALSE(result.reason.empty()) << field << " " << value;
    }
  }
}

}  // namespace
}  // namespace sallyport::pipeline
