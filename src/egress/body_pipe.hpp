// The body of a request that is sent while it is still being made.
//
// Whoever makes it holds a BodyWriter and writes, piece by piece; the connector takes the bytes as
// fast as the origin does. What was written and not taken yet is bounded: write() waits. Nothing is
// kept, so such a body can be sent once only.
//
//   auto [writer, pipe] = make_body_pipe();
//   request.upload = pipe;                    // and, while the road sends it:
//   SP_CO_CHECK(co_await writer.write("a piece"));
//   SP_CO_CHECK(writer.finish());
#pragma once

#include "src/base/one_shot_event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace sallyport::egress {

// Between the two sides; from any thread.
class BodyPipe {
 public:
  // What may wait to be sent before a writer is held back.
  static constexpr std::size_t kEnoughUnsent = 256UL * 1024;

  // `size`: where it is known beforehand; the writer must then keep to it.
  explicit BodyPipe(std::optional<std::uint64_t> size = {}) : size_{size} {}
  BodyPipe(BodyPipe const&) = delete;
  BodyPipe& operator=(BodyPipe const&) = delete;

  std::optional<std::uint64_t> size() const noexcept { return size_; }

  // Before it is connected: more than that, and the body fails with LimitExceeded.
  void limit(std::uint64_t bytes);

  // For the connector. `wake` is called, on the writer's thread, when there is something to take
  // again after take() said Later.
  void connect(std::function<void()> wake);
  enum class Flow { Bytes, Later, End, Failed };
  struct Taken {
    Flow flow{Flow::Later};
    std::size_t bytes{0};
  };
  Taken take(std::span<char> into);
  // Nobody takes any more: from now on, writers fail with `why`. The first one counts.
  void disconnect(Error why);

  std::uint64_t taken() const;
  std::optional<Error> failure() const;  // why nothing can be taken

 private:
  friend class BodyWriter;

  Task<void> write(std::string piece);
  Result<void> finish();
  void break_off(Error why);

  Async<Wakeup> room();
  Result<void> put(std::string piece);
  // With the lock held.
  Error too_large() const;
  Error fail_now(Error why, std::function<void()>& wake);
  std::function<void()> waker();
  void wake_writer();

  std::optional<std::uint64_t> const size_;
  mutable std::mutex mutex_;
  std::uint64_t limit_{UINT64_MAX};
  std::string unsent_;
  std::size_t sent_of_it_{0};  // of the front of unsent_
  std::uint64_t written_{0};
  std::uint64_t taken_{0};
  bool finished_{false};
  bool connector_waits_{false};
  std::optional<Error> failure_;
  std::optional<Error> disconnected_;
  std::function<void()> wake_;
  std::shared_ptr<OneShotEvent> writer_;  // while one waits for room
};

// The end of whoever makes the body. Destroying it before finish() breaks the body off, and the
// exchange with it.
class BodyWriter {
 public:
  explicit BodyWriter(std::shared_ptr<BodyPipe> pipe) : pipe_{std::move(pipe)} {}
  ~BodyWriter();
  BodyWriter(BodyWriter&&) noexcept = default;
  BodyWriter& operator=(BodyWriter&& other) noexcept;

  // Waits for room, then takes the piece as a whole. Fails with LimitExceeded or InvalidInput (more
  // than was allowed, or announced: the exchange then fails, too), with the reason of an exchange
  // that is over, or with Cancelled, and has taken nothing then. One call at a time; the writer
  // outlives it.
  Task<void> write(std::string piece) { return pipe_->write(std::move(piece)); }

  // That was all. Fails with InvalidInput when more was announced; the exchange then fails, too.
  Result<void> finish() { return pipe_->finish(); }

  // There is no more, for this reason: the exchange fails with it.
  void fail(Error why) { pipe_->break_off(std::move(why)); }

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

struct BodyEnds {
  BodyWriter writer;
  std::shared_ptr<BodyPipe> pipe;
};

BodyEnds make_body_pipe(std::optional<std::uint64_t> size = {});

}  // namespace sallyport::egress
