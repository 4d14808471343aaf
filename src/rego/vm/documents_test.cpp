#include "src/rego/vm/documents.hpp"

#include "src/rego/json.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::vm {
namespace {

class Documents : public testing::Test {
 protected:
  Value json(std::string_view text) { return *parse_json(text, arena); }
  Arena arena;
};

TEST_F(Documents, MergeKeepsTheUpperOfWhatCannotBeMerged) {
  auto const merged = merge(json(R"({"a": {"x": 1}, "b": 2})"),
                            json(R"({"a": {"x": 0, "y": 3}, "b": {"z": 1}, "c": 4})"), arena);

  EXPECT_EQ(to_json(merged), R"({"a":{"x":1,"y":3},"b":2,"c":4})");
}

TEST_F(Documents, MergeTakesUndefinedForNothing) {
  EXPECT_EQ(to_json(merge({}, json("[1]"), arena)), "[1]");
  EXPECT_EQ(to_json(merge(json("[1]"), {}, arena)), "[1]");
}

TEST_F(Documents, AValueIsPutAtItsPath) {
  std::vector<Value> const path{Value::string("a"), Value::string("b")};

  EXPECT_EQ(to_json(with_path(json(R"({"a": {"c": 1}})"), path, Value::integer(2), arena)),
            R"({"a":{"b":2,"c":1}})");
  EXPECT_EQ(to_json(with_path({}, path, Value::integer(2), arena)), R"({"a":{"b":2}})");
  EXPECT_EQ(to_json(with_path(json("[1]"), path, Value::integer(2), arena)), R"({"a":{"b":2}})");
  EXPECT_EQ(to_json(with_path(json("[1]"), {}, Value::integer(2), arena)), "2");
}

TEST_F(Documents, OnlyTheVeryPathIsReplaced) {
  std::vector<Value> const path{Value::string("a"), Value::string("b")};
  Replaced const replaced{path, nullptr};
  Overlay const overlay{.replaced = &replaced};
  Position const root;
  Position const a{.parent = &root, .key = Value::string("a"), .depth = 1};
  Position const b{.parent = &a, .key = Value::string("b"), .depth = 2};
  Position const c{.parent = &a, .key = Value::string("c"), .depth = 2};

  EXPECT_FALSE(is_replaced(overlay, a));
  EXPECT_TRUE(is_replaced(overlay, b));
  EXPECT_FALSE(is_replaced(overlay, c));
}

}  // namespace
}  // namespace sallyport::rego::vm
