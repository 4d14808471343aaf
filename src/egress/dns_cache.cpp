#include "src/egress/dns_cache.hpp"

#include <iterator>
#include <utility>

namespace sallyport::egress {

Result<Addresses> const* DnsCache::find(std::string_view host, Clock::time_point now) {
  auto const found = by_host_.find(host);
  if (found == by_host_.end()) return nullptr;
  auto const entry = found->second;
  if (entry->expires <= now) {
    remove(entry);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return &entry->answer;
}

void DnsCache::store(std::string_view host, Result<Addresses> answer, std::chrono::seconds time,
                     Clock::time_point now) {
  if (auto const found = by_host_.find(host); found != by_host_.end()) remove(found->second);
  if (time <= std::chrono::seconds::zero() || capacity_ == 0) return;
  if (entries_.size() == capacity_) remove(std::prev(entries_.end()));
  entries_.push_front(Entry{std::string{host}, std::move(answer), now + time});
  by_host_.emplace(entries_.front().host, entries_.begin());
}

void DnsCache::remove(Entries::iterator entry) {
  by_host_.erase(entry->host);
  entries_.erase(entry);
}

}  // namespace sallyport::egress
