// The guard: which hosts, ports and addresses may be reached at all.
//
// It knows names and addresses, not who asks: that is policy (policy/evaluator.hpp). A name is
// refused when any of its addresses is. What it passes is a JudgedAddresses, which nobody else can
// make and without which nothing can be dialled.
#pragma once

#include "src/base/result.hpp"
#include "src/url/ip_address.hpp"
#include "src/url/url.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {

// A hole in the guard that the operator made: a host (exact, or "*.suffix") or a range, for all
// allowed ports or for one. An opened port need not be on the list of ports.
//
// An opened host may lead into private networks and to this machine. What is more dangerous needs
// more: link-local addresses a range, a cloud's metadata service that very address (a host opening
// or a wide range is not enough). Multicast, 0.0.0.0 and the like stay closed.
struct Opening {
  // Exactly one of these two.
  std::string host;
  std::optional<url::Cidr> range;
  std::optional<std::uint16_t> port;

  // "10.1.0.0/16", "db.corp.example", "*.corp.example:8443", "127.0.0.1:8080", "[::1]:3000".
  static Result<Opening> parse(std::string_view text);
  // To where a URL of the settings points, and nowhere else.
  static Opening to(url::Url const& place);
};

struct GuardOptions {
  std::vector<std::uint16_t> ports{80, 443, 8000, 8008, 8080, 8443, 8888};
  std::vector<Opening> open;
  bool websockets{false};  // ws and wss, for a caller that speaks them
};

// Addresses that the guard passed for one URL, in the order in which they should be tried.
class JudgedAddresses {
 public:
  std::vector<url::IpAddress> const& all() const noexcept { return addresses_; }
  std::uint16_t port() const noexcept { return port_; }
  // The last word, asked when a socket is opened.
  bool contains(url::IpAddress const& address, std::uint16_t port) const noexcept;

 private:
  friend class Guard;
  JudgedAddresses(std::vector<url::IpAddress> addresses, std::uint16_t port)
      : addresses_{std::move(addresses)}, port_{port} {}

  std::vector<url::IpAddress> addresses_;
  std::uint16_t port_;
};

// Immutable; from any thread.
class Guard {
 public:
  explicit Guard(GuardOptions options = {});

  // Scheme, credentials, port, name or address, before anything is looked up. EgressBlocked; the
  // message names the rule ("127.0.0.1 is a loopback address (127.0.0.0/8)").
  Result<void> check_url(url::Url const& url) const;

  // check_url(), then all addresses of the URL's host: those that a resolver gave, or the one that
  // the host itself is. Fails with EgressBlocked when one of them is bad, or when there is none.
  // The message of a name's refusal names the range; the address is in the detail. Keeps the order,
  // but lets families take turns (RFC 8305, section 4).
  Result<JudgedAddresses> judge(url::Url const& url,
                                std::span<url::IpAddress const> addresses) const;

  // The same guard with further holes: for the few hosts that an operator's own settings name.
  Guard with_openings(std::span<Opening const> openings) const;

 private:
  bool is_listed(std::uint16_t port) const noexcept;
  // Without a port: whether it is for all allowed ports.
  bool covers(Opening const& opening, std::optional<std::uint16_t> port) const noexcept;
  // By a range; `exactly`: by one that holds this address only.
  bool is_open(url::IpAddress const& address, std::optional<std::uint16_t> port,
               bool exactly) const;
  // By a host; `exactly`: by one without a "*".
  bool is_open(std::string_view host, std::optional<std::uint16_t> port,
               bool exactly) const noexcept;

  Error port_refused(std::uint16_t port) const;
  Result<void> check_name(std::string_view host, std::uint16_t port) const;
  Result<void> check_address(url::Url const& url, url::IpAddress const& address) const;

  GuardOptions options_;
};

// Why an address is not public: "is a loopback address (127.0.0.0/8)". Without a value: it is.
std::optional<std::string> why_not_public(url::IpAddress const& address);

}  // namespace sallyport::egress
