#include "src/egress/beast_connector.hpp"

#include "src/base/deadline.hpp"
#include "src/egress/beast_socket.hpp"
#include "src/egress/dial.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::egress {

BeastConnector::BeastConnector(ConnectorOptions options)
    : options_{std::move(options)}, tls_{std::make_unique<TlsClient>(options_.ca_file)} {}

BeastConnector::~BeastConnector() = default;

Task<Handshake> BeastConnector::open(SocketDispatch dispatch, ExchangeStats& stats) {
  auto const begin = Clock::now();
  SP_CO_TRY(auto wire, co_await dial(dispatch, options_, *tls_, stats));
  auto handshake =
      co_await with_deadline(dispatch.deadline, shake_hands(std::move(wire), dispatch, stats));
  stats.first_byte = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  if (!handshake && handshake.error().code == Errc::DeadlineExceeded) {
    co_return fail(Errc::DeadlineExceeded,
                   fmt::format("The time for the request ran out before an answer came from {}.",
                               *dispatch.url.host()));
  }
  co_return std::move(handshake);
}

}  // namespace sallyport::egress
