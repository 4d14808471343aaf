// What DNS said, for as long as it may be believed. Bounded: the entry that was not asked for the
// longest time goes first.
//
// Knows no clock, so that a test needs none: who asks says what time it is.
#pragma once

#include "src/base/result.hpp"
#include "src/base/task.hpp"
#include "src/url/ip_address.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::egress {

using Addresses = std::vector<url::IpAddress>;

class DnsCache {
 public:
  explicit DnsCache(std::size_t capacity) : capacity_{capacity} {}

  // The answer, a remembered failure included; null when there is none or its time is over. Valid
  // until the next call.
  Result<Addresses> const* find(std::string_view host, Clock::time_point now);

  // Forgets what it knew of `host`. With a time of 0 it remembers nothing new.
  void store(std::string_view host, Result<Addresses> answer, std::chrono::seconds time,
             Clock::time_point now);

  std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    std::string host;
    Result<Addresses> answer;
    Clock::time_point expires;
  };
  using Entries = std::list<Entry>;

  void remove(Entries::iterator entry);

  std::size_t capacity_;
  Entries entries_;  // the one that was used last is in front
  std::unordered_map<std::string_view, Entries::iterator> by_host_;
};

}  // namespace sallyport::egress
