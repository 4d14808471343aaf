// What the curl thread hands over to the coroutine that asked: head, body, end.
//
// One per exchange, shared by both sides, because either may go first. Inside egress.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/egress/exchange.hpp"
#include "src/egress/prepared_request.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::egress {

class Transfer;

class Delivery {
 public:
  // What libcurl gives at once, at most.
  static constexpr std::size_t kMostAtOnce = 16UL * 1024;
  // What a reader may leave unread before the origin is held back: with the last piece it is
  // 256 KiB, a frame of a stream.
  static constexpr std::size_t kEnoughUnread = 256UL * 1024 - kMostAtOnce;

  Delivery() = default;
  Delivery(Delivery const&) = delete;
  Delivery& operator=(Delivery const&) = delete;

  // For the curl thread.
  void put_head(ResponseHead head, ExchangeStats so_far);
  // False, and nothing is taken, when enough is unread already; reading then asks for more.
  // `received`: how much of the body has come over the wire so far.
  bool put_body(std::string_view piece, std::uint64_t received);
  // Takes the piece in any case; false when enough is unread now.
  bool force_body(std::string_view piece, std::uint64_t received);
  void put_whole(ResponseHead head, std::string body, ExchangeStats stats);
  void put_end(std::optional<Error> failure, ExchangeStats stats);

  // For the reader.
  Async<Wakeup> head_or_end();
  Async<Wakeup> body_or_end();
  Async<Wakeup> end();
  struct Taken {
    Result<std::string> piece;
    bool origin_waits{false};  // it was held back and may go on
  };
  Taken take();
  std::optional<Error> failure() const;
  bool has_head() const;
  bool has_ended() const;
  ExchangeStats stats() const;
  ResponseHead& head() noexcept { return head_; }  // the reader's once it has come

  // Of the curl thread alone; nullptr when it has nothing (more) to do with it.
  Transfer* transfer{nullptr};
  // What was sent, put back here so that the caller's thread, which made it, frees it.
  std::unique_ptr<PreparedRequest> spent;

 private:
  void append(std::string_view piece);
  void wake();

  mutable std::mutex mutex_;
  ResponseHead head_;
  bool has_head_{false};
  bool has_ended_{false};
  bool origin_waits_{false};
  std::string unread_;
  std::optional<Error> failure_;
  ExchangeStats stats_;
  std::shared_ptr<OneShotEvent> reader_;  // while one waits
};

}  // namespace sallyport::egress
