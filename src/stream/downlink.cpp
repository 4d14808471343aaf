#include "src/stream/downlink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::stream {
namespace {

// Pieces below that are joined, up to this size: a frame for each packet would be mostly frame.
constexpr std::size_t kShortPiece = 16 * kKiB;
constexpr std::size_t kJoined = 64 * kKiB;

std::size_t cost_of(Frame const& frame) {
  return frame.payload.size() + frame.members.size() + kFrameCost;
}

}  // namespace

bool Downlink::joins_last(Frame const& frame) const {
  if (frame.kind != Frame::Kind::Data || frame.payload.size() >= kShortPiece) return false;
  if (entries_.empty()) return false;
  bool const has_room = entries_.back().frame->payload.size() + frame.payload.size() <= kJoined;
  // The last of all entries may have been sent, while an earlier one is sent again.
  bool const unseen = base_ + entries_.size() - 1 >= seen_;
  return unseen && has_room && entries_.back().frame->kind == Frame::Kind::Data;
}

std::size_t Downlink::add(Frame frame) {
  if (complete_) return 0;
  auto cost = frame.payload.size();
  auto const offset = end_offset_;
  end_offset_ += frame.payload.size();
  if (joins_last(frame)) {
    entries_.back().frame->payload += frame.payload;
  } else {
    cost = cost_of(frame);
    complete_ = frame.is_last();
    entries_.push_back({std::make_shared<Frame>(std::move(frame)), offset});
  }
  cost_ += cost;
  return cost;
}

Result<void> Downlink::check(std::uint64_t next) const {
  auto const end = base_ + entries_.size();
  if (next <= end) return {};
  return fail(Errc::InvalidInput,
              fmt::format("acks says {} where there have been only {} frames.", next, end));
}

std::size_t Downlink::acknowledge(std::uint64_t next) {
  std::size_t freed = 0;
  for (; base_ < next; ++base_) {
    freed += cost_of(*entries_.front().frame);
    entries_.pop_front();
  }
  cost_ -= freed;
  cursor_ = std::max(cursor_, base_);
  seen_ = std::max(seen_, base_);
  return freed;
}

Frame const* Downlink::next() const {
  auto const at = cursor_ - base_;
  if (at >= entries_.size()) return nullptr;
  auto const& entry = entries_[at];
  // What has no payload needs no credit: who takes no more bytes still learns of the end.
  bool const allowed = entry.frame->payload.empty() || entry.offset - base_offset() < credit_;
  return allowed ? entry.frame.get() : nullptr;
}

std::shared_ptr<Frame const> Downlink::take() {
  auto const at = cursor_ - base_;
  ++cursor_;
  seen_ = std::max(seen_, cursor_);
  return entries_[at].frame;
}

bool Downlink::may_send() const {
  if (next() != nullptr) return true;
  bool const has_sent_all = cursor_ - base_ == entries_.size();
  return has_sent_all && !complete_ && payload_bytes() < credit_;
}

std::string Downlink::take_payload() {
  std::string all;
  all.reserve(payload_bytes());
  for (auto& entry : entries_) {
    if (all.empty()) {
      all = std::move(entry.frame->payload);
    } else {
      all += entry.frame->payload;
    }
  }
  return all;
}

}  // namespace sallyport::stream
