// The addresses of a host that the operator's settings name (a proxy), as the system knows them.
#pragma once

#include "src/url/url.hpp"

#include <vector>

namespace sallyport::egress {

// Blocks: for the start of the program only. /etc/hosts counts. Fails with UpstreamFailed.
Result<std::vector<url::IpAddress>> system_addresses(url::Url const& url);

}  // namespace sallyport::egress
