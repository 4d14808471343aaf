#include "src/rego/build.hpp"
#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::BuiltinBench;

// Sets have no JSON: in these operands, {"$set": […]} is one.
Value with_sets(Value value, Arena& arena) {
  if (value.is(Kind::Array)) {
    ArrayBuilder array{arena};
    for (auto const item : value.items()) array.add(with_sets(item, arena));
    return array.finish();
  }
  if (!value.is(Kind::Object)) return value;
  if (auto const items = get(value, "$set"); items.is_defined()) {
    SetBuilder set{arena};
    for (auto const item : items.items()) set.add(with_sets(item, arena));
    return set.finish();
  }
  ObjectBuilder object{arena};
  for (auto const& [key, member] : value.entries()) object.add(key, with_sets(member, arena));
  return object.finish();
}

std::string result(std::string_view name, std::string_view operands) {
  BuiltinBench bench;
  auto const parsed = bench.parse(operands);
  if (!parsed.is(Kind::Array)) return "the operands are not a JSON array";
  return bench.result(name, with_sets(parsed, bench.arena).items());
}

void expect(std::initializer_list<test::Case> cases) {
  test::expect(cases, &result);
}

TEST(Comparison, FollowsTheOrderOfValues) {
  expect({
      {"equal", "[1, 1.0]", "true"},
      {"neq", R"([[1], {"$set": [1]}])", "true"},
      {"lt", R"([null, false])", "true"},
      {"lte", "[[1, 2], [1, 2]]", "true"},
      {"gt", R"(["b", "a"])", "true"},
      {"gte", R"([{"a": 1}, {"a": 2}])", "false"},
  });
}

TEST(Aggregates, CountWhatThereIs) {
  expect({
      {"count", "[[1, 2]]", "2"},
      {"count", R"([{"a": 1}])", "1"},
      {"count", R"([{"$set": [1, 1.0]}])", "1"},
      {"count", R"(["aé😀"])", "3"},
      {"count", "[1]",
       "type error: operand 1 must be one of {array, object, set, string} but got number"},
  });
}

TEST(Aggregates, AddAndMultiply) {
  expect({
      {"sum", "[[]]", "0"},
      {"product", "[[]]", "1"},
      {"sum", "[[1, 2, 3]]", "6"},
      {"sum", "[[0.1, 0.2, 1]]", "1.3"},
      {"sum", "[[9223372036854775807, 1, 1.0]]", "9223372036854775809"},
      {"sum", R"([{"$set": [1, 2, 2]}])", "3"},
      {"product", "[[4294967296, 4294967296, 2]]", "36893488147419103232"},
      {"product", "[[0, 4294967296, 4294967296, 4294967296]]", "0"},
      {"product", "[[1.5, 2]]", "3"},
      {"sum", R"([[1, "a"]])",
       "type error: operand 1 must be array of numbers but got array containing string"},
      {"product", R"([{"$set": [null]}])",
       "type error: operand 1 must be set of numbers but got set containing null"},
      {"sum", R"([{}])", "type error: operand 1 must be one of {set, array} but got object"},
  });
}

TEST(Aggregates, EndTheEvaluationWhereAProductGrowsTooLarge) {
  std::string operands = "[[";
  for (int at = 0; at < 5000; ++at) operands += "1000000000000000000,";
  operands.back() = ']';
  EXPECT_TRUE(result("product", operands + "]").starts_with("halt: "));
}

TEST(Aggregates, FindTheEnds) {
  expect({
      {"max", "[[1, 3, 2]]", "3"},
      {"min", "[[2, 1, 3]]", "1"},
      {"max", R"([[null, "a", 5]])", R"("a")"},
      {"max", "[[1, 1.0]]", "1.0"},
      {"min", "[[1.0, 1]]", "1"},
      {"max", "[[]]", "undefined"},
      {"min", R"([{"$set": []}])", "undefined"},
      {"max", "[1]", "type error: operand 1 must be one of {set, array} but got number"},
      {"sort", R"([["b", 1, "a", 1.0]])", R"([1, 1.0, "a", "b"])"},
      {"sort", R"([{"$set": [2, 1]}])", "[1, 2]"},
  });
}

