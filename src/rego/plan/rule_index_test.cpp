#include "src/rego/plan/rule_index.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Condition needs(char const* key, std::vector<Value> scalars) {
  return {{.path = {Value::string(key)}}, std::move(scalars)};
}

Value text(char const* text) {
  return Value::string(text);
}

TEST(RuleIndex, TakesTheRefThatLeavesTheFewestBodies) {
  std::vector<std::vector<Condition>> bodies;
  for (auto const* host : {"a", "b", "c", "d", "e"}) {
    bodies.push_back({needs("method", {text("GET")}), needs("host", {text(host)})});
  }

  auto const index = RuleIndex::make(bodies);

  ASSERT_TRUE(index);
  EXPECT_EQ(index->ref().path[0].as_string(), "host");
  EXPECT_THAT(index->asking_for(text("c")), ElementsAre(2));
  EXPECT_THAT(index->asking_for(text("x")), IsEmpty());
  EXPECT_THAT(index->others(), IsEmpty());
}

TEST(RuleIndex, KeepsBodiesThatDoNotAsk) {
  auto const index = RuleIndex::make({{needs("host", {text("a")})},
                                      {},
                                      {needs("host", {text("b"), text("a")})},
                                      {needs("host", {text("c")})},
                                      {needs("host", {text("d")})}});

  ASSERT_TRUE(index);
  EXPECT_THAT(index->asking_for(text("a")), ElementsAre(0, 2));
  EXPECT_THAT(index->others(), ElementsAre(1));
}

TEST(RuleIndex, FindsEqualNumbersHoweverTheyAreWritten) {
  auto const number = [](char const* digits) { return Value::number_text(digits); };
  auto const index = RuleIndex::make({{needs("n", {number("1.0")})},
                                      {needs("n", {Value::integer(2)})},
                                      {needs("n", {Value::integer(3)})},
                                      {needs("n", {Value::integer(4)})}});

  ASSERT_TRUE(index);
  EXPECT_THAT(index->asking_for(Value::integer(1)), ElementsAre(0));
}

TEST(RuleIndex, IsNotMadeWhereItSparesNothing) {
  EXPECT_FALSE(RuleIndex::make({{}, {}, {}, {}, {}}));
  EXPECT_FALSE(RuleIndex::make(std::vector<std::vector<Condition>>(5, {needs("a", {text("x")})})));
  EXPECT_FALSE(RuleIndex::make({{needs("a", {text("x")})}, {needs("a", {text("y")})}}));
}

TEST(RuleIndex, FindsNothingForUndefinedAndForCollections) {
  auto const index = RuleIndex::make({{needs("n", {Value::integer(1)})},
                                      {needs("n", {Value::integer(2)})},
                                      {needs("n", {Value::integer(3)})},
                                      {needs("n", {Value::null()})}});

  ASSERT_TRUE(index);
  EXPECT_THAT(index->asking_for({}), IsEmpty());
  EXPECT_THAT(index->asking_for(Value::array({})), IsEmpty());
  EXPECT_THAT(index->asking_for(Value::null()), ElementsAre(3));
}

}  // namespace
}  // namespace sallyport::rego::plan
