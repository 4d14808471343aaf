// The counts and buckets behind Limiter, by key, in shards with a lock each.
#pragma once

#include "src/pipeline/limiter.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sallyport::pipeline {

using TimePoint = std::chrono::steady_clock::time_point;

// A limit as it applies to one call: whose count and bucket, and how much they hold.
struct Limit {
  std::string key;
  std::string subject;  // for messages: "to api.example.com"
  Rate rate;
  std::size_t concurrent{0};
};

class LimitTable {
 public:
  explicit LimitTable(std::size_t keys);

  // Takes a place in each, or in none. What was taken is given back with leave().
  Result<void> enter(std::span<Limit const> limits, TimePoint now);
  void leave(std::span<Limit const> limits) noexcept;

  // Takes a token of each bucket, also of an empty one, and no place.
  void count(std::span<Limit const> limits, TimePoint now);

  std::size_t size() const;  // keys remembered

 private:
  struct Entry {
    TimePoint full_at{};    // when all tokens are back
    std::size_t inside{0};  // calls under way
  };

  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Entry> entries;
    TimePoint nothing_to_forget_before{};
  };

  using Locks = std::vector<std::unique_lock<std::mutex>>;

  Shard& shard_of(std::string const& key) noexcept;
  Locks lock(std::span<Limit const> limits);
  Result<void> check(std::span<Limit const> limits, TimePoint now);
  bool has_room(Shard& shard, TimePoint now);

  std::size_t per_shard_;
  std::vector<Shard> shards_;
};

}  // namespace sallyport::pipeline
