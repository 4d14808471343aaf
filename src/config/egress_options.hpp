// The settings of the road out as the options of the modules that build it.
#pragma once

#include "src/config/settings.hpp"
#include "src/egress/curl_connector.hpp"
#include "src/egress/dns_resolver.hpp"
#include "src/egress/guard.hpp"
#include "src/pipeline/limiter.hpp"

#include <optional>

namespace sallyport::config {

egress::GuardOptions guard_options(EgressSettings const& settings);
egress::DnsOptions dns_options(EgressSettings const& settings);
// The proxy is missing in it: its address has to be looked up first.
egress::ConnectorOptions connector_options(EgressSettings const& settings);
// With the login in it, for egress only.
std::optional<url::Url> proxy_of(EgressSettings const& settings);
pipeline::LimiterOptions limiter_options(EgressSettings const& settings);

}  // namespace sallyport::config
