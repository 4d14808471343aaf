#include "src/pipeline/limit_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sallyport::pipeline {
namespace {

using std::chrono::nanoseconds;

// The time after which one token is back. Rounded up: never faster than the rate says.
nanoseconds interval(Rate const& rate) noexcept {
  auto const count = static_cast<std::int64_t>(rate.count);
  return nanoseconds{(nanoseconds{rate.period}.count() + count - 1) / count};
}

// GCRA: a call moves the moment at which the bucket is full by one interval, and that moment may be
// as far ahead as `count` intervals.
TimePoint full_after_call(Rate const& rate, TimePoint full_at, TimePoint now) noexcept {
  return std::max(full_at, now) + interval(rate);
}

nanoseconds wait(Rate const& rate, TimePoint full_at, TimePoint now) noexcept {
  if (rate.count == 0) return nanoseconds{0};
  auto const most = interval(rate) * static_cast<std::int64_t>(rate.count);
  return std::max(nanoseconds{0}, nanoseconds{full_after_call(rate, full_at, now) - now} - most);
}

// Rounded up, so that whoever waits that long gets in.
std::string in_words(nanoseconds wait) {
  auto const seconds = std::chrono::duration<double>{wait}.count();
  if (seconds >= 10) return fmt::format("{:.0f} s", std::ceil(seconds));
  return fmt::format("{:.1f} s", std::ceil(seconds * 10 - 1e-6) / 10);
}

Error too_often(Limit const& limit, nanoseconds wait) {
  return fail(Errc::LimitExceeded,
              fmt::format("Too many calls {}: at most {}. Try again in {}.", limit.subject,
                          limit.rate.to_string(), in_words(wait)),
              limit.key);
}

Error too_many_at_once(Limit const& limit) {
  return fail(Errc::LimitExceeded,
              fmt::format("Too many calls at once {}: at most {}. Try again when one of them has "
                          "ended.",
                          limit.subject, limit.concurrent),
              limit.key);
}

}  // namespace

LimitTable::LimitTable(std::size_t keys)
    : per_shard_{std::max<std::size_t>(keys, 1)},
      shards_(std::clamp<std::size_t>(keys / 1024, 1, 16)) {
  per_shard_ = std::max<std::size_t>(keys / shards_.size(), 1);
}

LimitTable::Shard& LimitTable::shard_of(std::string const& key) noexcept {
  // The map inside uses the low bits.
  return shards_[(std::hash<std::string>{}(key) >> 48U) % shards_.size()];
}

LimitTable::Locks LimitTable::lock(std::span<Limit const> limits) {
  std::vector<Shard*> wanted;
  wanted.reserve(limits.size());
  for (auto const& limit : limits) wanted.push_back(&shard_of(limit.key));
  // In one order, so that two calls never wait for each other.
  std::ranges::sort(wanted);
  auto const repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  Locks locks;
  locks.reserve(wanted.size());
  for (auto* shard : wanted) locks.emplace_back(shard->mutex);
  return locks;
}

// Forgets what is as good as new, when there is no other room.
bool LimitTable::has_room(Shard& shard, TimePoint now) {
  // A call that has several new keys in one shard may overstep this by those.
  auto const fits = [&] { return shard.entries.size() < per_shard_; };
  if (fits()) return true;
  if (now < shard.nothing_to_forget_before) return false;
  // SECURITY: a bucket that is not full is kept, whatever the pressure: else an abuser would fill
  // the table with new keys to get its own tokens back.
  std::erase_if(shard.entries, [&](auto const& item) {
    return item.second.inside == 0 && item.second.full_at <= now;
  });
  if (fits()) return true;
  auto next = TimePoint::max();
  for (auto const& [key, entry] : shard.entries) {
    if (entry.inside == 0) next = std::min(next, entry.full_at);
  }
  shard.nothing_to_forget_before = next;
  return false;
}

Result<void> LimitTable::check(std::span<Limit const> limits, TimePoint now) {
  Limit const* slowest = nullptr;
  nanoseconds longest{0};
  for (auto const& limit : limits) {
    auto& shard = shard_of(limit.key);
    auto const found = shard.entries.find(limit.key);
    if (found == shard.entries.end()) {
      if (has_room(shard, now)) continue;
      return fail(Errc::LimitExceeded,
                  "Too many different callers and hosts at once. Try again in a moment.",
                  limit.key);
    }
    auto const& entry = found->second;
    if (limit.concurrent != 0 && entry.inside >= limit.concurrent) return too_many_at_once(limit);
    auto const waits = wait(limit.rate, entry.full_at, now);
    if (waits <= longest) continue;
    longest = waits;
    slowest = &limit;
  }
  if (slowest != nullptr) return too_often(*slowest, longest);
  return {};
}

Result<void> LimitTable::enter(std::span<Limit const> limits, TimePoint now) {
  auto const locks = lock(limits);
  SP_CHECK(check(limits, now));
  for (auto const& limit : limits) {
    auto& entry = shard_of(limit.key).entries[limit.key];
    if (limit.rate.count != 0) entry.full_at = full_after_call(limit.rate, entry.full_at, now);
    ++entry.inside;
  }
  return {};
}

void LimitTable::count(std::span<Limit const> limits, TimePoint now) {
  auto const locks = lock(limits);
  for (auto const& limit : limits) {
    auto& shard = shard_of(limit.key);
    if (limit.rate.count == 0) continue;
    if (!shard.entries.contains(limit.key) && !has_room(shard, now)) continue;
    auto& entry = shard.entries[limit.key];
    entry.full_at = full_after_call(limit.rate, entry.full_at, now);
  }
}

void LimitTable::leave(std::span<Limit const> limits) noexcept {
  for (auto const& limit : limits) {
    auto& shard = shard_of(limit.key);
    std::lock_guard const guard{shard.mutex};
    auto const found = shard.entries.find(limit.key);
    if (--found->second.inside != 0) continue;
    shard.nothing_to_forget_before = TimePoint{};
    if (limit.rate.count == 0) shard.entries.erase(found);
  }
}

std::size_t LimitTable::size() const {
  std::size_t keys = 0;
  for (auto const& shard : shards_) {
    std::lock_guard const guard{shard.mutex};
    keys += shard.entries.size();
  }
  return keys;
}

}  // namespace sallyport::pipeline
