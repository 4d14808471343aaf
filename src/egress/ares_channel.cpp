#include "src/egress/ares_channel.hpp"

#include "src/egress/host_names.hpp"
#include "src/url/ip_address.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <ares.h>
#include <array>
#include <cstring>
#include <netinet/in.h>
#include <sys/time.h>
#include <utility>

namespace sallyport::egress {
namespace {

using std::chrono::milliseconds;

// The waits of three tries double: t + 2t + 4t.
constexpr int kTries = 3;
constexpr int kTryShares = 7;
constexpr std::uint16_t kDnsPort = 53;
constexpr int kDatagramSize = 1232;  // what passes unfragmented nearly everywhere

// "9.9.9.9", "127.0.0.1:5353", "::1", "[::1]", "[::1]:53", rewritten as c-ares reads it.
std::optional<std::string> server_for_ares(std::string_view text) {
  auto address = url::IpAddress::parse(text);
  std::optional<std::uint16_t> port = kDnsPort;
  if (!address) {
    auto const bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    auto const bracketed = bracket != std::string_view::npos;
    auto const end = bracketed ? bracket + 1 : std::min(text.find(':'), text.size());
    auto const rest = text.substr(end);
    address = url::IpAddress::parse(bracketed ? text.substr(1, bracket - 1) : text.substr(0, end));
    if (address && address->is_v4() == bracketed) return std::nullopt;
    if (!rest.empty()) port = rest.starts_with(':') ? parse_port(rest.substr(1)) : std::nullopt;
  }
  if (!address || !port) return std::nullopt;
  return address->is_v4() ? fmt::format("{}:{}", address->to_string(), *port)
                          : fmt::format("[{}]:{}", address->to_string(), *port);
}

Result<std::string> servers_for_ares(std::vector<std::string> const& servers) {
  std::string list;
  for (auto const& server : servers) {
    auto const one = server_for_ares(server);
    if (!one) {
      return fail(Errc::InvalidInput,
                  fmt::format("\"{}\" is no DNS server: write an address, with a port if it is not "
                              "53 (\"9.9.9.9\", \"127.0.0.1:5353\", \"[::1]:53\").",
                              server));
    }
    if (!list.empty()) list += ',';
    list += *one;
  }
  return list;
}

DnsStatus status_of(int status) {
  switch (status) {
    case ARES_SUCCESS: return DnsStatus::Answered;
    case ARES_ENOTFOUND: return DnsStatus::NoSuchName;
    case ARES_ENODATA: return DnsStatus::NoAddress;
    case ARES_ETIMEOUT: return DnsStatus::TimedOut;
    case ARES_EDESTRUCTION:
    case ARES_ECANCELLED: return DnsStatus::Cancelled;
    default: return DnsStatus::Failed;
  }
}

std::optional<url::IpAddress> address_of(ares_addrinfo_node const& node) {
  if (node.ai_family == AF_INET) {
    sockaddr_in socket{};
    std::memcpy(&socket, node.ai_addr, sizeof socket);
    return url::IpAddress::v4(ntohl(socket.sin_addr.s_addr));
  }
  if (node.ai_family == AF_INET6) {
    sockaddr_in6 socket{};
    std::memcpy(&socket, node.ai_addr, sizeof socket);
    url::IpAddress::V6Bytes bytes{};
    std::ranges::copy(socket.sin6_addr.s6_addr, bytes.begin());
    return url::IpAddress::v6(bytes);
  }
  return std::nullopt;
}

DnsAnswer answer_of(int status, ares_addrinfo const* found) {
  DnsAnswer answer{.status = status_of(status), .why = ares_strerror(status)};
  if (answer.status != DnsStatus::Answered || !found) return answer;
  int ttl = std::numeric_limits<int>::max();
  for (auto const* alias = found->cnames; alias; alias = alias->next) {
    ttl = std::min(ttl, alias->ttl);
  }
  for (auto const* node = found->nodes; node; node = node->ai_next) {
    ttl = std::min(ttl, node->ai_ttl);
    if (auto const address = address_of(*node)) answer.addresses.push_back(*address);
  }
  if (answer.addresses.empty()) answer.status = DnsStatus::NoAddress;
  answer.ttl = std::chrono::seconds{std::max(ttl, 0)};
  return answer;
}

}  // namespace

struct AresChannel::Socket {
  Socket(Executor const& executor, int number) : descriptor{executor, number} {}

