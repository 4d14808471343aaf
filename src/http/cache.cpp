#include "src/http/cache.hpp"

#include "src/http/cache_partition.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

namespace sallyport::http {
namespace {

constexpr std::size_t kShards = 16;

constexpr std::array<std::string_view, 5> kConditions{
    "if-modified-since", "if-none-match", "if-unmodified-since", "if-match", "if-range"};

// The caller has a cache of its own, and the answer is for that one.
bool is_conditional(CacheRequest const& request) {
  return std::ranges::any_of(
      kConditions, [&](std::string_view name) { return request.headers.find(name) != nullptr; });
}

// https://fetch.spec.whatwg.org/#concept-http-network-or-cache-fetch, steps 8.17 to 8.19.
CacheMode effective_mode(CacheRequest const& request, CacheMode mode) {
  return mode == CacheMode::Default && is_conditional(request) ? CacheMode::NoStore : mode;
}

void add_mode_fields(CacheRequest const& request, CacheMode mode, Headers& further) {
  bool const has_control = request.headers.find("cache-control") != nullptr;
  if (mode == CacheMode::NoCache && !has_control) further.add("cache-control", "max-age=0");
  if (mode != CacheMode::NoStore && mode != CacheMode::Reload) return;
  if (request.headers.find("pragma") == nullptr) further.add("pragma", "no-cache");
  if (!has_control) further.add("cache-control", "no-cache");
}

void add_conditions(CacheEntry const& stored, Headers& further) {
  auto const& headers = stored.response.headers;
  if (auto const* tag = headers.find("etag")) further.add("if-none-match", *tag);
  if (auto const* changed = headers.find("last-modified")) {
    further.add("if-modified-since", *changed);
  }
}

bool can_be_validated(CacheEntry const& stored) {
  auto const& headers = stored.response.headers;
  return headers.find("etag") != nullptr || headers.find("last-modified") != nullptr;
}

// Section 4.3.5: an answer to HEAD tells that the stored answer to GET is another one by now.
bool agrees(CacheEntry const& stored, Headers const& newer) {
  return std::ranges::all_of(
      std::array<std::string_view, 3>{"etag", "last-modified", "content-length"},
      [&](std::string_view name) {
        auto const* now = newer.find(name);
        auto const* before = stored.response.headers.find(name);
        return now == nullptr || before == nullptr || *now == *before;
      });
}

}  // namespace

struct Cache::Shard {
  struct Named {
    std::string name;
    CachePartition entries;
  };
  using Partitions = std::list<Named>;

  std::mutex mutex;
  Partitions partitions;  // last used first
  std::unordered_map<std::string, Partitions::iterator> by_name;
  std::size_t bytes{0};

  CachePartition* find(std::string_view name) {
    auto const found = by_name.find(std::string{name});
    if (found == by_name.end()) return nullptr;
    partitions.splice(partitions.begin(), partitions, found->second);
    return &found->second->entries;
  }

  CachePartition& make(std::string_view name) {
    if (auto* known = find(name)) return *known;
    partitions.push_front({std::string{name}, {}});
    by_name.emplace(name, partitions.begin());
    return partitions.front().entries;
  }

