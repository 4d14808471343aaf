#include "src/config/egress_options.hpp"

#include "src/base/assert.hpp"
#include "src/url/percent_encode.hpp"

#include <fmt/format.h>

#include <string>

namespace sallyport::config {
namespace {

// What was checked when it was read cannot fail now.
template <class T>
T checked(Result<T> result) {
  SP_ASSERT(result.has_value(), "settings are checked when they are loaded");
  return std::move(*result);
}

pipeline::Rate rate_of(std::string const& text) {
  return text.empty() ? pipeline::Rate{} : checked(pipeline::Rate::parse(text));
}

std::string encoded(std::string_view text) {
  static constexpr url::EncodeSet kSet{" \"#%<>?^`{}/:;=@[\\]|"};
  std::string out;
  url::append_encoded(out, text, kSet);
  return out;
}

}  // namespace

egress::GuardOptions guard_options(EgressSettings const& settings) {
  egress::GuardOptions options;
  options.ports.clear();
  for (auto const& port : settings.ports) {
    options.ports.push_back(static_cast<std::uint16_t>(std::stoul(port)));
  }
  for (auto const& text : settings.open) {
    options.open.push_back(checked(egress::Opening::parse(text)));
  }
  return options;
}

egress::DnsOptions dns_options(EgressSettings const& settings) {
  egress::DnsOptions options;
  options.servers = settings.dns_servers;
  options.timeout = settings.dns_timeout;
  return options;
}

egress::ConnectorOptions connector_options(EgressSettings const& settings) {
  egress::ConnectorOptions options;
  options.ca_file = settings.ca_file;
  options.connections_per_host = settings.connections_per_host;
  if (settings.limits.concurrent > 0) options.max_exchanges = 2 * settings.limits.concurrent;
  return options;
}

std::optional<url::Url> proxy_of(EgressSettings const& settings) {
  if (settings.proxy.empty()) return std::nullopt;
  auto const url = checked(url::Url::parse(settings.proxy));
  if (settings.proxy_login.empty()) return url;
  // SECURITY: a "/" or "@" in a password would end the login, and the rest would name the proxy.
  auto const& login = settings.proxy_login.reveal();
  auto const colon = login.find(':');
  return checked(
      url::Url::parse(fmt::format("{}://{}:{}@{}/", url.scheme(), encoded(login.substr(0, colon)),
                                  encoded(login.substr(colon + 1)), url.authority())));
}

pipeline::LimiterOptions limiter_options(EgressSettings const& settings) {
  auto options = settings.limits;
  options.per_principal = rate_of(settings.rate_per_principal);
  options.per_tool = rate_of(settings.rate_per_tool);
  options.per_host = rate_of(settings.rate_per_host);
  return options;
}

}  // namespace sallyport::config
