// A private HTTP cache (RFC 9111) with the request modes of the Fetch Standard.
//
// Each partition (a principal with a backend) has its own entries and its own limit, so nobody
// sees or evicts what is another's. From any thread: partitions are spread over shards with a
// short lock each, entries are immutable and shared, and no body is copied under a lock.
//
// One exchange: plan() says whether to send and with which further fields; settle() takes the
// answer and gives the one to hand out.
#pragma once

#include "src/http/cache_entry.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

enum class CacheMode { Default, NoStore, Reload, NoCache, ForceCache, OnlyIfCached };

struct CacheLimits {
  std::size_t partition_bytes{8UL * 1024 * 1024};
  std::size_t total_bytes{256UL * 1024 * 1024};
  std::size_t variants{16};  // of one URL
};

class Cache {
 public:
  explicit Cache(CacheLimits limits = {});
  ~Cache();

  enum class Next {
    Send,
    Serve,           // `stored`, without asking
    GatewayTimeout,  // the request's own only-if-cached: answer 504
    NetworkError,    // mode only-if-cached: fail, as fetch() does
  };
  struct Plan {
    Next next{Next::Send};
    std::shared_ptr<CacheEntry const> stored;  // to serve, or to be revalidated
    Headers further;                           // to send besides the request's own
    bool may_store{true};
  };
  Plan plan(std::string_view partition, CacheRequest const& request, CacheMode mode, WallTime now);

  // `also_changed`: URLs of this origin that Location and Content-Location of the answer name.
  CacheableResponse settle(std::string_view partition, CacheRequest const& request,
                           Plan const& plan, CacheableResponse response, ExchangeTimes times,
                           std::vector<std::string> const& also_changed = {});

  std::size_t bytes(std::string_view partition) const;

 private:
  struct Shard;

  Shard& shard_of(std::string_view partition) const;
  void put(std::string_view partition, std::string const& key, CacheEntry entry);
  void note_head(std::string_view partition, CacheRequest const& request,
                 CacheableResponse const& response, ExchangeTimes times);

  CacheLimits limits_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

// GET, HEAD, OPTIONS, TRACE.
bool is_safe_method(std::string_view method) noexcept;

}  // namespace sallyport::http
