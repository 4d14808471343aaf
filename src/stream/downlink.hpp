// From an origin to a view: the frames of one stream that are not acknowledged yet.
//
// Plain state without a lock: View guards it.
#pragma once

#include "src/stream/frame.hpp"
#include "src/stream/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace sallyport::stream {

class Downlink {
 public:
  explicit Downlink(std::size_t credit) : credit_{credit} {}

  // Takes a frame in; gives what it costs. A short piece of a body joins the one before it, where
  // nobody has seen that yet. Nothing is taken after a last frame.
  std::size_t add(Frame frame);

  // Fails with InvalidInput for a frame that there has not been.
  Result<void> check(std::uint64_t next) const;
  // Everything below `next`, which was checked, is with the view: gives what that had cost. What
  // was acknowledged already stays so.
  std::size_t acknowledge(std::uint64_t next);

  // How many bytes the view takes, counted from the first frame that is not acknowledged.
  void set_credit(std::size_t bytes) noexcept { credit_ = bytes; }

  // Sending starts again from the first frame that is not acknowledged.
  void rewind() noexcept { cursor_ = base_; }
  // The next frame, if there is one and credit for it. take() gives it and goes on.
  Frame const* next() const;
  std::uint64_t next_seq() const noexcept { return cursor_; }
  std::shared_ptr<Frame const> take();
  // Whether there is a frame to send, or would be if one came.
  bool may_send() const;

  std::size_t cost() const noexcept { return cost_; }  // of all frames here
  bool is_complete() const noexcept { return complete_; }
  // The last frame is with the view.
  bool is_over() const noexcept { return complete_ && entries_.empty(); }

  // For who wants the whole body: its bytes so far, all together.
  std::size_t payload_bytes() const noexcept { return end_offset_ - base_offset(); }
  std::string take_payload();

 private:
  struct Entry {
    std::shared_ptr<Frame> frame;
    std::uint64_t offset{0};  // bytes of payload before it
  };

  std::uint64_t base_offset() const noexcept {
    return entries_.empty() ? end_offset_ : entries_.front().offset;
  }
  bool joins_last(Frame const& frame) const;

  std::deque<Entry> entries_;
  std::uint64_t base_{0};        // number of the first entry
  std::uint64_t cursor_{0};      // the next to send
  std::uint64_t seen_{0};        // nothing from here on was ever sent
  std::uint64_t end_offset_{0};  // bytes of payload, all together
  std::size_t credit_;
  std::size_t cost_{0};
  bool complete_{false};
};

}  // namespace sallyport::stream
