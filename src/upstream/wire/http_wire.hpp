// The way to an MCP server over HTTP: Streamable HTTP, and HTTP+SSE where a server is that old.
#pragma once

#include "src/upstream/wire/http_exchange.hpp"
#include "src/upstream/wire/sse_binding.hpp"

#include <memory>

namespace sallyport::upstream {

class HttpWire final : public mcp::client::Wire {
 public:
  // All outlive it; `authorizer` may be nothing.
  HttpWire(HttpServer server, pipeline::Road& road, http::Authorizer* authorizer)
      : exchanger_{std::move(server), road, authorizer} {}

  bool is_http() const noexcept override { return true; }
  Task<std::unique_ptr<mcp::client::Conversation>> post(mcp::client::Post post) override;
  Task<std::unique_ptr<mcp::client::Conversation>> listen(
      mcp::client::MessageHeaders headers) override;
  Task<bool> fall_back() override;
  Task<void> end_session(mcp::client::MessageHeaders headers) override;

  // Whether it can still be used: not after the stream of an older server (HTTP+SSE) has ended.
  bool is_alive() const noexcept { return !sse_ || sse_->is_open(); }

  // Must have returned before it is destroyed.
  Async<void> close();

 private:
  Task<std::unique_ptr<mcp::client::Conversation>> post_in_time(mcp::client::Post post);
  Task<std::unique_ptr<mcp::client::Conversation>> whole_answer(
      std::unique_ptr<pipeline::OutboundStream> stream, mcp::client::Reception reception,
      json::Value id);

  HttpExchanger exchanger_;
  std::unique_ptr<SseBinding> sse_;  // where the server wants that
};

}  // namespace sallyport::upstream
