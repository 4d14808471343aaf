#include "src/rego/value.hpp"

#include "src/rego/collection_index.hpp"
#include "src/rego/hash.hpp"
#include "src/rego/number.hpp"

#include <algorithm>
#include <cstring>

namespace sallyport::rego {
namespace {

constexpr std::size_t kLinearSearch = 8;

std::strong_ordering compare_text(std::string_view left, std::string_view right) noexcept {
  auto const common = std::min(left.size(), right.size());
  auto const order = common == 0 ? 0 : std::memcmp(left.data(), right.data(), common);
  return order != 0 ? order <=> 0 : left.size() <=> right.size();
}

std::strong_ordering compare_items(Value left, Value right) noexcept {
  auto const ours = left.items();
  auto const theirs = right.items();
  if (ours.data() != theirs.data()) {
    auto const common = std::min(ours.size(), theirs.size());
    for (std::size_t at = 0; at < common; ++at) {
      if (auto const order = compare(ours[at], theirs[at]); order != 0) return order;
    }
  }
  return ours.size() <=> theirs.size();
}

std::strong_ordering compare_objects(Value left, Value right) noexcept {
  auto const ours = left.entries();
  auto const theirs = right.entries();
  if (ours.data() != theirs.data()) {
    auto const common = std::min(ours.size(), theirs.size());
    for (std::size_t at = 0; at < common; ++at) {
      if (auto const order = compare(ours[at].key, theirs[at].key); order != 0) return order;
      if (auto const order = compare(ours[at].value, theirs[at].value); order != 0) return order;
    }
  }
  return ours.size() <=> theirs.size();
}

bool equal_text(std::string_view left, std::string_view right) noexcept {
  // memcmp may not be given the null of an empty text.
  return left.size() == right.size() && (left.empty() || left.data() == right.data() ||
                                         std::memcmp(left.data(), right.data(), left.size()) == 0);
}

bool equal_items(Value left, Value right) noexcept {
  if (left.size() != right.size()) return false;
  auto const ours = left.items();
  auto const theirs = right.items();
  return ours.data() == theirs.data() || std::ranges::equal(ours, theirs, equal);
}

bool equal_objects(Value left, Value right) noexcept {
  if (left.size() != right.size()) return false;
  auto const ours = left.entries();
  auto const theirs = right.entries();
  return ours.data() == theirs.data() ||
         std::ranges::equal(ours, theirs, [](Entry const& our, Entry const& their) {
           return equal(our.key, their.key) && equal(our.value, their.value);
         });
}

Value item_at(std::span<Value const> items, Value index) noexcept {
  if (!index.is_int64()) return {};
  auto const at = static_cast<std::uint64_t>(index.as_int64());  // negative: beyond the end
  return at < items.size() ? items[at] : Value{};
}

// Where `key` stands among `elements`, whose keys `key_of` gives.
template <class Element, class KeyOf>
std::uint32_t search(std::span<Element const> elements, Value key, KeyOf key_of) noexcept {
  if (elements.size() <= kLinearSearch) {
    for (std::uint32_t at = 0; at < elements.size(); ++at) {
      if (equal(key_of(elements[at]), key)) return at;
    }
    return kNotFound;
  }
  auto const found = std::ranges::partition_point(
      elements, [&](Element const& element) { return compare(key_of(element), key) < 0; });
  return found != elements.end() && equal(key_of(*found), key)
             ? static_cast<std::uint32_t>(found - elements.begin())
             : kNotFound;
}

template <class Element, class KeyOf>
std::uint32_t find(Value collection, std::span<Element const> elements, Value key,
                   KeyOf key_of) noexcept {
  if (ValueAccess::has_index(collection)) {
    CollectionIndex const index{elements.data(), elements.size()};
    auto const found =
        index.find(hash(key), [&](std::uint32_t at) { return equal(key_of(elements[at]), key); });
    if (found != kSearch) return found;
  }
  return search(elements, key, key_of);
}

Value key_of_entry(Entry const& entry) noexcept {
  return entry.key;
}

Value itself(Value const& item) noexcept {
  return item;
}

template <class Element>
std::span<Element> allocate_like(std::span<Element const> elements, bool with_index, Arena& arena) {
  if (!with_index) return arena.allocate_span<Element>(elements.size());
  auto const slots = CollectionIndex::slots_for(elements.size());
  auto const bytes = slots * sizeof(std::uint32_t);
  auto* const room =
      static_cast<std::byte*>(arena.allocate(bytes + elements.size_bytes(), alignof(Element)));
  auto const* const source = reinterpret_cast<std::byte const*>(elements.data()) - bytes;
  std::memcpy(room, source, bytes);
  return {reinterpret_cast<Element*>(room + bytes), elements.size()};
}

Value copy_object(Value value, Arena& arena) {
  auto const indexed = ValueAccess::has_index(value);
  auto const copies = allocate_like(value.entries(), indexed, arena);
  std::ranges::transform(value.entries(), copies.begin(), [&](Entry const& entry) {
    return Entry{deep_copy(entry.key, arena), deep_copy(entry.value, arena)};
  });
  return ValueAccess::object(copies, indexed);
}

std::span<Value> copy_items(Value value, Arena& arena) {
  auto const copies = allocate_like(value.items(), ValueAccess::has_index(value), arena);
  std::ranges::transform(value.items(), copies.begin(),
                         [&](Value item) { return deep_copy(item, arena); });
  return copies;
}

std::uint64_t hash_items(Value value) noexcept {
  auto result = mix(value.size() + kMixA, static_cast<std::uint64_t>(value.kind()) + kMixB);
  for (auto const item : value.items()) result = mix(result ^ hash(item), kMixA);
  return result;
}

std::uint64_t hash_object(Value value) noexcept {
  auto result = mix(value.size() + kMixB, kMixA);
  for (auto const& [key, item] : value.entries()) {
    result = mix(result ^ hash(key), kMixA);
    result = mix(result ^ hash(item), kMixB);
  }
  return result;
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::Undefined: return "undefined";
    case Kind::Null: return "null";
    case Kind::Boolean: return "boolean";
    case Kind::Number: return "number";
    case Kind::String: return "string";
    case Kind::Array: return "array";
    case Kind::Object: return "object";
    case Kind::Set: return "set";
  }
  return "undefined";
}

std::strong_ordering compare(Value left, Value right) noexcept {
  if (left.kind() != right.kind()) return left.kind() <=> right.kind();
  switch (left.kind()) {
    case Kind::Undefined:
    case Kind::Null: return std::strong_ordering::equal;
    case Kind::Boolean: return left.as_boolean() <=> right.as_boolean();
    case Kind::Number:
      if (left.is_int64() && right.is_int64()) return left.as_int64() <=> right.as_int64();
      return compare_numbers(left, right);
    case Kind::String: return compare_text(left.as_string(), right.as_string());
    case Kind::Array:
    case Kind::Set: return compare_items(left, right);
    case Kind::Object: return compare_objects(left, right);
  }
  return std::strong_ordering::equal;
}

bool equal(Value left, Value right) noexcept {
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::Undefined:
    case Kind::Null: return true;
    case Kind::Boolean: return left.as_boolean() == right.as_boolean();
    case Kind::Number:
      if (left.is_int64() && right.is_int64()) return left.as_int64() == right.as_int64();
      return compare_numbers(left, right) == 0;
    case Kind::String: return equal_text(left.as_string(), right.as_string());
    case Kind::Array:
    case Kind::Set: return equal_items(left, right);
    case Kind::Object: return equal_objects(left, right);
  }
  return false;
}