  asio::posix::basic_stream_descriptor<Executor> descriptor;
  bool wants_readable{false};
  bool wants_writable{false};
  bool waits_readable{false};
  bool waits_writable{false};
};

struct AresChannel::Question {
  OnAnswer on_answer;
};

AresChannel::AresChannel(Executor executor) : executor_{executor}, timer_{executor} {}

Result<std::unique_ptr<AresChannel>> AresChannel::create(Executor executor,
                                                         DnsOptions const& options) {
  SP_TRY(auto const servers, servers_for_ares(options.servers));
  std::unique_ptr<AresChannel> self{new AresChannel{executor}};
  auto const first_try = std::max<milliseconds>(options.timeout / kTryShares, milliseconds{1});
  std::array<char, 2> dns_only{"b"};  // SECURITY: /etc/hosts names what is inside
  ares_options settings{};
  // SECURITY: no search domains and no aliases of the environment; a name is what it says.
  settings.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS;
  settings.timeout = static_cast<int>(first_try.count());
  settings.tries = kTries;
  settings.lookups = dns_only.data();
  settings.ednspsz = kDatagramSize;
  settings.sock_state_cb = &AresChannel::on_socket_state;
  settings.sock_state_cb_data = self.get();
  int const chosen = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS |
                     ARES_OPT_EDNSPSZ | ARES_OPT_SOCK_STATE_CB;
  auto status = ares_init_options(&self->channel_, &settings, chosen);
  if (status == ARES_SUCCESS && !servers.empty()) {
    status = ares_set_servers_ports_csv(self->channel_, servers.c_str());
  }
  if (status != ARES_SUCCESS) {
    return fail(Errc::Internal, "The DNS resolver cannot be started.", ares_strerror(status));
  }
  return self;
}

AresChannel::~AresChannel() {
  if (channel_) ares_destroy(channel_);
}

void AresChannel::ask(std::string const& host, Family family, OnAnswer on_answer) {
  ares_addrinfo_hints hints{};
  hints.ai_flags = ARES_AI_NOSORT;
  hints.ai_family = family == Family::V4 ? AF_INET : AF_INET6;
  auto question = std::make_unique<Question>(std::move(on_answer));
  // c-ares keeps it until it calls on_addresses(), which it does in any case.
  ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &AresChannel::on_addresses,
                   question.release());
  schedule();
}

void AresChannel::on_addresses(void* question, int status, int /*timeouts*/, ares_addrinfo* found) {
  std::unique_ptr<Question> const ours{static_cast<Question*>(question)};
  std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> const result{found,
                                                                            &ares_freeaddrinfo};
  ours->on_answer(answer_of(status, result.get()));
}

void AresChannel::on_socket_state(void* self, int descriptor, int readable, int writable) {
  static_cast<AresChannel*>(self)->watch(descriptor, readable != 0, writable != 0);
}

void AresChannel::watch(int descriptor, bool readable, bool writable) {
  if (!readable && !writable) {
    auto const found = sockets_.find(descriptor);
    if (found == sockets_.end()) return;
    found->second->descriptor.release();  // c-ares closes it
    sockets_.erase(found);
    return;
  }
  auto& socket = sockets_[descriptor];
  if (!socket) socket = std::make_shared<Socket>(executor_, descriptor);
  socket->wants_readable = readable;
  socket->wants_writable = writable;
  wait_readable(socket);
  wait_writable(socket);
}

void AresChannel::wait_readable(std::shared_ptr<Socket> const& socket) {
  if (!socket->wants_readable || std::exchange(socket->waits_readable, true)) return;
  auto on_ready = [this, alive = std::weak_ptr{alive_}, socket](boost::system::error_code failed) {
    socket->waits_readable = false;
    if (failed || alive.expired() || !socket->descriptor.is_open()) return;
    process(socket->descriptor.native_handle(), ARES_SOCKET_BAD);
    if (socket->descriptor.is_open()) wait_readable(socket);
  };
  socket->descriptor.async_wait(asio::posix::descriptor_base::wait_read, std::move(on_ready));
}

void AresChannel::wait_writable(std::shared_ptr<Socket> const& socket) {
  if (!socket->wants_writable || std::exchange(socket->waits_writable, true)) return;
  auto on_ready = [this, alive = std::weak_ptr{alive_}, socket](boost::system::error_code failed) {
    socket->waits_writable = false;
    if (failed || alive.expired() || !socket->descriptor.is_open()) return;
    process(ARES_SOCKET_BAD, socket->descriptor.native_handle());
    if (socket->descriptor.is_open()) wait_writable(socket);
  };
  socket->descriptor.async_wait(asio::posix::descriptor_base::wait_write, std::move(on_ready));
}

void AresChannel::process(int readable, int writable) {
  ares_process_fd(channel_, readable, writable);
  schedule();
}

void AresChannel::schedule() {
  timeval left{};
  if (!ares_timeout(channel_, nullptr, &left)) {
    timer_.cancel();
    return;
  }
  // c-ares counts in microseconds and may be asked a moment early: one more millisecond spares it.
  timer_.expires_after(std::chrono::seconds{left.tv_sec} + std::chrono::microseconds{left.tv_usec} +
                       milliseconds{1});
  timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code failed) {
    if (!failed && !alive.expired()) process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  });
}

}  // namespace sallyport::egress
