#include "src/rego/vm/entries.hpp"

#include "src/rego/build.hpp"

#include <algorithm>

namespace sallyport::rego::vm {

void Entries::add(std::span<Value const> path, Value value, bool is_member) {
  if (size_ == room_.size()) {
    auto const bigger = arena_->allocate_span<Item>(size_ == 0 ? 8 : std::size_t{size_} * 2);
    std::copy_n(room_.begin(), size_, bigger.begin());
    room_ = bigger;
  }
  auto const keys = arena_->allocate_span<Value>(path.size());
  std::ranges::copy(path, keys.begin());
  room_[size_] = {.path = keys.data(),
                  .value = value,
                  .length = static_cast<std::uint32_t>(path.size()),
                  .number = size_,
                  .is_member = is_member};
  ++size_;
}

Value Entries::finish() {
  auto const items = room_.first(size_);
  std::ranges::sort(items, [](Item const& left, Item const& right) {
    auto const common = std::min(left.length, right.length);
    for (std::uint32_t i = 0; i < common; ++i) {
      auto const order = compare(left.path[i], right.path[i]);
      if (order != 0) return order < 0;
    }
    return left.length != right.length ? left.length < right.length : left.number < right.number;
  });
  return object_of(items, 0);
}

// All items agree in their first `depth` keys and have more.
Value Entries::object_of(std::span<Item const> items, std::uint32_t depth) {
  ObjectBuilder builder{*arena_};
  while (!items.empty()) {
    auto const key = items.front().path[depth];
    auto const other = std::ranges::find_if(
        items, [&](Item const& item) { return !equal(item.path[depth], key); });
    auto const same = static_cast<std::size_t>(other - items.begin());
    auto const value = value_of(items.first(same), depth + 1);
    if (!value.is_defined()) return {};
    builder.add(key, value);
    items = items.subspan(same);
  }
  return builder.finish();
}

// All items agree in their first `depth` keys; those that end there come first.
Value Entries::value_of(std::span<Item const> items, std::uint32_t depth) {
  auto const longer =
      std::ranges::find_if(items, [&](Item const& item) { return item.length > depth; });
  auto const here = items.first(static_cast<std::size_t>(longer - items.begin()));
  auto const below = items.subspan(here.size());
  if (here.empty()) return object_of(below, depth);
  if (here.front().is_member) return below.empty() ? set_of(here) : Value{};

  auto const value = here.front().value;
  for (auto const& item : here) {
    if (item.is_member || !equal(item.value, value)) return {};
  }
  if (below.empty()) return value;
  // Nothing may be put into a value that another rule gave; but a rule may give what is there.
  auto const given = std::ranges::min(here, {}, &Item::number).number;
  auto const later =
      std::ranges::any_of(below, [&](Item const& item) { return item.number > given; });
  return !later && equal(object_of(below, depth), value) ? value : Value{};
}

Value Entries::set_of(std::span<Item const> items) {
  SetBuilder builder{*arena_, items.size()};
  for (auto const& item : items) {
    if (!item.is_member) return {};
    builder.add(item.value);
  }
  return builder.finish();
}

}  // namespace sallyport::rego::vm
