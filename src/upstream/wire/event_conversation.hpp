// What a server says on an event stream. A stream that breaks before the response is taken up again
// from its last event, where the server gave its events ids (up to 2025-11-25).
#pragma once

#include "src/http/sse_parser.hpp"
#include "src/upstream/wire/http_exchange.hpp"

#include <chrono>
#include <deque>

namespace sallyport::upstream {

class EventConversation final : public mcp::client::Conversation {
 public:
  struct About {
    mcp::client::Reception reception;
    json::Value id;                       // whose response ends it; null: none does
    mcp::client::MessageHeaders headers;  // of the request that began it
  };

  // `exchanger` outlives it.
  EventConversation(std::unique_ptr<pipeline::OutboundStream> stream, About about,
                    HttpExchanger& exchanger);

  mcp::client::Reception const& reception() const noexcept override { return about_.reception; }
  Task<std::optional<mcp::Message>> next() override;

 private:
  Task<bool> read_more();
  Task<void> resume();
  bool can_resume() const;
  std::optional<mcp::Message> take(http::SseItem item);

  std::unique_ptr<pipeline::OutboundStream> stream_;
  About about_;
  HttpExchanger& exchanger_;
  http::SseParser parser_;
  std::deque<http::SseItem> items_;
  std::chrono::milliseconds retry_{1'000};
  int resumed_in_vain_{0};
  bool over_{false};
};

}  // namespace sallyport::upstream
