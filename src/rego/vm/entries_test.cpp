#include "src/rego/vm/entries.hpp"

#include "src/rego/json.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::vm {
namespace {

class EntriesTest : public testing::Test {
 protected:
  void add(std::vector<char const*> const& path, Value value, bool is_member = false) {
    std::vector<Value> keys;
    for (auto const* key : path) keys.push_back(Value::string(key));
    entries.add(keys, value, is_member);
  }
  Value json(char const* text) { return *parse_json(text, arena); }

  Arena arena;
  Entries entries{arena};
};

TEST_F(EntriesTest, MakesNestedObjects) {
  add({"b", "x"}, Value::integer(1));
  add({"a", "y"}, Value::integer(2));
  add({"a", "x"}, Value::integer(3));

  EXPECT_EQ(to_rego(entries.finish()), R"({"a": {"x": 3, "y": 2}, "b": {"x": 1}})");
}

TEST_F(EntriesTest, MakesSetsOfMembers) {
  add({"a"}, Value::integer(2), true);
  add({"a"}, Value::integer(1), true);
  add({"a"}, Value::integer(2), true);

  EXPECT_EQ(to_rego(entries.finish()), R"({"a": {1, 2}})");
}

TEST_F(EntriesTest, TakesTheSameValueTwice) {
  add({"a", "b"}, Value::integer(1));
  add({"a", "b"}, Value::integer(1));

  EXPECT_EQ(to_rego(entries.finish()), R"({"a": {"b": 1}})");
}

TEST_F(EntriesTest, RefusesTwoValues) {
  add({"a", "b"}, Value::integer(1));
  add({"a", "b"}, Value::integer(2));

  EXPECT_FALSE(entries.finish().is_defined());
}

TEST_F(EntriesTest, RefusesAMemberWhereAValueIs) {
  add({"a"}, Value::integer(1));
  add({"a"}, Value::integer(1), true);

  EXPECT_FALSE(entries.finish().is_defined());
}

TEST_F(EntriesTest, RefusesToPutSomethingIntoAGivenValue) {
  add({"a"}, json(R"({"b": 1})"));
  add({"a", "b"}, Value::integer(1));

  EXPECT_FALSE(entries.finish().is_defined());
}

TEST_F(EntriesTest, TakesAValueThatIsThereAlready) {
  add({"a", "b"}, Value::integer(1));
  add({"a"}, json(R"({"b": 1})"));

  EXPECT_EQ(to_rego(entries.finish()), R"({"a": {"b": 1}})");
}

}  // namespace
}  // namespace sallyport::rego::vm
