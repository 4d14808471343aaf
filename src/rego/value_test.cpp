#include "src/rego/value.hpp"

#include "src/rego/build.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace sallyport::rego {
namespace {

Value number(std::string_view text, Arena& arena) {
  auto const value = make_number(text, arena);
  EXPECT_TRUE(value.is_defined()) << text;
  return value;
}

// Small values of every kind, with many that are equal, some of them in other words.
class Generator {
 public:
  explicit Generator(Arena& arena, unsigned seed) : arena_{arena}, random_{seed} {}

  Value value(int depth = 3) {
    switch (below(depth > 0 ? 8 : 5)) {
      case 0: return Value::null();
      case 1: return Value::boolean(below(2) == 0);
      case 2: return Value::integer(static_cast<std::int64_t>(below(4)) - 1);
      case 3: {
        static constexpr std::string_view kNumbers[] = {"1.0", "1e0",  "10e-1", "0.5", "5e-1",
                                                        "-0",  "-1.0", "2.50",  "1e30"};
        return make_number(kNumbers[below(std::size(kNumbers))], arena_);
      }
      case 4: {
        static constexpr std::string_view kTexts[] = {"",  "a",     "b",        "ab",
                                                      "é", "a\n\"", "abcdefghi"};
        return Value::string(kTexts[below(std::size(kTexts))]);
      }
      case 5: {
        ArrayBuilder array{arena_};
        for (auto left = below(4); left > 0; --left) array.add(value(depth - 1));
        return array.finish();
      }
      case 6: {
        SetBuilder set{arena_};
        for (auto left = below(depth == 3 ? 60 : 4); left > 0; --left) set.add(value(depth - 1));
        return set.finish();
      }
      default: {
        ObjectBuilder object{arena_};
        for (auto left = below(depth == 3 ? 60 : 4); left > 0; --left) {
          object.add(value(depth - 1), value(depth - 1));
        }
        return object.finish();
      }
    }
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  Arena& arena_;
  std::mt19937 random_;
};

TEST(Value, SortsKindsInTheOrderOfRego) {
  Arena arena;
  SetBuilder set{arena};
  ObjectBuilder object{arena};
  std::vector<Value> const sorted{Value{},
                                  Value::null(),
                                  Value::boolean(false),
                                  Value::boolean(true),
                                  Value::integer(-1),
                                  number("0.5", arena),
                                  Value::integer(7),
                                  Value::string(""),
                                  Value::string("a"),
                                  Value::string("ab"),
                                  Value::string("b"),
                                  Value::array({}),
                                  object.finish(),
                                  set.finish()};

  for (std::size_t left = 0; left < sorted.size(); ++left) {
    for (std::size_t right = 0; right < sorted.size(); ++right) {
      EXPECT_EQ(compare(sorted[left], sorted[right]), left <=> right) << left << " " << right;
      EXPECT_EQ(equal(sorted[left], sorted[right]), left == right) << left << " " << right;
    }
  }
}

TEST(Value, ComparesStringsByTheirBytesAsUnsigned) {
  EXPECT_TRUE(compare(Value::string("z"), Value::string("é")) < 0);
}

TEST(Value, OrderIsTotalAndAgreesWithEqualityAndHash) {
  Arena arena;
  Generator generate{arena, 1};
  std::vector<Value> values;
  for (int round = 0; round < 150; ++round) values.push_back(generate.value());

  for (auto const left : values) {
    for (auto const right : values) {
      auto const order = compare(left, right);
      EXPECT_EQ(order, 0 <=> compare(right, left)) << to_rego(left) << " and " << to_rego(right);
      EXPECT_EQ(order == 0, equal(left, right)) << to_rego(left) << " and " << to_rego(right);
      if (order == 0) {
        EXPECT_EQ(hash(left), hash(right)) << to_rego(left) << " and " << to_rego(right);
      }
      for (auto const third : values) {
        if (order <= 0 && compare(right, third) <= 0) {
          ASSERT_TRUE(compare(left, third) <= 0)
              << to_rego(left) << ", " << to_rego(right) << ", " << to_rego(third);
        }
      }
    }
  }
}

TEST(Value, CollectionsAreSortedWithoutRepeatsAndFindTheirElements) {
  Arena arena;
  Generator generate{arena, 2};
  for (int round = 0; round < 500; ++round) {
    auto const value = generate.value();
    if (value.is(Kind::Set)) {
      auto const items = value.items();
      for (std::size_t at = 0; at < items.size(); ++at) {
        if (at > 0) EXPECT_TRUE(compare(items[at - 1], items[at]) < 0) << to_rego(value);
        EXPECT_TRUE(equal(get(value, items[at]), items[at])) << to_rego(value);
      }
    } else if (value.is(Kind::Object)) {
      auto const entries = value.entries();
      for (std::size_t at = 0; at < entries.size(); ++at) {
        if (at > 0)
          EXPECT_TRUE(compare(entries[at - 1].key, entries[at].key) < 0) << to_rego(value);
        EXPECT_TRUE(equal(get(value, entries[at].key), entries[at].value)) << to_rego(value);
      }
    }
  }
}

TEST(Value, FindsInCollectionsOfAnySize) {
  for (int const size : {1, 8, 9, 23, 24, 25, 100, 1000, 70'000}) {
    Arena arena;
    SetBuilder set{arena};
    ObjectBuilder object{arena};
    for (int at = size; at > 0; --at) {
      set.add(Value::integer(at));
      object.add(arena.copy("key" + std::to_string(at)), Value::integer(at));
    }

    auto const all = set.finish();
    auto const members = object.finish();

    ASSERT_EQ(all.size(), static_cast<std::uint32_t>(size));
    ASSERT_EQ(members.size(), static_cast<std::uint32_t>(size));
    for (int at = 1; at <= size; ++at) {
      ASSERT_TRUE(get(all, Value::integer(at)).is_defined()) << at << " of " << size;
      ASSERT_EQ(get(members, "key" + std::to_string(at)).as_int64(), at) << size;
    }
    EXPECT_FALSE(get(all, Value::integer(size + 1)).is_defined());
    EXPECT_FALSE(get(all, Value::integer(0)).is_defined());
    EXPECT_FALSE(get(all, Value::string("1")).is_defined());
    EXPECT_FALSE(get(members, "key").is_defined());
    EXPECT_FALSE(get(members, Value::integer(1)).is_defined());
  }
}

TEST(Value, FindsANumberInAnyOfItsTexts) {
  Arena arena;
  SetBuilder set{arena};
  for (int at = 0; at < 50; ++at) set.add(Value::integer(at));
  set.add(number("0.5", arena));
  auto const all = set.finish();

  EXPECT_EQ(get(all, number("7.0", arena)).as_int64(), 7);
  EXPECT_EQ(get(all, number("50e-1", arena)).as_int64(), 5);
  EXPECT_EQ(get(all, number("5e-1", arena)).as_number_text(), "0.5");
  EXPECT_FALSE(get(all, number("7.5", arena)).is_defined());
}

TEST(Value, IndexesArraysWithPlainIntegersOnly) {
  Arena arena;
  Value const items[] = {Value::string("a"), Value::string("b")};
  auto const array = Value::array(items);

  EXPECT_EQ(get(array, Value::integer(1)).as_string(), "b");
  EXPECT_FALSE(get(array, Value::integer(2)).is_defined());
  EXPECT_FALSE(get(array, Value::integer(-1)).is_defined());
  EXPECT_FALSE(get(array, number("1.0", arena)).is_defined());
  EXPECT_FALSE(get(array, Value::string("1")).is_defined());
}

TEST(Value, GivesNothingFromWhatIsNoCollection) {
  EXPECT_FALSE(get(Value{}, Value::integer(0)).is_defined());
  EXPECT_FALSE(get(Value::string("abc"), Value::integer(0)).is_defined());
  EXPECT_FALSE(get(Value::null(), "a").is_defined());
  EXPECT_FALSE(get(Value::array({}), "a").is_defined());
}

TEST(Value, DistinguishesKeysOfEqualLength) {
  Arena arena;
  ObjectBuilder object{arena};
  object.add("path", Value::integer(1));
  object.add("host", Value::integer(2));
  object.add(Value::integer(4), Value::integer(3));  // its size is that of no string
  auto const value = object.finish();

  EXPECT_EQ(get(value, "host").as_int64(), 2);
  EXPECT_EQ(get(value, "path").as_int64(), 1);
  EXPECT_EQ(get(value, Value::integer(4)).as_int64(), 3);
  EXPECT_FALSE(get(value, "port").is_defined());
  EXPECT_FALSE(get(value, "").is_defined());
}

TEST(Value, DeepCopyOutlivesItsArena) {
  Arena kept;
  Value copy;
  std::string text;
  {
    Arena arena;
    Generator generate{arena, 3};
    ArrayBuilder all{arena};
    for (int round = 0; round < 50; ++round) all.add(generate.value());
    SetBuilder large{arena};
    for (int at = 0; at < 100; ++at) large.add(Value::string(arena.copy(std::to_string(at))));
    all.add(large.finish());
    auto const value = all.finish();
    text = to_rego(value);
    copy = deep_copy(value, kept);
  }

  EXPECT_EQ(to_rego(copy), text);
  auto const large = copy.items().back();
  EXPECT_EQ(get(large, Value::string("42")).as_string(), "42");
  EXPECT_FALSE(get(large, Value::string("100")).is_defined());
}

TEST(Value, WhatIsWrittenReadsBackAsTheSame) {
  Arena arena;
  Generator generate{arena, 4};
  for (int round = 0; round < 500; ++round) {
    auto const text = to_json(generate.value());
    auto const read = parse_json(text, arena);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(to_json(*read), text);
    auto const again = parse_json(to_json(*read), arena);
    ASSERT_TRUE(again);
    EXPECT_TRUE(equal(*read, *again)) << text;
  }
}

TEST(Builders, OfEqualItemsTheFirstStays) {
  Arena arena;
  SetBuilder set{arena};
  for (auto const* const text : {"2", "1.0", "1", "1e0", "2.0"}) set.add(number(text, arena));

  EXPECT_EQ(to_rego(set.finish()), "{1.0, 2}");
}

TEST(Builders, OfEqualItemsTheFirstStaysInLargeSetsToo) {
  Arena arena;
  SetBuilder set{arena};
  for (int at = 99; at >= 0; --at) set.add(number(std::to_string(at) + ".0", arena));
  for (int at = 0; at < 100; ++at) set.add(Value::integer(at));
  auto const all = set.finish();

  ASSERT_EQ(all.size(), 100U);
  for (auto const item : all.items()) EXPECT_FALSE(item.is_int64()) << to_rego(item);
}

TEST(Builders, OfEqualKeysTheLastValueStays) {
  Arena arena;
  ObjectBuilder object{arena};
  for (int at = 0; at < 200; ++at) object.add(Value::integer(at % 7), Value::integer(at));

  EXPECT_EQ(to_rego(object.finish()), "{0: 196, 1: 197, 2: 198, 3: 199, 4: 193, 5: 194, 6: 195}");
}

TEST(Builders, OneKeyWithTwoValuesIsAConflict) {
  Arena arena;
  ObjectBuilder object{arena};
  object.add("a", Value::integer(1));
  object.add("b", Value::integer(2));
  object.add("a", number("1.0", arena));
  EXPECT_EQ(to_rego(object.finish_without_conflicts()), R"({"a": 1, "b": 2})");

  object.add("a", Value::integer(1));
  object.add("a", Value::integer(2));
  EXPECT_FALSE(object.finish_without_conflicts().is_defined());
}

TEST(Builders, CanBeUsedAgain) {
  Arena arena;
  ArrayBuilder array{arena, 2};
  array.add(Value::integer(1));
  auto const first = array.finish();
  array.add(Value::integer(2));
  auto const second = array.finish();

  EXPECT_EQ(to_rego(first), "[1]");
  EXPECT_EQ(to_rego(second), "[2]");
  EXPECT_EQ(to_rego(array.finish()), "[]");
}

}  // namespace
}  // namespace sallyport::rego
