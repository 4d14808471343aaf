// Names in scopes that nest: finding one, and leaving a scope, cost the same however many there
// are.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::rego::check {

template <class Entry>
class Scopes {
 public:
  struct Named : Entry {
    std::string_view name;
    std::uint32_t depth{0};
    std::int32_t hidden{-1};  // the entry of the same name outside
  };

  std::uint32_t depth() const { return depth_; }
  std::size_t size() const { return entries_.size(); }
  Named& operator[](std::size_t index) { return entries_[index]; }

  // The innermost of that name; null where there is none.
  Named* find(std::string_view name) {
    auto const found = innermost_.find(name);
    if (found == innermost_.end() || found->second < 0) return nullptr;
    return &entries_[static_cast<std::size_t>(found->second)];
  }
  // Null where the name is not of the scope at hand.
  Named* find_here(std::string_view name) {
    auto* const entry = find(name);
    return entry != nullptr && entry->depth == depth_ ? entry : nullptr;
  }

  Named& insert(std::string_view name, Entry entry) {
    auto& top = innermost_.try_emplace(name, -1).first->second;
    entries_.push_back({entry, name, depth_, top});
    top = static_cast<std::int32_t>(entries_.size() - 1);
    return entries_.back();
  }

  // What leave() takes: where the scope began.
  std::size_t enter() {
    ++depth_;
    return entries_.size();
  }
  void leave(std::size_t begin) {
    drop_from(begin);
    --depth_;
  }
  // Forgets entries of the scope at hand.
  void drop_from(std::size_t begin) {
    while (entries_.size() > begin) {
      innermost_[entries_.back().name] = entries_.back().hidden;
      entries_.pop_back();
    }
    if (entries_.empty()) innermost_.clear();
  }

 private:
  std::vector<Named> entries_;
  std::unordered_map<std::string_view, std::int32_t> innermost_;
  std::uint32_t depth_{0};
};

}  // namespace sallyport::rego::check
