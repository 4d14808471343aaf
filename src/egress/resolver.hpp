// Port: names to addresses. DnsResolver (dns_resolver.hpp) asks DNS; tests and simulations have
// their own.
#pragma once

#include "src/base/task.hpp"
#include "src/url/ip_address.hpp"

#include <string>
#include <vector>

namespace sallyport::egress {

class Resolver {
 public:
  virtual ~Resolver() = default;

  // All addresses of `host` (ASCII, lower case), IPv4 and IPv6. Fails with UpstreamFailed when the
  // name does not exist or DNS does not answer, with DeadlineExceeded or Cancelled. On the loop
  // that this resolver belongs to.
  virtual Task<std::vector<url::IpAddress>> resolve(std::string host, Deadline deadline) = 0;

  // Ends every look-up with Cancelled, those to come too, so that none keeps the loop from ending.
  // On the loop that this resolver belongs to.
  virtual void stop() {}
};

}  // namespace sallyport::egress
