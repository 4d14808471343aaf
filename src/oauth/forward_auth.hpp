// Believes a reverse proxy about who asks.
//
// Anybody can send these headers. They count only when the socket's peer is a proxy that the
// operator named, and that proxy must remove them from what its own clients send.
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/result.hpp"
#include "src/http/message.hpp"
#include "src/oauth/inbound_options.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::oauth {

// A range of addresses: "10.1.0.0/16", "fd00::/8", or one address.
class AddressRange {
 public:
  // Fails with InvalidInput; also for bits behind the prefix, and for a range of all addresses.
  static Result<AddressRange> parse(std::string_view text);

  // An IPv4 address mapped into IPv6 counts as the IPv4 address.
  bool contains(boost::asio::ip::address const& address) const;

 private:
  AddressRange(boost::asio::ip::address network, unsigned prefix)
      : network_{network}, prefix_{prefix} {}

  boost::asio::ip::address network_;
  unsigned prefix_;
};

class ForwardAuth {
 public:
  // Fails with InvalidInput, for the operator.
  static Result<ForwardAuth> create(ForwardAuthOptions options);

  // Whom the proxy names. Nothing when the peer is no proxy of ours, or the header is absent,
  // there twice, or holds more than one name.
  std::optional<Principal> principal(http::ServerRequest const& request) const;

 private:
  explicit ForwardAuth(ForwardAuthOptions options) : options_{std::move(options)} {}
  bool is_proxy(std::string_view peer_address) const;

  ForwardAuthOptions options_;
  std::vector<AddressRange> proxies_;
};

}  // namespace sallyport::oauth
