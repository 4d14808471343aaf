#include "src/egress/dial.hpp"

#include "src/base/base64.hpp"
#include "src/base/deadline.hpp"
#include "src/egress/exchange_errors.hpp"
#include "src/url/percent_encode.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace sallyport::egress {
namespace {

using asio::ip::tcp;

constexpr std::size_t kLongestProxyAnswer = 16UL * 1024;

// What the proxy calls itself in sentences.
constexpr std::string_view kProxyName = "the proxy";

Error given_up() {
  return fail(Errc::Cancelled, "The request was cancelled.");
}

bool was_cancelled(boost::system::error_code const& error) {
  return error == asio::error::operation_aborted;
}

tcp::endpoint endpoint_of(url::IpAddress const& address, std::uint16_t port) {
  return {asio::ip::make_address(address.to_string()), port};
}

// Not inherited by programs that are started meanwhile.
Result<Wire::Tcp> open_tcp(Executor executor, tcp const& protocol) {
  int const handle = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (handle < 0) {
    return fail(Errc::UpstreamFailed,
                fmt::format("No connection can be made: {}.", why_not_connected(errno)));
  }
  Wire::Tcp socket{executor};
  boost::system::error_code error;
  socket.assign(protocol, handle, error);
  if (!error) socket.set_option(tcp::no_delay{true}, error);
  if (error) return fail(Errc::Internal, "Internal error.", error.message());
  return socket;
}

Task<Wire::Tcp> connect_to(tcp::endpoint endpoint, std::string_view host) {
  SP_CO_TRY(auto socket, open_tcp(co_await asio::this_coro::executor, endpoint.protocol()));
  auto const [error] = co_await socket.async_connect(endpoint, use_tuple);
  if (was_cancelled(error)) co_return given_up();
  if (error) {
    co_return fail(Errc::UpstreamFailed, fmt::format("Connecting to {} failed: {}.", host,
                                                     why_not_connected(error.value())));
  }
  // SECURITY: the last word on where it went.
  boost::system::error_code unknown;
  if (socket.remote_endpoint(unknown) != endpoint || unknown) {
    co_return fail(Errc::EgressBlocked, "The connection went to another address.");
  }
  co_return std::move(socket);
}

struct Target {
  std::vector<url::IpAddress> const& addresses;
  std::uint16_t port;
  std::string_view host;  // in sentences
};

// Each address has its share of the time that is left, so that one that is silent leaves some to
// the next.
Task<Wire::Tcp> connect_in_turn(Target target, Deadline deadline) {
  Error last = fail(Errc::EgressBlocked, "There is no address to which the request may go.");
  auto left = static_cast<int>(target.addresses.size());
  for (auto const& address : target.addresses) {
    auto const now = Clock::now();
    auto const share = Deadline{now + (deadline.at - now) / std::max(1, left--)};
    auto socket =
        co_await with_deadline(share, connect_to(endpoint_of(address, target.port), target.host));
    if (socket || socket.error().code == Errc::Cancelled) co_return std::move(socket);
    last = std::move(socket).error();
  }
  co_return last;
}

Task<void> secure(Wire& wire, url::Url const& url, TlsClient& client, std::string_view host) {
  SP_CO_TRY(auto* const context, client.context());
  wire.add_tls(*context);
  expect_server(wire.tls(), url);
  auto const error = co_await wire.shake_hands();
  if (was_cancelled(error)) co_return given_up();
  if (error) co_return explain_tls(wire.tls(), error, host);
  co_return Result<void>{};
}

std::string bracketed(url::IpAddress const& address) {
  return address.is_v4() ? address.to_string() : fmt::format("[{}]", address.to_string());
}

std::string tunnel_request(SocketDispatch const& dispatch, ProxyOptions const& proxy,
                           url::IpAddress const& address) {
  auto const host = proxy.by_name ? *dispatch.url.host() : bracketed(address);
  auto const to = fmt::format("{}:{}", host, dispatch.addresses.port());
  auto text = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", to);
  if (proxy.url.has_credentials()) {
    auto const both = url::percent_decoded(proxy.url.username()) + ":" +
                      url::percent_decoded(proxy.url.password());
    text += fmt::format("Proxy-Authorization: Basic {}\r\n", base64::encode(both));
  }
  return text + "\r\n";
}

// "HTTP/1.1 200 …"
bool is_agreement(std::string_view answer) {
  return answer.starts_with("HTTP/1.") && answer.size() > 12 && answer.substr(8, 2) == " 2";
}

Task<void> ask_for_tunnel(Wire& wire, std::string request, std::string_view host) {
  auto const [unsent, sent] = co_await asio::async_write(wire, asio::buffer(request), use_tuple);
  if (was_cancelled(unsent)) co_return given_up();
  std::string answer;
  auto const [error, size] = co_await asio::async_read_until(
      wire, asio::dynamic_buffer(answer, kLongestProxyAnswer), "\r\n\r\n", use_tuple);
  if (was_cancelled(error)) co_return given_up();
  // Nothing comes behind it: the server waits for us to begin.
  if (unsent || error || !is_agreement(answer) || answer.size() != size) {
    co_return fail(Errc::UpstreamFailed,
                   fmt::format("The proxy refused the connection to {}.", host),
                   answer.substr(0, answer.find('\r')));
  }
  co_return Result<void>{};
}

Task<Wire> dial_through(ProxyOptions const& proxy, SocketDispatch const& dispatch, TlsClient& tls,
                        Deadline deadline) {
  auto const& host = *dispatch.url.host();
  Error last = fail(Errc::EgressBlocked, "There is no address to which the request may go.");
  for (auto const& address : dispatch.addresses.all()) {
    Target const target{proxy.addresses, proxy.url.effective_port(), kProxyName};
    SP_CO_TRY(auto socket, co_await connect_in_turn(target, deadline));
    Wire wire{std::move(socket)};
    if (proxy.url.scheme() == "https") {
      SP_CO_CHECK(co_await secure(wire, proxy.url, tls, kProxyName));
    }
    auto const open = co_await ask_for_tunnel(wire, tunnel_request(dispatch, proxy, address), host);
    if (open) co_return std::move(wire);
    if (open.error().code == Errc::Cancelled || proxy.by_name) co_return open.error();
    last = open.error();
  }
  co_return last;
}

Task<Wire> dial_directly(SocketDispatch const& dispatch, Deadline deadline) {
  Target const target{dispatch.addresses.all(), dispatch.addresses.port(), *dispatch.url.host()};
  SP_CO_TRY(auto socket, co_await connect_in_turn(target, deadline));
  co_return Wire{std::move(socket)};
}

Task<Wire> reach(SocketDispatch const& dispatch, ConnectorOptions const& options, TlsClient& tls,
                 Deadline deadline, ExchangeStats& stats) {
  auto const& host = *dispatch.url.host();
  auto way = options.proxy ? dial_through(*options.proxy, dispatch, tls, deadline)
                           : dial_directly(dispatch, deadline);
  SP_CO_TRY(auto wire, co_await std::move(way));
  boost::system::error_code ignored;
  stats.connected_address = wire.tcp().remote_endpoint(ignored).address().to_string();
  auto const& scheme = dispatch.url.scheme();
  if (scheme == "wss" || scheme == "https") {
    SP_CO_CHECK(co_await secure(wire, dispatch.url, tls, host));
  }
  co_return std::move(wire);
}

}  // namespace

Task<Wire> dial(SocketDispatch const& dispatch, ConnectorOptions const& options, TlsClient& tls,
                ExchangeStats& stats) {
  auto const begin = Clock::now();
  auto const limit = begin + dispatch.limits.connect;
  Deadline const deadline{std::min(limit, dispatch.deadline.at)};
  auto wire = co_await with_deadline(deadline, reach(dispatch, options, tls, deadline, stats));
  stats.connect = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  if (wire || wire.error().code != Errc::DeadlineExceeded) co_return std::move(wire);
  auto const& host = *dispatch.url.host();
  if (dispatch.deadline.at < limit) {
    co_return fail(Errc::DeadlineExceeded,
                   fmt::format("The time for the request ran out while connecting to {}.", host));
  }
  co_return fail(Errc::DeadlineExceeded,
                 fmt::format("Connecting to {} failed: no answer within {}.", host,
                             spell_time(dispatch.limits.connect)));
}

}  // namespace sallyport::egress
