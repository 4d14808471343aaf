// Asks DNS with c-ares, and remembers the answers as long as their TTLs say.
//
// One per event loop, used on that loop only: c-ares waits on the loop's own descriptors, and the
// cache needs no lock. /etc/hosts and search domains are not consulted: what they say is not
// public. `localhost` and what ends in it is this machine, without asking.
#pragma once

#include "src/egress/resolver.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::egress {

struct DnsOptions {
  // "9.9.9.9", "127.0.0.1:5353", "[::1]:53"; empty: those of /etc/resolv.conf.
  std::vector<std::string> servers;
  std::chrono::milliseconds timeout{5'000};  // of one look-up, retries included
  std::size_t cache_entries{10'000};
  std::chrono::seconds longest_ttl{300};  // a longer TTL counts as this
  std::chrono::seconds failure_ttl{5};    // how long a failed look-up is remembered
};

class DnsResolver final : public Resolver {
 public:
  // Fails with InvalidInput when a server's address cannot be read.
  static Result<std::unique_ptr<DnsResolver>> create(Executor executor, DnsOptions options);
  ~DnsResolver() override;

  // Callers that ask for the same name at the same time share one look-up; what is remembered comes
  // without a wait. IPv4 addresses come first. May be destroyed while someone waits, who then gets
  // Cancelled.
  Task<std::vector<url::IpAddress>> resolve(std::string host, Deadline deadline) override;
  // Also a look-up that nobody waits for any more has timers and sockets on the loop.
  void stop() override;

 private:
  class Core;
  struct Lookup;

  explicit DnsResolver(std::unique_ptr<Core> core);
  static Task<std::vector<url::IpAddress>> wait_for(std::shared_ptr<Lookup> lookup,
                                                    Deadline deadline);

  std::unique_ptr<Core> core_;
};

}  // namespace sallyport::egress
