// The handshake of a WebSocket: the stages of every hop, and then another way to send.
#include "src/http/chars.hpp"
#include "src/pipeline/journey.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {
namespace {

// Like those of a request: nobody needs as many.
constexpr std::size_t kMostProtocols = 32;

Result<void> check_protocols(std::vector<std::string> const& protocols) {
  if (protocols.size() > kMostProtocols) {
    return fail(Errc::LimitExceeded,
                fmt::format("A WebSocket has {} subprotocols; at most {} are allowed.",
                            protocols.size(), kMostProtocols));
  }
  for (auto const& protocol : protocols) {
    if (!http::is_token(protocol)) {
      return fail(Errc::InvalidInput, "A subprotocol of the WebSocket is not a name.");
    }
    if (std::ranges::count(protocols, protocol) > 1) {
      return fail(Errc::InvalidInput, fmt::format("The subprotocol {} is given twice.", protocol));
    }
  }
  return {};
}

Error not_agreed(url::Url const& url, egress::ResponseHead const& head) {
  return fail(
      Errc::UpstreamFailed,
      fmt::format("{} does not open a WebSocket: it answered {}{}{}.", url.host().value_or(""),
                  head.status, head.reason.empty() ? "" : " ", head.reason.substr(0, 60)));
}

}  // namespace

Task<SocketArrival> Journey::shake_hands(SocketWish wish) {
  SP_CO_CHECK(check_shape());
  SP_CO_CHECK(check_protocols(wish.protocols));
  SP_CO_TRY(auto url, parse());
  Hop const hop{request_.method, std::move(url), std::move(request_.headers), {}};
  while (true) {
    begin_hop(hop);
    auto headers = hop.headers;
    // Policies see it as the server does.
    if (!wish.protocols.empty()) {
      headers.set("Sec-WebSocket-Protocol", fmt::format("{}", fmt::join(wish.protocols, ", ")));
    }
    SP_CO_TRY(auto addresses, co_await pass_stages(hop, headers));
    SP_CO_TRY(auto handshake, co_await dial(hop, wish, std::move(headers), std::move(addresses)));
    if (handshake.socket) co_return SocketArrival{hop.url, std::move(handshake.socket)};
    if (handshake.head.status == 401 && !renewed_) {
      renewed_ = co_await renew_credentials();
      if (renewed_) continue;  // from the start
    }
    echoes_.apply(handshake.head);
    co_return not_agreed(hop.url, handshake.head);
  }
}

Task<egress::Handshake> Journey::dial(Hop const& hop, SocketWish const& wish, http::Headers headers,
                                      egress::JudgedAddresses addresses) {
  sent_ = true;
  auto limits = wish.limits;
  limits.connect = parts_.limits.connect;
  auto handshake = co_await parts_.sockets->open({.url = hop.url,
                                                  .addresses = std::move(addresses),
                                                  .headers = std::move(headers),
                                                  .protocols = wish.protocols,
                                                  .limits = limits,
                                                  .deadline = deadline_},
                                                 stats_);
  if (handshake) note_answer(hop.url, handshake->head);
  record_.hops.back().connected = stats_.connected_address;
  co_return std::move(handshake);
}

}  // namespace sallyport::pipeline
