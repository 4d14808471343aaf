#include "src/egress/system_addresses.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

namespace sallyport::egress {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

url::IpAddress address_in(addrinfo const& entry) {
  if (entry.ai_family == AF_INET) {
    sockaddr_in socket{};
    std::memcpy(&socket, entry.ai_addr, sizeof socket);
    return url::IpAddress::v4(ntohl(socket.sin_addr.s_addr));
  }
  sockaddr_in6 socket{};
  std::memcpy(&socket, entry.ai_addr, sizeof socket);
  url::IpAddress::V6Bytes bytes;
  std::memcpy(bytes.data(), &socket.sin6_addr, bytes.size());
  return url::IpAddress::v6(bytes);
}

}  // namespace

Result<std::vector<url::IpAddress>> system_addresses(url::Url const& url) {
  if (url.address()) return std::vector{*url.address()};
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int const error = getaddrinfo(url.host()->c_str(), nullptr, &hints, &found);
  std::unique_ptr<addrinfo, FreeAddresses> const list{found};
  std::vector<url::IpAddress> addresses;
  for (auto const* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET || entry->ai_family == AF_INET6) {
      addresses.push_back(address_in(*entry));
    }
  }
  if (error != 0 || addresses.empty()) {
    return fail(Errc::UpstreamFailed, fmt::format("The address of {} cannot be found: {}.",
                                                  *url.host(), gai_strerror(error)));
  }
  return addresses;
}

}  // namespace sallyport::egress
