// A set of variables, by their numbers within a rule.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace sallyport::rego::check {

class VarSet {
 public:
  bool contains(std::uint32_t number) const {
    if (number < 64) return ((first_ >> number) & 1U) != 0;
    auto const word = number / 64 - 1;
    return word < more_.size() && ((more_[word] >> (number % 64)) & 1U) != 0;
  }

  void add(std::uint32_t number) {
    if (number < 64) {
      first_ |= std::uint64_t{1} << number;
      return;
    }
    auto const word = number / 64 - 1;
    if (word >= more_.size()) more_.resize(word + 1);
    more_[word] |= std::uint64_t{1} << (number % 64);
  }

  void add(VarSet const& other) {
    first_ |= other.first_;
    if (other.more_.size() > more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }

  void remove(VarSet const& other) {
    first_ &= ~other.first_;
    for (std::size_t i = 0; i < std::min(more_.size(), other.more_.size()); ++i)
      more_[i] &= ~other.more_[i];
  }

  void keep(VarSet const& other) {
    first_ &= other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i)
      more_[i] &= i < other.more_.size() ? other.more_[i] : 0;
  }

  void clear() {
    first_ = 0;
    more_.clear();
  }

  bool empty() const {
    return first_ == 0 && std::ranges::all_of(more_, [](auto word) { return word == 0; });
  }

  bool is_within(VarSet const& other) const {
    if ((first_ & ~other.first_) != 0) return false;
    for (std::size_t i = 0; i < more_.size(); ++i)
      if ((more_[i] & ~(i < other.more_.size() ? other.more_[i] : 0)) != 0) return false;
    return true;
  }

  bool operator==(VarSet const& other) const { return is_within(other) && other.is_within(*this); }

  template <class Visit>
  void for_each(Visit&& visit) const {
    visit_word(first_, 0, visit);
    for (std::size_t i = 0; i < more_.size(); ++i)
      visit_word(more_[i], static_cast<std::uint32_t>(64 * (i + 1)), visit);
  }

 private:
  template <class Visit>
  static void visit_word(std::uint64_t word, std::uint32_t base, Visit&& visit) {
    for (; word != 0; word &= word - 1)
      visit(base + static_cast<std::uint32_t>(std::countr_zero(word)));
  }

  std::uint64_t first_{0};
  std::vector<std::uint64_t> more_;
};

}  // namespace sallyport::rego::check
