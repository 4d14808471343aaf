// One stored answer and the rules about it, as plain functions (RFC 9111): may it be stored, how
// old is it, how long is it fresh, which requests does it answer, what does a 304 change.
#pragma once

#include "src/http/cache_control.hpp"
#include "src/http/dates.hpp"
#include "src/http/message.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::http {

struct CacheRequest {
  std::string method;
  std::string key;      // the URL without its fragment
  std::string variant;  // requests of different variants never share an answer
  Headers headers;      // as they are sent, cookies included
};

// An answer as it came, or as it is handed out.
struct CacheableResponse {
  int status{0};
  std::string reason;
  Headers headers;
  std::shared_ptr<std::string const> body;
};

// When it was asked for and when it came, by our clock.
struct ExchangeTimes {
  WallTime requested;
  WallTime received;
};

// Immutable once it is in the cache: shared by those who read it while another replaces it.
struct CacheEntry {
  CacheableResponse response;
  ExchangeTimes times;
  std::string variant;
  // What the request said in the fields that Vary names.
  std::vector<std::pair<std::string, std::optional<std::string>>> selecting;

  std::size_t bytes() const noexcept;
};

bool is_storable(CacheRequest const& request, CacheableResponse const& response);
CacheEntry make_entry(CacheRequest const& request, CacheableResponse response, ExchangeTimes times);

bool answers(CacheEntry const& entry, CacheRequest const& request);

std::chrono::seconds current_age(CacheEntry const& entry, WallTime now);
std::chrono::seconds freshness_lifetime(CacheEntry const& entry);
// By what the answer says and by what the request asks for in its own Cache-Control.
bool is_usable_unasked(CacheEntry const& entry, CacheRequest const& request, WallTime now);

// With the fields of a 304, or of an answer to HEAD, in place of the stored ones.
CacheEntry refreshed(CacheEntry const& entry, Headers const& newer, ExchangeTimes times);

// As it leaves the cache: with its Age.
CacheableResponse served(CacheEntry const& entry, WallTime now);

}  // namespace sallyport::http
