#include "src/http/cache_partition.hpp"

#include <algorithm>

namespace sallyport::http {

CachePartition::Entry CachePartition::find(CacheRequest const& request) {
  auto const found = by_key_.find(request.key);
  if (found == by_key_.end()) return nullptr;
  slots_.splice(slots_.begin(), slots_, found->second);
  auto const& variants = found->second->variants;
  auto const entry = std::find_if(variants.rbegin(), variants.rend(),
                                  [&](Entry const& each) { return answers(*each, request); });
  return entry == variants.rend() ? nullptr : *entry;
}

void CachePartition::forget(Slot& slot, std::vector<Entry>::iterator entry) {
  bytes_ -= (*entry)->bytes() + slot.key.size();
  slot.variants.erase(entry);
}

void CachePartition::drop(Slots::iterator slot) {
  while (!slot->variants.empty()) forget(*slot, slot->variants.begin());
  by_key_.erase(slot->key);
  slots_.erase(slot);
}

void CachePartition::put(std::string const& key, Entry entry, std::size_t most_bytes,
                         std::size_t most_variants) {
  auto const found = by_key_.find(key);
  if (found == by_key_.end()) {
    slots_.push_front({key, {}});
    by_key_.emplace(key, slots_.begin());
  } else {
    slots_.splice(slots_.begin(), slots_, found->second);
  }
  auto& slot = slots_.front();
  auto const same = std::ranges::find_if(slot.variants, [&](Entry const& each) {
    return each->variant == entry->variant && each->selecting == entry->selecting;
  });
  if (same != slot.variants.end()) forget(slot, same);
  if (slot.variants.size() >= most_variants) forget(slot, slot.variants.begin());
  bytes_ += entry->bytes() + key.size();
  slot.variants.push_back(std::move(entry));
  while (bytes_ > most_bytes && slots_.size() > 1) drop(std::prev(slots_.end()));
  while (bytes_ > most_bytes && slot.variants.size() > 1) forget(slot, slot.variants.begin());
}

void CachePartition::erase(std::string const& key) {
  if (auto const found = by_key_.find(key); found != by_key_.end()) drop(found->second);
}

}  // namespace sallyport::http