TEST(Aggregates, SortLongArraysWithoutTouchingTheOperand) {
  BuiltinBench bench;
  ArrayBuilder array{bench.arena};
  for (int at = 0; at < 1000; ++at) array.add(Value::integer(at * 7919 % 1000));
  Value const operands[] = {array.finish()};
  auto const before = to_rego(operands[0]);

  auto const sorted = bench.call("sort", operands);

  for (int at = 0; at < 1000; ++at) {
    ASSERT_EQ(sorted.items()[static_cast<std::size_t>(at)].as_int64(), at);
  }
  EXPECT_EQ(to_rego(operands[0]), before);
}

TEST(Aggregates, AskForTruth) {
  expect({
      {"all", "[[true, true]]", "true"},
      {"all", "[[true, 1]]", "false"},
      {"all", "[[]]", "true"},
      {"any", "[[false, true]]", "true"},
      {"any", R"([{"$set": [1]}])", "false"},
      {"any", "[[]]", "false"},
  });
}

TEST(Membership, LooksForValuesAndForKeys) {
  expect({
      {"internal.member_2", "[1, [2, 1.0]]", "true"},
      {"internal.member_2", R"([1, {"a": 1}])", "true"},
      {"internal.member_2", R"(["a", {"a": 1}])", "false"},
      {"internal.member_2", R"([1, {"$set": [1]}])", "true"},
      {"internal.member_2", R"(["a", "abc"])", "false"},
      {"internal.member_3", R"(["a", 1, {"a": 1}])", "true"},
      {"internal.member_3", "[0, 5, [5]]", "true"},
      {"internal.member_3", "[1, 5, [5]]", "false"},
      {"internal.member_3", R"([5, 5, {"$set": [5]}])", "true"},
      {"internal.member_3", R"([5, 6, {"$set": [5, 6]}])", "false"},
      {"internal.member_3", R"(["a", 1, "a"])", "false"},
  });
}

TEST(Arrays, AreJoinedAndCut) {
  expect({
      {"array.concat", "[[1], [2, 3]]", "[1, 2, 3]"},
      {"array.concat", "[[], [2]]", "[2]"},
      {"array.flatten", "[[1, [2, [3]], [], 4]]", "[1, 2, [3], 4]"},
      {"array.flatten", "[[]]", "[]"},
      {"array.reverse", "[[1, 2, 3]]", "[3, 2, 1]"},
      {"array.slice", "[[1, 2, 3, 4], 1, 3]", "[2, 3]"},
      {"array.slice", "[[1, 2, 3], -5, 99]", "[1, 2, 3]"},
      {"array.slice", "[[1, 2, 3], 2, 1]", "[]"},
      {"array.slice", "[[1, 2, 3], 0, -1]", "[]"},
      {"array.slice", "[[1], 0.5, 1]",
       "type error: operand 2 must be integer number but got floating-point number"},
      {"array.concat", "[{}, []]", "type error: operand 1 must be array but got object"},
      {"array.flatten", "[1]", "type error: operand 1 must be array but got number"},
  });
}

TEST(Sets, AreCombined) {
  expect({
      {"and", R"([{"$set": [1, 2]}, {"$set": [2, 3]}])", "{2}"},
      {"or", R"([{"$set": [1, 2]}, {"$set": [2, 3]}])", "{1, 2, 3}"},
      {"minus", R"([{"$set": [1, 2]}, {"$set": [2.0]}])", "{1}"},
      {"minus", R"([{"$set": [1]}, {"$set": [1]}])", "set()"},
      {"set_diff", R"([{"$set": [1]}, {"$set": []}])", "{1}"},
      {"minus", R"([{"$set": [1]}, 1])", "type error: operand 2 must be set but got number"},
      {"minus", R"([1, {"$set": [1]}])", "type error: operand 2 must be number but got set"},
      {"and", R"([{"$set": []}, []])", "type error: operand 2 must be set but got array"},
      {"intersection", R"([{"$set": [{"$set": [1, 2]}, {"$set": [2, 3]}]}])", "{2}"},
      {"intersection", R"([{"$set": []}])", "set()"},
      {"union", R"([{"$set": [{"$set": [1, 2]}, {"$set": [2, 3]}]}])", "{1, 2, 3}"},
      {"union", R"([{"$set": []}])", "set()"},
      {"union", R"([{"$set": [1]}])", "type error: operand 1 must be set but got number"},
  });
}

