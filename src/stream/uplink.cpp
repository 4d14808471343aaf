#include "src/stream/uplink.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::stream {
namespace {

bool is_message(Piece::Kind kind) {
  return kind == Piece::Kind::Text || kind == Piece::Kind::Binary;
}

bool ends_uplink(Piece::Kind kind) {
  return kind == Piece::Kind::End || kind == Piece::Kind::Abort || kind == Piece::Kind::Close;
}

Result<void> check_kind(Piece const& piece, Uplink::Takes takes) {
  bool const is_of_socket = is_message(piece.kind) || piece.kind == Piece::Kind::Close;
  if (is_of_socket == (takes == Uplink::Takes::Messages)) return {};
  return fail(Errc::InvalidInput, is_of_socket ? "The stream is no WebSocket."
                                               : "The stream is a WebSocket: use ws_send.");
}

}  // namespace

Result<void> Uplink::push(std::uint64_t seq, std::vector<Piece> pieces) {
  if (seq < next_seq_) return {};
  if (seq > next_seq_) {
    return fail(Errc::InvalidInput,
                fmt::format("seq is {} where {} would be next.", seq, next_seq_));
  }
  if (over_) return *over_;
  SP_CHECK(check(pieces));
  ++next_seq_;
  for (auto& piece : pieces) take_in(std::move(piece));
  return {};
}

Result<void> Uplink::check(std::vector<Piece> const& pieces) const {
  if (ended_) return fail(Errc::InvalidInput, "The stream was ended already; nothing can follow.");
  std::size_t message = message_ ? message_->data.size() : 0;
  auto kind = message_ ? std::optional{message_->kind} : std::nullopt;
  for (auto const& piece : pieces) {
    SP_CHECK(check_kind(piece, takes_));
    if (!is_message(piece.kind)) continue;
    // SECURITY: bytes in a text would not be UTF-8 any more.
    if (kind && *kind != piece.kind) {
      return fail(Errc::InvalidInput, "The parts of a message are all text or all b64.");
    }
    kind = piece.more ? std::optional{piece.kind} : std::nullopt;
    message += piece.data.size();
    if (message > most_message_) {
      return fail(Errc::LimitExceeded,
                  fmt::format("A message may have at most {} bytes.", most_message_));
    }
    if (!piece.more) message = 0;
  }
  return {};
}

void Uplink::take_in(Piece piece) {
  ended_ = ended_ || ends_uplink(piece.kind);
  if (is_message(piece.kind) && (piece.more || message_)) {
    if (!message_) {
      message_ = std::move(piece);
    } else {
      message_->data += piece.data;
      message_->more = piece.more;
    }
    if (message_->more) return;
    piece = *std::exchange(message_, std::nullopt);
  }
  // A message counts once it is whole: until then, only its view can make it go on.
  unsent_ += cost_of(piece);
  pieces_.push_back(std::move(piece));
}

Result<void> Uplink::push_last(Piece piece) {
  SP_CHECK(check_kind(piece, takes_));
  if (ended_ || over_) return {};
  message_.reset();
  take_in(std::move(piece));
  return {};
}

std::optional<Piece> Uplink::take() {
  if (pieces_.empty()) return std::nullopt;
  auto piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

void Uplink::end(Error why) {
  if (over_) return;
  over_ = std::move(why);
  pieces_.clear();
  message_.reset();
}

}  // namespace sallyport::stream
