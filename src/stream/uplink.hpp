// From a view to an origin: pieces in their order, until whoever sends them takes them.
//
// Plain state without a lock: View guards it.
#pragma once

#include "src/base/result.hpp"
#include "src/stream/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::stream {

struct Piece {
  enum class Kind {
    Bytes,   // of a body
    Text,    // a message of a WebSocket, or a part of one
    Binary,  // the same
    End,     // the body is complete
    Abort,   // it never will be
    Close,   // say goodbye to a WebSocket
  };
  Kind kind{Kind::Bytes};
  std::string data{};
  bool more{false};                     // of a message: it goes on
  std::optional<std::uint16_t> code{};  // of Close; its reason is `data`
};

// What a piece counts for while it waits: a flood of empty messages fills an uplink, too.
inline std::size_t cost_of(Piece const& piece) noexcept {
  return piece.data.size() + kFrameCost;
}

class Uplink {
 public:
  enum class Takes { Body, Messages };

  Uplink(Takes what, std::size_t unsent, std::size_t message_bytes)
      : takes_{what}, most_unsent_{unsent}, most_message_{message_bytes} {}

  // Takes the pieces of one push, unless they are here already. Fails with
  // InvalidInput (a number that skips, anything after the end), LimitExceeded (a message that is
  // too large) or with why nobody takes anything any more. Wait while it is full.
  Result<void> push(std::uint64_t seq, std::vector<Piece> pieces);
  // Outside of the numbers: a goodbye. Fails with InvalidInput where nobody would hear it.
  Result<void> push_last(Piece piece);

  std::uint64_t next_seq() const noexcept { return next_seq_; }
  // How much may follow: bytes, and kFrameCost for each piece.
  std::size_t credit() const noexcept {
    return unsent_ >= most_unsent_ || over_ || ended_ ? 0 : most_unsent_ - unsent_;
  }
  bool is_full() const noexcept { return unsent_ >= most_unsent_; }

  // For whoever sends: the next piece, messages whole; and that it was sent.
  std::optional<Piece> take();
  void sent(std::size_t cost) noexcept { unsent_ -= cost; }

  // Nobody takes anything any more.
  void end(Error why);
  bool is_over() const noexcept { return over_.has_value(); }

 private:
  Result<void> check(std::vector<Piece> const& pieces) const;
  void take_in(Piece piece);

  Takes takes_;
  std::size_t most_unsent_;
  std::size_t most_message_;
  std::uint64_t next_seq_{0};
  std::size_t unsent_{0};  // taken ones included, until they are sent
  std::deque<Piece> pieces_;
  std::optional<Piece> message_;  // of which parts have come
  bool ended_{false};
  std::optional<Error> over_;
};

}  // namespace sallyport::stream