TEST(Objects, GiveWhatTheyHold) {
  expect({
      {"object.get", R"([{"a": 1}, "a", 2])", "1"},
      {"object.get", R"([{"a": 1}, "b", 2])", "2"},
      {"object.get", R"([{"a": false}, "a", 2])", "false"},
      {"object.get", R"([{"a": [{"b": 7}]}, ["a", 0, "b"], 2])", "7"},
      {"object.get", R"([{"a": [{"b": 7}]}, ["a", 1, "b"], 2])", "2"},
      {"object.get", R"([{"a": 1}, ["a", "b"], 2])", "2"},
      {"object.get", R"([{"a": 1}, [], 2])", R"({"a": 1})"},
      {"object.get", R"(["a", "b", 2])", "type error: operand 1 must be object but got string"},
      {"object.keys", R"([{"b": 1, "a": 2}])", R"({"a", "b"})"},
      {"object.keys", "[{}]", "set()"},
  });
}

TEST(Objects, AreFilteredByKeys) {
  expect({
      {"object.filter", R"([{"a": 1, "b": 2}, ["a", "c"]])", R"({"a": 1})"},
      {"object.filter", R"([{"a": 1, "b": 2}, {"$set": ["b"]}])", R"({"b": 2})"},
      {"object.filter", R"([{"a": 1, "b": 2}, {"b": false}])", R"({"b": 2})"},
      {"object.remove", R"([{"a": 1, "b": 2}, ["a", "c"]])", R"({"b": 2})"},
      {"object.remove", R"([{"a": {"b": 1}}, {"a": {"b": 1}}])", "{}"},
      {"object.remove", R"([{}, "a"])",
       "type error: operand 2 must be one of {object, set, array} but got string"},
  });
}

TEST(Objects, AreMergedToTheirDepth) {
  expect({
      {"object.union", R"([{"a": {"x": 1, "y": 1}}, {"a": {"y": 2}, "b": 3}])",
       R"({"a": {"x": 1, "y": 2}, "b": 3})"},
      {"object.union", R"([{"a": {"x": 1}}, {"a": 2}])", R"({"a": 2})"},
      {"object.union", R"([{}, {"a": 2}])", R"({"a": 2})"},
      {"object.union_n", R"([[{"a": {"x": 1}}, {"a": 5}, {"a": {"y": 2}}]])", R"({"a": {"y": 2}})"},
      {"object.union_n", R"([[{"a": 1}, {"a": {"x": 1}}, {"a": {"y": 2}}, {"b": 1}]])",
       R"({"a": {"x": 1, "y": 2}, "b": 1})"},
      {"object.union_n", "[[]]", "{}"},
      {"object.union_n", "[[{}, 1]]",
       "type error: operand 1 must be array of objects but got array containing number"},
  });
}

TEST(Objects, AreSubsetsOfOthers) {
  expect({
      {"object.subset", R"([{"a": {"b": [1, 2, 3]}, "c": 1}, {"a": {"b": [2, 3]}}])", "true"},
      {"object.subset", R"([{"a": 1}, {"a": 2}])", "false"},
      {"object.subset", R"([{"a": 1}, {"b": 1}])", "false"},
      {"object.subset", "[[1, 1, 2], [1, 2]]", "true"},
      {"object.subset", "[[1, 2, 3], [1, 3]]", "false"},
      {"object.subset", "[[1], []]", "true"},
      {"object.subset", R"([{"$set": [1, 2]}, {"$set": [1]}])", "true"},
      {"object.subset", R"([[1, 2, 3], {"$set": [3, 1]}])", "true"},
      {"object.subset", R"([[1, 2], {"$set": [3]}])", "false"},
      {"object.subset", R"([{"$set": [1]}, [1]])",
       "type error: both arguments object.subset must be of the same type or array and set"},
  });
}

