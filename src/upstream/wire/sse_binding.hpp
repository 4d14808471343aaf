// HTTP+SSE (2024-11-05): the server names, on a standing event stream, where messages are posted,
// and answers all of them on that stream.
#pragma once

#include "src/base/task_group.hpp"
#include "src/http/sse_parser.hpp"
#include "src/upstream/wire/http_exchange.hpp"
#include "src/upstream/wire/switchboard.hpp"

#include <memory>

namespace sallyport::upstream {

class SseBinding {
 public:
  // Fails with NotFound where the server does not speak it. `exchanger` outlives it.
  static Task<std::unique_ptr<SseBinding>> open(HttpExchanger& exchanger, Deadline deadline);

  SseBinding(SseBinding const&) = delete;
  SseBinding& operator=(SseBinding const&) = delete;

  Task<std::unique_ptr<mcp::client::Conversation>> post(mcp::client::Post post);
  std::unique_ptr<mcp::client::Conversation> strays() { return switchboard_.strays(); }

  // Whether the server still answers here. One that does not is opened anew.
  bool is_open() const noexcept { return !switchboard_.has_ended(); }

  // Must have returned before it is destroyed.
  Async<void> close();

 private:
  SseBinding(HttpExchanger& exchanger, std::unique_ptr<pipeline::OutboundStream> stream,
             Executor executor);

  Task<void> find_endpoint();
  Task<void> read();
  Result<void> take(http::SseItem const& item);

  HttpExchanger& exchanger_;
  std::unique_ptr<pipeline::OutboundStream> stream_;
  http::SseParser parser_;
  std::optional<url::Url> endpoint_;
  Switchboard switchboard_;
  TaskGroup group_;
};

}  // namespace sallyport::upstream
