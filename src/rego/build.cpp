#include "src/rego/build.hpp"

#include "src/rego/collection_index.hpp"

#include <algorithm>

namespace sallyport::rego {
namespace {

constexpr std::size_t kFirstRoom = 8;
constexpr std::size_t kShortRun = 12;

template <class T>
void make_room(std::span<T>& room, std::size_t size, Arena& arena) {
  auto const larger = arena.allocate_span<T>(std::max(kFirstRoom, size * 2));
  std::copy_n(room.begin(), size, larger.begin());
  room = larger;
}

template <class T, class Less>
void sort_short_run(std::span<T> run, Less less) {
  for (std::size_t next = 1; next < run.size(); ++next) {
    auto const moved = run[next];
    auto at = next;
    for (; at > 0 && less(moved, run[at - 1]); --at) run[at] = run[at - 1];
    run[at] = moved;
  }
}

// Stable, and without asking the heap, which std::stable_sort does. Gives `elements`, or as many
// sorted ones in the arena.
template <class T, class Less>
std::span<T> sorted(std::span<T> elements, Arena& arena, Less less) {
  if (std::ranges::is_sorted(elements, less)) return elements;
  auto const size = elements.size();
  for (std::size_t begin = 0; begin < size; begin += kShortRun) {
    sort_short_run(elements.subspan(begin, std::min(kShortRun, size - begin)), less);
  }
  if (size <= kShortRun) return elements;
  auto from = elements;
  auto to = arena.allocate_span<T>(size);
  for (auto width = kShortRun; width < size; width *= 2) {
    for (std::size_t begin = 0; begin < size; begin += 2 * width) {
      auto const left = from.subspan(begin, std::min(width, size - begin));
      auto const rest = size - begin - left.size();
      auto const right = from.subspan(begin + left.size(), std::min(width, rest));
      std::ranges::merge(left, right, to.begin() + static_cast<std::ptrdiff_t>(begin), less);
    }
    std::swap(from, to);
  }
  return from;
}

// A copy of `elements` with an index before it.
template <class T, class KeyOf>
std::span<T const> indexed(std::span<T const> elements, Arena& arena, KeyOf key_of) {
  auto const slots = CollectionIndex::slots_for(elements.size());
  auto const bytes = slots * sizeof(std::uint32_t);
  auto* const room =
      static_cast<std::byte*>(arena.allocate(bytes + elements.size_bytes(), alignof(T)));
  CollectionIndex::fill({reinterpret_cast<std::uint32_t*>(room), slots}, elements.size(),
                        [&](std::size_t at) { return hash(key_of(elements[at])); });
  auto* const copies = reinterpret_cast<T*>(room + bytes);
  std::uninitialized_copy(elements.begin(), elements.end(), copies);
  return {copies, elements.size()};
}

bool item_less(Value left, Value right) {
  return compare(left, right) < 0;
}

bool key_less(Entry const& left, Entry const& right) {
  return compare(left.key, right.key) < 0;
}

Value make_object(std::span<Entry const> entries, Arena& arena) {
  auto const index = wants_index(entries.size());
  return ValueAccess::object(
      index ? indexed(entries, arena, [](Entry const& entry) { return entry.key; }) : entries,
      index);
}

}  // namespace

std::span<Value> sort_items(std::span<Value> items, Arena& arena) {
  return sorted(items, arena, item_less);
}

std::span<Entry> sort_entries(std::span<Entry> entries, Arena& arena) {
  return sorted(entries, arena, key_less);
}

ArrayBuilder::ArrayBuilder(Arena& arena, std::size_t expected) : arena_{&arena} {
  if (expected != 0) room_ = arena.allocate_span<Value>(expected);
}

void ArrayBuilder::add(Value item) {
  if (size_ == room_.size()) make_room(room_, size_, *arena_);
  room_[size_++] = item;
}

Value ArrayBuilder::finish() {
  auto const result = Value::array(room_.first(size_));
  room_ = {};
  size_ = 0;
  return result;
}

Value SetBuilder::finish() {
  auto const size = items_.size();
  auto const given = items_.finish().items();
  // The items are this builder's own: nobody has seen the array.
  std::span<Value> const own{const_cast<Value*>(given.data()), size};
  auto const all = sorted(own, *arena_, item_less);
  auto const repeats = std::ranges::unique(all, equal);
  auto const items = all.first(all.size() - repeats.size());
  auto const index = wants_index(items.size());
  return ValueAccess::set(
      index ? indexed(std::span<Value const>{items}, *arena_, [](Value item) { return item; })
            : items,
      index);
}

ObjectBuilder::ObjectBuilder(Arena& arena, std::size_t expected) : arena_{&arena} {
  if (expected != 0) room_ = arena.allocate_span<Entry>(expected);
}

void ObjectBuilder::add(Value key, Value value) {
  if (size_ == room_.size()) make_room(room_, size_, *arena_);
  room_[size_++] = Entry{key, value};
}

Value ObjectBuilder::finish() {
  auto const all = sorted(room_.first(size_), *arena_, key_less);
  room_ = {};
  size_ = 0;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    // Of a run of equal keys the value of the last replaces those before it.
    if (kept > 0 && equal(all[kept - 1].key, all[at].key)) {
      all[kept - 1].value = all[at].value;
    } else {
      all[kept++] = all[at];
    }
  }
  return make_object(all.first(kept), *arena_);
}

Value ObjectBuilder::finish_without_conflicts() {
  auto const all = sorted(room_.first(size_), *arena_, key_less);
  room_ = {};
  size_ = 0;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (kept == 0 || !equal(all[kept - 1].key, all[at].key)) {
      all[kept++] = all[at];
    } else if (!equal(all[kept - 1].value, all[at].value)) {
      return {};
    }
  }
  return make_object(all.first(kept), *arena_);
}

}  // namespace sallyport::rego