TEST(Types, AreNamedAndCast) {
  expect({
      {"type_name", "[null]", R"("null")"},
      {"type_name", R"([{"$set": []}])", R"("set")"},
      {"is_number", "[1.5]", "true"},
      {"is_string", "[1]", "false"},
      {"is_set", "[[]]", "false"},
      {"cast_set", "[[2, 1, 1]]", "{1, 2}"},
      {"cast_array", R"([{"$set": [2, 1]}])", "[1, 2]"},
      {"cast_string", "[1]", "type error: operand 1 must be string but got number"},
      {"cast_array", "[1]", "type error: operand 1 must be one of {array, set} but got number"},
  });
}

TEST(Graph, FindsWhatCanBeReached) {
  expect({
      {"graph.reachable", R"([{"a": ["b"], "b": ["c"], "c": ["a"], "d": []}, ["a"]])",
       R"({"a", "b", "c"})"},
      {"graph.reachable", R"([{"a": ["x"]}, {"$set": ["a", "y"]}])", R"({"a"})"},
      {"graph.reachable", R"([{"a": null}, ["a"]])", R"({"a"})"},
      {"graph.reachable", R"([{}, "a"])",
       "type error: operand 2 must be {array, set} but got string"},
  });
}

TEST(Graph, FindsThePathsThatLeadThere) {
  expect({
      {"graph.reachable_paths", R"([{"a": ["b"], "b": ["c"], "c": ["a"]}, ["a"]])",
       R"({["a", "b", "c"]})"},
      {"graph.reachable_paths", R"([{"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, ["a"]])",
       R"({["a", "b", "d"], ["a", "c", "d"]})"},
      {"graph.reachable_paths", R"([{"a": ["x"]}, ["a"]])", R"({["a"]})"},
      {"graph.reachable_paths", R"([{"a": []}, ["a"]])", R"({["a"]})"},
      {"graph.reachable_paths", R"([{"a": ["a"]}, ["a"]])", R"({["a", "a"]})"},
      {"graph.reachable_paths", R"([{}, ["a"]])", "set()"},
  });
}

TEST(Graph, StopsWherePathsAreTooMany) {
  // Every vertex leads to every other: the paths are as many as 14 factorial.
  std::string all = "[";
  for (int at = 0; at < 14; ++at) all += std::to_string(at) + ",";
  all.back() = ']';
  BuiltinBench bench;
  ObjectBuilder graph{bench.arena};
  for (int at = 0; at < 14; ++at) graph.add(Value::integer(at), bench.parse(all));
  Value const operands[] = {graph.finish(), bench.parse("[0]")};

  EXPECT_EQ(bench.result("graph.reachable_paths", operands),
            "halt: the evaluation has used up its budget");
}

TEST(Graph, FollowsALongChain) {
  BuiltinBench bench{{.time = std::chrono::minutes{1}}};
  ObjectBuilder graph{bench.arena};
  for (int at = 0; at < 200'000; ++at) {
    ArrayBuilder next{bench.arena};
    next.add(Value::integer(at + 1));
    graph.add(Value::integer(at), next.finish());
  }
  Value const operands[] = {graph.finish(), bench.parse("[0]")};

  auto const paths = bench.call("graph.reachable_paths", operands);

  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths.items()[0].size(), 200'000U);
}

TEST(Walk, GivesEveryPathWithItsValue) {
  expect({
      {"walk", R"([{"a": [1, {"$set": [2]}]}])",
       R"([[[], {"a": [1, {2}]}], [["a"], [1, {2}]], [["a", 0], 1], [["a", 1], {2}], [["a", 1, 2], 2]])"},
      {"walk", "[1]", "[[[], 1]]"},
  });
}

