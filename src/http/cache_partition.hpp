// The entries of one partition, least recently used last. Without a lock: Cache has it.
#pragma once

#include "src/http/cache_entry.hpp"

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::http {

class CachePartition {
 public:
  using Entry = std::shared_ptr<CacheEntry const>;

  // The newest answer to that request; nullptr when there is none. Counts as a use of the URL.
  Entry find(CacheRequest const& request);
  // In place of those that answer the same requests, then makes room.
  void put(std::string const& key, Entry entry, std::size_t most_bytes, std::size_t most_variants);
  void erase(std::string const& key);

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Slot {
    std::string key;
    std::vector<Entry> variants;  // oldest first
  };
  using Slots = std::list<Slot>;

  void drop(Slots::iterator slot);
  void forget(Slot& slot, std::vector<Entry>::iterator entry);

  Slots slots_;  // last used first
  std::unordered_map<std::string, Slots::iterator> by_key_;
  std::size_t bytes_{0};
};

}  // namespace sallyport::http
