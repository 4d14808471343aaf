#include "src/transport/post_outlet.hpp"

#include "src/http/sse.hpp"

#include <utility>

namespace sallyport::transport {

Feed& PostOutlet::feed() {
  if (!feed_) feed_.emplace(executor_, queue_bytes_);
  return *feed_;
}

void PostOutlet::send(std::string message) {
  streaming_ = true;
  feed().push(http::to_sse({.event = "message", .data = message}));
}

void PostOutlet::finish(mcp::Answer answer) {
  answer_ = std::move(answer);
  if (streaming_ && !answer_->body.empty()) {
    feed().push(http::to_sse({.event = "message", .data = answer_->body}));
  }
  if (feed_) feed_->close();
}

}  // namespace sallyport::transport