TEST(Walk, StopsWhereTheBudgetEnds) {
  BuiltinBench bench{{.steps = 100}};
  std::string numbers = "[[";
  for (int at = 0; at < 200; ++at) numbers += "1,";
  numbers.back() = ']';

  EXPECT_EQ(bench.result("walk", numbers + "]"), "halt: the evaluation has used up its budget");
}

TEST(Semver, ComparesVersions) {
  expect({
      {"semver.compare", R"(["1.0.0", "2.0.0"])", "-1"},
      {"semver.compare", R"(["v1.0.0", "1.0.0+build"])", "0"},
      {"semver.compare", R"(["1.10.0", "1.9.9"])", "1"},
      {"semver.compare", R"(["1.0.0", "1.0.0-rc.1"])", "1"},
      {"semver.compare", R"(["1.0.0-alpha", "1.0.0-alpha.1"])", "-1"},
      {"semver.compare", R"(["1.0.0-alpha.1", "1.0.0-alpha.beta"])", "-1"},
      {"semver.compare", R"(["1.0.0-beta.11", "1.0.0-beta.2"])", "1"},
      {"semver.compare", R"(["1.0.0-01", "1.0.0-1"])", "0"},
      {"semver.compare", R"(["1", "1.0.0"])",
       R"(error: operand 1: string "1" is not a valid SemVer)"},
      {"semver.compare", R"(["1.0.0", "1.0"])",
       R"(error: operand 2: string "1.0" is not a valid SemVer)"},
      {"semver.compare", R"([1, "1.0"])", "type error: operand 1 must be string but got number"},
      {"semver.is_valid", R"(["1.2.3-rc.1+b.2"])", "true"},
      {"semver.is_valid", R"(["1.2.3-rc..1"])", "false"},
      {"semver.is_valid", R"(["1.2.3.4"])", "false"},
      {"semver.is_valid", R"(["1.2.x"])", "false"},
      {"semver.is_valid", "[1]", "false"},
  });
}

TEST(Uuid, IsTakenApart) {
  expect({
      {"uuid.parse", R"(["{00000000-0000-4000-8000-000000000000}"])",
       R"({"variant": "RFC4122", "version": 4})"},
      {"uuid.parse", R"(["URN:UUID:38074da4-0b00-388d-9c3c-362de965547a"])",
       R"({"variant": "RFC4122", "version": 3})"},
      {"uuid.parse", R"(["38074da40b00388d9c3c362de965547a"])",
       R"({"variant": "RFC4122", "version": 3})"},
      {"uuid.parse", R"(["6ba7b810-9dad-11d1-80b4-00c04fd430c8"])",
       R"({"clocksequence": 180, "macvariables": "global:unicast", "nodeid": "00-c0-4f-d4-30-c8", )"
       R"("time": 886630433151182400, "variant": "RFC4122", "version": 1})"},
      {"uuid.parse", R"(["000003e8-48b9-21ee-b200-325096b39f47"])",
       R"({"clocksequence": 12800, "domain": "Person", "id": 1000, "macvariables": "local:unicast", )"
       R"("nodeid": "32-50-96-b3-9f-47", "time": 1693566990121469600, "variant": "RFC4122", "version": 2})"},
      {"uuid.parse", R"(["not-a-uuid"])", "undefined"},
      {"uuid.parse", R"(["6ba7b810x9dad-11d1-80b4-00c04fd430c8"])", "undefined"},
      {"uuid.parse", "[1]", "type error: operand 1 must be string but got number"},
  });
}

TEST(Uuid, IsTheSameForTheSameKey) {
  BuiltinBench bench;
  auto const first = bench.result("uuid.rfc4122", R"(["k"])");
  EXPECT_EQ(first, bench.result("uuid.rfc4122", R"(["k"])"));
  EXPECT_NE(first, bench.result("uuid.rfc4122", R"(["l"])"));
  EXPECT_EQ(bench.result("uuid.parse", "[" + first + "]"),
            R"({"variant": "RFC4122", "version": 4})");
  bench.seed = 2;
  EXPECT_NE(first, bench.result("uuid.rfc4122", R"(["k"])"));
}

}  // namespace
}  // namespace sallyport::rego
