// The answer to one modern POST: a single JSON object, or an event stream from the first message
// on.
#pragma once

#include "src/mcp/outlet.hpp"
#include "src/transport/feed.hpp"

#include <optional>
#include <string>

namespace sallyport::transport {

class PostOutlet final : public mcp::Outlet {
 public:
  PostOutlet(Executor executor, std::size_t queue_bytes, bool can_stream)
      : executor_{executor}, queue_bytes_{queue_bytes}, can_stream_{can_stream} {}

  void send(std::string message) override;
  void finish(mcp::Answer answer) override;
  bool can_send() const override { return can_stream_; }
  std::size_t unsent_bytes() const override { return feed_ ? feed_->pending_bytes() : 0; }

  bool is_finished() const noexcept { return answer_.has_value(); }
  bool is_streaming() const noexcept { return streaming_; }
  void begin_streaming() noexcept { streaming_ = true; }
  mcp::Answer take_answer() { return std::move(*answer_); }

  // Made when first needed: most answers come at once and need none.
  Feed& feed();

 private:
  Executor executor_;
  std::size_t queue_bytes_;
  bool can_stream_;
  bool streaming_{false};
  std::optional<mcp::Answer> answer_;
  std::optional<Feed> feed_;
};

}  // namespace sallyport::transport
