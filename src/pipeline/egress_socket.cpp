#include "src/pipeline/egress_socket.hpp"

#include "src/pipeline/keep_record.hpp"

#include <boost/asio/cancellation_state.hpp>

#include <utility>

namespace sallyport::pipeline {
namespace {

constexpr std::uint16_t kBroken = 1006;

Error abandoned() {
  return fail(Errc::Cancelled, "The WebSocket was given up before it was closed.");
}

SocketWish wish_of(SocketRequest& request) {
  return {.protocols = std::move(request.protocols),
          .limits = {.message_bytes = request.message_bytes,
                     .received_bytes = request.received_bytes,
                     .keep_alive = request.keep_alive}};
}

// As far as it is a request like others.
OutboundRequest handshake_of(SocketRequest request) {
  OutboundRequest handshake;
  handshake.url = std::move(request.url);
  handshake.base = std::move(request.base);
  handshake.headers = std::move(request.headers);
  handshake.header_bytes = request.header_bytes;
  handshake.redirects = Redirects::Refuse;
  handshake.schemes = {"ws", "wss"};
  handshake.timeout = request.timeout;
  handshake.credentials = request.credentials;
  handshake.inject = request.inject;
  handshake.open = std::move(request.open);
  handshake.before_hop = std::move(request.before_hop);
  handshake.after_hop = std::move(request.after_hop);
  return handshake;
}

}  // namespace

EgressSocket::EgressSocket(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers,
                           Passage passage, SocketRequest request)
    : parts_{parts},
      passage_{std::move(passage)},
      wish_{wish_of(request)},
      journey_{parts,         resolver, helpers, passage_, handshake_of(std::move(request)),
               Manner::Socket} {}

// Also of a coroutine that is destroyed instead of ended, on whatever thread.
EgressSocket::~EgressSocket() {
  if (owed_ == Owed::First) parts_.audit.post(first_record(abandoned()));
  if (owed_ != Owed::Closing) return;
  bool const closed = arrival_->socket->closing().code != kBroken;
  parts_.audit.post(take_closing_record(closed ? std::nullopt : std::optional{abandoned()}));
}

Task<void> EgressSocket::arrive() {
  SP_CO_TRY(arrival_, co_await journey_.shake_hands(std::move(wish_)));
  extensions_ = arrival_->socket->extensions();
  journey_.echoes().apply(extensions_);
  co_return Result<void>{};
}

audit::Record EgressSocket::first_record(Result<void> const& arrived) {
  owed_ = arrived ? Owed::Closing : Owed::None;
  return arrived ? journey_.opened_record() : journey_.take_record(arrived.error());
}

audit::Record EgressSocket::take_closing_record(std::optional<Error> failure) {
  owed_ = Owed::None;
  closing_ = arrival_->socket->closing();
  journey_.echoes().apply(closing_.reason);
  auto record = journey_.take_closed_record(failure, arrival_->socket->stats());
  record.close_code = closing_.code;
  return record;
}

// That it broke is news for the log; next() tells its reader by closing().
std::optional<Error> EgressSocket::why_ended() const {
  if (failure_) return failure_;
  auto const& closing = arrival_->socket->closing();
  if (closing.code != kBroken) return std::nullopt;
  return fail(Errc::UpstreamFailed, closing.reason);
}

Task<std::optional<SocketMessage>> EgressSocket::next() {
  if (owed_ == Owed::None && failure_) co_return *failure_;
  if (owed_ == Owed::None) co_return std::optional<SocketMessage>{};
  auto message = co_await capture(arrival_->socket->next());
  if (message && *message) {
    journey_.echoes().apply((*message)->data);
    co_return std::move(message);
  }
  if (!message) failure_ = message.error();
  // Who gives up on it does not keep its end out of the log; see EgressRoad::send.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  auto kept = co_await keep_record(parts_.audit, take_closing_record(why_ended()));
  if (!kept) failure_ = std::move(kept).error();
  if (failure_) co_return *failure_;
  co_return std::optional<SocketMessage>{};
}

Task<void> EgressSocket::send(SocketMessage message) {
  if (owed_ == Owed::None) co_return fail(Errc::UpstreamFailed, "The WebSocket is closed.");
  co_return co_await capture(arrival_->socket->send(std::move(message)));
}

Task<void> EgressSocket::close(std::optional<std::uint16_t> code, std::string reason) {
  return arrival_->socket->close(code, std::move(reason));
}

}  // namespace sallyport::pipeline
