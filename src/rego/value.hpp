// A Rego value: a handle of 16 bytes, copied freely, that points into an arena.
//
// Values are immutable. What a handle points to belongs to the arena that it was made in: the
// compiled policy's (shared by all threads) or that of the evaluation. Objects and sets are kept
// sorted, so that order, equality and output follow from walking them. No reference counts, no
// destructors.
#pragma once

#include "src/rego/arena.hpp"

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

namespace sallyport::rego {

// In Rego's order of values, with the absence of one first.
enum class Kind : std::uint8_t { Undefined, Null, Boolean, Number, String, Array, Object, Set };

// As Rego's type_name() says it: "null", "boolean", …
std::string_view name_of(Kind kind) noexcept;

struct Entry;

class Value {
 public:
  constexpr Value() noexcept = default;  // undefined

  static constexpr Value null() noexcept { return Value{Kind::Null}; }
  static constexpr Value boolean(bool value) noexcept;
  static constexpr Value integer(std::int64_t value) noexcept;
  // The text must outlive the value: a literal, or in its arena.
  static constexpr Value string(std::string_view text) noexcept;
  // Any JSON number that is not an int64: fractions, exponents, large integers. The text is kept
  // for output ("3.0" stays "3.0"); see number.hpp, which makes these.
  static constexpr Value number_text(std::string_view text) noexcept;
  static constexpr Value array(std::span<Value const> items) noexcept;
  // Objects and sets come from build.hpp, which sorts them.

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr bool is_defined() const noexcept { return kind_ != Kind::Undefined; }
  constexpr bool is(Kind kind) const noexcept { return kind_ == kind; }
  constexpr bool is_true() const noexcept { return kind_ == Kind::Boolean && as_.boolean; }
  constexpr bool is_false() const noexcept { return kind_ == Kind::Boolean && !as_.boolean; }
  constexpr bool is_int64() const noexcept { return kind_ == Kind::Number && !number_is_text_; }

  // Each only for its kind.
  constexpr bool as_boolean() const noexcept { return as_.boolean; }
  constexpr std::int64_t as_int64() const noexcept { return as_.integer; }
  constexpr std::string_view as_string() const noexcept { return {as_.text, size_}; }
  constexpr std::string_view as_number_text() const noexcept { return {as_.text, size_}; }
  // Of an array in its order; of a set, sorted.
  constexpr std::span<Value const> items() const noexcept { return {as_.items, size_}; }
  // Of an object, sorted by key.
  constexpr std::span<Entry const> entries() const noexcept;
  // Elements of an array, object or set; bytes of a string.
  constexpr std::uint32_t size() const noexcept { return size_; }

 private:
  friend class ObjectBuilder;
  friend class SetBuilder;
  friend struct ValueAccess;  // of value.cpp and build.cpp: the index of large objects and sets

  constexpr explicit Value(Kind kind) noexcept : kind_{kind} {}

  Kind kind_{Kind::Undefined};
  bool number_is_text_{false};
  bool has_index_{false};  // objects and sets: a hash index stands before the elements
  std::uint32_t size_{0};
  union {
    bool boolean;
    std::int64_t integer;
    char const* text;
    Value const* items;
    Entry const* entries;
  } as_{.integer = 0};
};
static_assert(sizeof(Value) == 16);

struct Entry {
  Value key;
  Value value;
};

constexpr Value Value::boolean(bool value) noexcept {
  Value result{Kind::Boolean};
  result.as_.boolean = value;
  return result;
}

constexpr Value Value::integer(std::int64_t value) noexcept {
  Value result{Kind::Number};
  result.as_.integer = value;
  return result;
}

constexpr Value Value::string(std::string_view text) noexcept {
  Value result{Kind::String};
  result.as_.text = text.data();
  result.size_ = static_cast<std::uint32_t>(text.size());
  return result;
}

constexpr Value Value::number_text(std::string_view text) noexcept {
  Value result{Kind::Number};
  result.number_is_text_ = true;
  result.as_.text = text.data();
  result.size_ = static_cast<std::uint32_t>(text.size());
  return result;
}

constexpr Value Value::array(std::span<Value const> items) noexcept {
  Value result{Kind::Array};
  result.as_.items = items.data();
  result.size_ = static_cast<std::uint32_t>(items.size());
  return result;
}

constexpr std::span<Entry const> Value::entries() const noexcept {
  return {as_.entries, size_};
}

// Rego's total order and equality: 1, 1.0 and 1e0 are one value. Undefined equals undefined only.
std::strong_ordering compare(Value left, Value right) noexcept;
bool equal(Value left, Value right) noexcept;
// Equal values have equal hashes.
std::uint64_t hash(Value value) noexcept;

// What `collection[key]` is: the element at an index, the value of a key, the member of a set
// itself. Undefined where there is none, and for anything that is not a collection.
Value get(Value collection, Value key) noexcept;
Value get(Value object, std::string_view key) noexcept;

// A copy that lives in `arena`, with everything that it points to.
Value deep_copy(Value value, Arena& arena);

}  // namespace sallyport::rego
