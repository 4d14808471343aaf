#include "src/rego/plan/rule_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace sallyport::rego::plan {
namespace {

// A ref with the conditions that bodies make on it.
struct Candidate {
  IndexedRef const* ref{nullptr};
  std::vector<std::pair<std::uint32_t, Condition const*>> conditions;  // by body, in order
};

Candidate& candidate_for(IndexedRef const& ref, std::vector<Candidate>& candidates) {
  auto const found =
      std::ranges::find_if(candidates, [&](auto const& one) { return *one.ref == ref; });
  if (found != candidates.end()) return *found;
  return candidates.emplace_back(Candidate{.ref = &ref});
}

std::vector<Candidate> collect(std::vector<std::vector<Condition>> const& bodies) {
  // Refs beyond these are not worth the time to compare them.
  constexpr std::size_t kMostRefs = 16;
  std::vector<Candidate> candidates;
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    for (auto const& condition : bodies[body]) {
      auto& candidate = candidate_for(condition.ref, candidates);
      // Two conditions of one body on one ref: the first is enough.
      if (!candidate.conditions.empty() && candidate.conditions.back().first == body) continue;
      candidate.conditions.emplace_back(body, &condition);
      if (candidates.size() > kMostRefs) candidates.pop_back();
    }
  }
  return candidates;
}

using Pairs = std::vector<std::pair<Value, std::uint32_t>>;  // scalar and body, sorted

Pairs sorted_pairs(Candidate const& candidate) {
  Pairs pairs;
  for (auto const& [body, condition] : candidate.conditions) {
    for (auto const scalar : condition->scalars) pairs.emplace_back(scalar, body);
  }
  std::ranges::sort(pairs, [](auto const& left, auto const& right) {
    auto const order = compare(left.first, right.first);
    return order != 0 ? order < 0 : left.second < right.second;
  });
  auto const same = std::ranges::unique(pairs, [](auto const& left, auto const& right) {
    return left.second == right.second && equal(left.first, right.first);
  });
  pairs.erase(same.begin(), same.end());
  return pairs;
}

// How many bodies are tried on average, if every scalar is asked for equally often.
double cost_of(Pairs const& pairs, std::size_t others) {
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i == 0 || !equal(pairs[i - 1].first, pairs[i].first)) ++distinct;
  }
  return static_cast<double>(pairs.size()) / static_cast<double>(distinct) +
         static_cast<double>(others);
}

}  // namespace

bool IndexedRef::operator==(IndexedRef const& other) const noexcept {
  return parameter == other.parameter &&
         std::ranges::equal(path, other.path,
                            [](Value left, Value right) { return equal(left, right); });
}

std::optional<RuleIndex> RuleIndex::make(std::vector<std::vector<Condition>> const& bodies) {
  constexpr std::size_t kFewBodies = 3;
  if (bodies.size() <= kFewBodies) return std::nullopt;
  auto const candidates = collect(bodies);
  Candidate const* best = nullptr;
  Pairs best_pairs;
  // An index that spares less than a fifth of the bodies costs more than it saves.
  auto best_cost = static_cast<double>(bodies.size()) * 0.8;
  for (auto const& candidate : candidates) {
    auto pairs = sorted_pairs(candidate);
    if (pairs.empty()) continue;
    auto const cost = cost_of(pairs, bodies.size() - candidate.conditions.size());
    if (cost >= best_cost) continue;
    best = &candidate;
    best_cost = cost;
    best_pairs = std::move(pairs);
  }
  if (best == nullptr) return std::nullopt;

  RuleIndex index;
  index.ref_ = *best->ref;
  index.buckets_.resize(std::bit_ceil(best_pairs.size() * 2));
  auto const mask = index.buckets_.size() - 1;
  for (std::size_t i = 0; i < best_pairs.size();) {
    auto const scalar = best_pairs[i].first;
    auto place = hash(scalar) & mask;
    while (index.buckets_[place].scalar.is_defined()) place = (place + 1) & mask;
    auto& bucket = index.buckets_[place];
    bucket = {.scalar = scalar, .first = static_cast<std::uint32_t>(index.bodies_.size())};
    for (; i < best_pairs.size() && equal(best_pairs[i].first, scalar); ++i, ++bucket.count) {
      index.bodies_.push_back(best_pairs[i].second);
    }
  }
  auto next = best->conditions.begin();
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (next != best->conditions.end() && next->first == body) {
      ++next;
    } else {
      index.others_.push_back(body);
    }
  }
  return index;
}

std::span<std::uint32_t const> RuleIndex::asking_for(Value value) const noexcept {
  // Only scalars are asked for, and a collection would be costly to hash.
  if (!value.is_defined() || value.kind() > Kind::String) return {};
  auto const mask = buckets_.size() - 1;
  for (auto place = hash(value) & mask; buckets_[place].scalar.is_defined();
       place = (place + 1) & mask) {
    auto const& bucket = buckets_[place];
    if (equal(bucket.scalar, value)) return std::span{bodies_}.subspan(bucket.first, bucket.count);
  }
  return {};
}

}  // namespace sallyport::rego::plan