std::uint64_t hash(Value value) noexcept {
  switch (value.kind()) {
    case Kind::Undefined: return 0;
    case Kind::Null: return kMixA;
    case Kind::Boolean: return value.as_boolean() ? kMixB : ~kMixB;
    case Kind::Number: return hash_number(value);
    case Kind::String: return hash_text(value.as_string());
    case Kind::Array:
    case Kind::Set: return hash_items(value);
    case Kind::Object: return hash_object(value);
  }
  return 0;
}

Value get(Value collection, Value key) noexcept {
  if (collection.is(Kind::Array)) return item_at(collection.items(), key);
  if (collection.is(Kind::Object)) {
    if (key.is(Kind::String)) return get(collection, key.as_string());
    auto const entries = collection.entries();
    auto const at = find(collection, entries, key, key_of_entry);
    return at == kNotFound ? Value{} : entries[at].value;
  }
  if (collection.is(Kind::Set)) {
    auto const items = collection.items();
    auto const at = find(collection, items, key, itself);
    return at == kNotFound ? Value{} : items[at];
  }
  return {};
}

Value get(Value object, std::string_view key) noexcept {
  if (!object.is(Kind::Object)) return {};
  auto const entries = object.entries();
  if (entries.size() <= kLinearSearch) {
    for (auto const& entry : entries) {
      if (entry.key.is(Kind::String) && equal_text(entry.key.as_string(), key)) return entry.value;
    }
    return {};
  }
  auto const at = find(object, entries, Value::string(key), key_of_entry);
  return at == kNotFound ? Value{} : entries[at].value;
}

Value deep_copy(Value value, Arena& arena) {
  switch (value.kind()) {
    case Kind::Undefined:
    case Kind::Null:
    case Kind::Boolean: return value;
    case Kind::Number:
      return value.is_int64() ? value : Value::number_text(arena.copy(value.as_number_text()));
    case Kind::String: return Value::string(arena.copy(value.as_string()));
    case Kind::Array: return Value::array(copy_items(value, arena));
    case Kind::Set:
      return ValueAccess::set(copy_items(value, arena), ValueAccess::has_index(value));
    case Kind::Object: return copy_object(value, arena);
  }
  return {};
}

}  // namespace sallyport::rego