  void drop_last() {
    bytes -= partitions.back().entries.bytes();
    by_name.erase(partitions.back().name);
    partitions.pop_back();
  }
};

Cache::Cache(CacheLimits limits) : limits_{limits} {
  for (std::size_t i = 0; i < kShards; ++i) shards_.push_back(std::make_unique<Shard>());
}

Cache::~Cache() = default;

Cache::Shard& Cache::shard_of(std::string_view partition) const {
  return *shards_[std::hash<std::string_view>{}(partition) % kShards];
}

Cache::Plan Cache::plan(std::string_view partition, CacheRequest const& request, CacheMode mode,
                        WallTime now) {
  mode = effective_mode(request, mode);
  Plan plan;
  add_mode_fields(request, mode, plan.further);
  plan.may_store = mode != CacheMode::NoStore;
  bool const any_age = mode == CacheMode::ForceCache || mode == CacheMode::OnlyIfCached;
  bool const looked_up = (request.method == "GET" || request.method == "HEAD") &&
                         request.headers.find("range") == nullptr && mode != CacheMode::NoStore &&
                         mode != CacheMode::Reload && (any_age || !is_conditional(request));
  if (looked_up) {
    auto& shard = shard_of(partition);
    std::scoped_lock const lock{shard.mutex};
    if (auto* entries = shard.find(partition)) plan.stored = entries->find(request);
  }
  if (plan.stored && mode != CacheMode::NoCache &&
      (any_age || is_usable_unasked(*plan.stored, request, now))) {
    plan.next = Next::Serve;
  } else if (mode == CacheMode::OnlyIfCached) {
    plan.next = Next::NetworkError;
  } else if (CacheControl::of(request.headers).only_if_cached) {
    plan.next = Next::GatewayTimeout;
  } else if (plan.stored && can_be_validated(*plan.stored)) {
    add_conditions(*plan.stored, plan.further);
  } else {
    plan.stored = nullptr;
  }
  return plan;
}

CacheableResponse Cache::settle(std::string_view partition, CacheRequest const& request,
                                Plan const& plan, CacheableResponse response, ExchangeTimes times,
                                std::vector<std::string> const& also_changed) {
  if (plan.stored && response.status == 304) {
    auto entry = refreshed(*plan.stored, response.headers, times);
    auto fresh = served(entry, times.received);
    if (is_storable({"GET", request.key, request.variant, request.headers}, entry.response)) {
      put(partition, request.key, std::move(entry));
    }
    return fresh;
  }
  if (!is_safe_method(request.method) && response.status >= 200 && response.status < 400) {
    auto& shard = shard_of(partition);
    std::scoped_lock const lock{shard.mutex};
    if (auto* entries = shard.find(partition)) {
      shard.bytes -= entries->bytes();
      entries->erase(request.key);
      for (auto const& key : also_changed) entries->erase(key);
      shard.bytes += entries->bytes();
    }
  }
  if (request.method == "HEAD" && response.status == 200 && plan.may_store) {
    note_head(partition, request, response, times);
  }
  if (plan.may_store && is_storable(request, response)) {
    put(partition, request.key, make_entry(request, response, times));
  }
  return response;
}

void Cache::put(std::string_view partition, std::string const& key, CacheEntry entry) {
  auto shared = std::make_shared<CacheEntry const>(std::move(entry));
  // One answer must not push out all the others.
  if (shared->bytes() > limits_.partition_bytes / 2) return;
  auto& shard = shard_of(partition);
  std::scoped_lock const lock{shard.mutex};
  auto& entries = shard.make(partition);
  shard.bytes -= entries.bytes();
  entries.put(key, std::move(shared), limits_.partition_bytes, limits_.variants);
  shard.bytes += entries.bytes();
  while (shard.bytes > limits_.total_bytes / kShards && shard.partitions.size() > 1) {
    shard.drop_last();
  }
}

void Cache::note_head(std::string_view partition, CacheRequest const& request,
                      CacheableResponse const& response, ExchangeTimes times) {
  std::shared_ptr<CacheEntry const> stored;
  auto& shard = shard_of(partition);
  {
    std::scoped_lock const lock{shard.mutex};
    auto* entries = shard.find(partition);
    stored = entries == nullptr ? nullptr : entries->find(request);
    if (stored && !agrees(*stored, response.headers)) {
      shard.bytes -= entries->bytes();
      entries->erase(request.key);
      shard.bytes += entries->bytes();
      return;
    }
  }
  if (stored) put(partition, request.key, refreshed(*stored, response.headers, times));
}

std::size_t Cache::bytes(std::string_view partition) const {
  auto& shard = shard_of(partition);
  std::scoped_lock const lock{shard.mutex};
  auto* entries = shard.find(partition);
  return entries == nullptr ? 0 : entries->bytes();
}

bool is_safe_method(std::string_view method) noexcept {
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE";
}

}  // namespace sallyport::http
