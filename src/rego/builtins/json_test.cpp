#include "src/rego/build.hpp"
#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::BuiltinBench;
using test::expect;
using test::result;

TEST(JsonBuiltins, WriteAndRead) {
  expect({
      {"json.marshal", R"([{"b": [1.0, null], "a": "é"}])", R"("{\"a\":\"é\",\"b\":[1.0,null]}")"},
      {"json.marshal", R"(["<a href=\"x\">&\u2028â€"])",
       R"("\"\\u003ca href=\\\"x\\\"\\u003e\\u0026\\u2028â€\"")"},
      {"json.unmarshal", R"(["{\"a\": [1, 2.50]}"])", R"({"a": [1, 2.50]})"},
      {"json.unmarshal", R"(["{"])",
       "error: Not valid JSON: line 1, column 2: the text ends too early."},
      {"json.unmarshal", "[1]", "type error: operand 1 must be string but got number"},
      {"json.is_valid", R"(["[1]"])", "true"},
      {"json.is_valid", R"(["[1"])", "false"},
      {"json.is_valid", "[1]", "false"},
  });
}

TEST(JsonBuiltins, LayOutWhatTheyWrite) {
  expect({
      {"json.marshal_with_options", R"([{"a": [1, {}], "b": []}, {"pretty": true}])",
       R"("{\n\t\"a\": [\n\t\t1,\n\t\t{}\n\t],\n\t\"b\": []\n}")"},
      {"json.marshal_with_options", R"([["a{,:\"b"], {"indent": " "}])",
       R"("[\n \"a{,:\\\"b\"\n]")"},
      {"json.marshal_with_options", R"([[1], {"prefix": "> "}])", R"("> [\n> \t1\n> ]")"},
      {"json.marshal_with_options", R"([[1], {"pretty": false, "prefix": "> "}])", R"("[1]")"},
      {"json.marshal_with_options", R"([[1], {}])", R"("[1]")"},
      {"json.marshal_with_options", R"([[1], {"other": 1}])",
       R"(type error: operand 2 object contained unknown key "other")"},
      {"json.marshal_with_options", R"([[1], {"indent": 1}])",
       R"(type error: operand 2 key "indent" failed cast to string: operand 0 must be string but got number)"},
  });
}

TEST(JsonBuiltins, BoundWhatTheyLayOut) {
  BuiltinBench bench{{.longest_text = 1000}};
  EXPECT_TRUE(bench
                  .result("json.marshal_with_options",
                          R"([[[[[1, 2, 3]]]], {"indent": ")" + std::string(100, 'x') + R"("}])")
                  .starts_with("halt: "));
}

TEST(JsonBuiltins, FilterByPaths) {
  expect({
      {"json.filter", R"([{"a": {"b": 1, "c": 2}, "d": 3}, ["a/b"]])", R"({"a": {"b": 1}})"},
      {"json.filter", R"([{"a": {"b": 1, "c": 2}, "d": 3}, ["/a/b", "a", "d/x"]])",
       R"({"a": {"b": 1, "c": 2}, "d": 3})"},
      {"json.filter", R"([{"a": [1, 2, {"x": 3, "y": 4}]}, ["a/0", "a/2/x"]])",
       R"({"a": [1, {"x": 3}]})"},
      {"json.filter", R"([{"a": [1, 2]}, [["a", 0]]])", R"({"a": []})"},
      {"json.filter", R"([{"a/b": 1, "c~d": 2, "e": 3}, ["a~1b", "c~0d"]])",
       R"({"a/b": 1, "c~d": 2})"},
      {"json.filter", R"([{"a": 1}, []])", "{}"},
      {"json.filter", R"([{"a": 1}, [""]])", "{}"},
      {"json.filter", R"([{"a": {"b": {"c": 7}}}, [["a", "b", "c"]]])",
       R"({"a": {"b": {"c": 7}}})"},
      {"json.filter", R"([[], []])", "type error: operand 1 must be object but got array"},
      {"json.filter", R"([{}, "a"])",
       "type error: operand 2 must be one of {set, array} but got string"},
      {"json.filter", R"([{}, [1]])",
       "type error: operand 2 must be one of {set, array} containing string paths or array of path "
       "segments but got number"},
  });
}

TEST(JsonBuiltins, RemoveByPaths) {
  expect({
      {"json.remove", R"([{"a": {"b": 1, "c": 2}, "d": 3}, ["a/b"]])",
       R"({"a": {"c": 2}, "d": 3})"},
      {"json.remove", R"([{"a": {"b": 1}, "d": 3}, ["a/b", "a"]])", R"({"d": 3})"},
      {"json.remove", R"([{"a": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, ["a/10", "a/2"]])",
       R"({"a": [0, 1, 3, 4, 5, 6, 7, 8, 9]})"},
      {"json.remove", R"([{"a": 1}, ["b", "a/x"]])", R"({"a": 1})"},
      {"json.remove", R"([{"a": 1}, []])", R"({"a": 1})"},
      {"json.remove", R"([{"a": 1}, [""]])", R"({"a": 1})"},
  });
}

TEST(JsonBuiltins, StopOnManyPaths) {
  BuiltinBench bench{{.steps = 50}};
  std::string paths;
  for (int at = 0; at < 100; ++at) paths += "\"a\",";
  paths.pop_back();

  EXPECT_EQ(bench.result("json.filter", R"([{"a": 1}, [)" + paths + "]]"),
            "halt: the evaluation has used up its budget");
}

TEST(JsonPatch, AppliesOperationsInTheirOrder) {
  expect({
      {"json.patch", R"([{"a": 1}, [{"op": "add", "path": "/b", "value": 2}]])",
       R"({"a": 1, "b": 2})"},
      {"json.patch", R"([{"a": {"b": []}}, [{"op": "add", "path": "/a/b/-", "value": 2}]])",
       R"({"a": {"b": [2]}})"},
      {"json.patch", R"([[1, 2], [{"op": "add", "path": "0", "value": 0}]])", "[0, 1, 2]"},
      {"json.patch", R"([[1, 2], [{"op": "add", "path": [2], "value": 3}]])", "[1, 2, 3]"},
      {"json.patch", R"([[1, 2], [{"op": "remove", "path": "/0"}]])", "[2]"},
      {"json.patch", R"([{"a": 1, "b": 2}, [{"op": "remove", "path": "/a"}]])", R"({"b": 2})"},
      {"json.patch", R"([{"a": [1]}, [{"op": "replace", "path": "/a/0", "value": 5}]])",
       R"({"a": [5]})"},
      {"json.patch", R"([{"a": 1}, [{"op": "replace", "path": "", "value": 5}]])", "5"},
      {"json.patch",
       R"([{"a": {"x": 1}, "b": {}}, [{"op": "move", "from": "/a/x", "path": "/b/y"}]])",
       R"({"a": {}, "b": {"y": 1}})"},
      {"json.patch", R"([{"a": 1}, [{"op": "copy", "from": "/a", "path": "/b"}]])",
       R"({"a": 1, "b": 1})"},
      {"json.patch",
       R"([{"a": 1}, [{"op": "test", "path": "/a", "value": 1.0}, {"op": "remove", "path": "/a"}]])",
       "{}"},
      {"json.patch", R"([{"a/b": {"m~n": 1}}, [{"op": "remove", "path": "/a~1b/m~0n"}]])",
       R"({"a/b": {}})"},
      {"json.patch", R"([{"a": 1}, []])", R"({"a": 1})"},
      {"json.patch", R"([{"a": 1}, [{"op": "remove", "path": ""}]])", "undefined"},
  });
}

TEST(JsonPatch, SaysWhatIsWrong) {
  expect({
      {"json.patch", R"([{}, {}])", "type error: operand 2 must be array but got object"},
      {"json.patch", R"([{}, [1]])",
       "error: must be an array of JSON-Patch objects, but at least one element is not an object"},
      {"json.patch", R"([{}, [{"op": "add"}]])", "error: missing required attribute 'path'"},
      {"json.patch", R"([{}, [{"path": "a"}]])", "error: missing required attribute 'op'"},
      {"json.patch", R"([{}, [{"path": "a", "op": "add"}]])",
       "error: missing required attribute 'value'"},
      {"json.patch", R"([{}, [{"path": "a", "op": "copy"}]])",
       "error: missing required attribute 'from'"},
      {"json.patch", R"([{}, [{"path": "a", "op": "boil"}]])", "error: unrecognized op: 'boil'"},
      {"json.patch", R"([{}, [{"path": "a", "op": 1}]])",
       "error: attribute 'op' must be a string but found: number"},
      {"json.patch", R"([{}, [{"path": "a", "op": "remove"}]])",
       R"(error: cannot delete child key "a" that does not exist)"},
      {"json.patch", R"([{}, [{"path": "a/b", "op": "add", "value": 1}]])",
       R"(error: path "a" does not exist in object term {})"},
      {"json.patch", R"([[], [{"path": "1", "op": "add", "value": 1}]])",
       "error: index for array insertion out of bounds"},
      {"json.patch", R"([[1], [{"path": "-", "op": "remove"}]])",
       "error: index for array delete out of bounds"},
      {"json.patch", R"([[1, 2], [{"path": "01", "op": "remove"}]])",
       "error: leading zeros are not allowed in JSON paths"},
      {"json.patch", R"([[1], [{"path": "x", "op": "remove"}]])",
       "error: invalid string for indexing"},
      {"json.patch", R"([{"a": 1}, [{"path": "a", "op": "test", "value": 2}]])",
       "error: value from EditTree != patch value.\n\nExpected: 2\n\nFound: 1"},
  });
}

TEST(JsonPatch, ChangesSets) {
  BuiltinBench bench;
  SetBuilder set{bench.arena};
  set.add(Value::string("a"));
  ObjectBuilder object{bench.arena};
  object.add("foo", set.finish());
  auto const document = object.finish();
  auto const patched = [&](std::string_view operations) {
    Value const operands[] = {document, bench.parse(operations)};
    return bench.result("json.patch", operands);
  };

  EXPECT_EQ(patched(R"([{"op": "add", "path": "foo/d", "value": "d"}])"), R"({"foo": {"a", "d"}})");
  EXPECT_EQ(patched(R"([{"op": "remove", "path": "foo/a"}])"), R"({"foo": set()})");
  EXPECT_EQ(patched(R"([{"op": "add", "path": "foo/d", "value": "e"}])"),
            R"(error: set key "d" does not equal value to be inserted "e")");
}

TEST(JsonPatch, StopsADocumentThatDoublesWithEachOperation) {
  std::string copies;
  for (int at = 0; at < 100; ++at) {
    copies += R"({"op":"copy","from":"","path":"/k)" + std::to_string(at) + R"("},)";
  }
  copies.pop_back();

  EXPECT_TRUE(result("json.patch", R"([{"a": 1}, [)" + copies + "]]").starts_with("halt: "));
}

TEST(JsonPatch, StopsADocumentThatNestsTooDeeply) {
  // Each copy puts the document into its own innermost place: the depth doubles.
  std::string path = "/a";
  std::string copies;
  for (int at = 0; at < 10; ++at) {
    copies += R"({"op":"copy","from":"","path":")" + path + "\"},";
    path += path;
  }
  copies.pop_back();

  EXPECT_EQ(result("json.patch", R"([{"a": 1}, [)" + copies + "]]"),
            "error: the patched document is nested too deeply");
}

}  // namespace
}  // namespace sallyport::rego
