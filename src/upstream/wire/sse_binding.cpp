#include "src/upstream/wire/sse_binding.hpp"

#include "src/base/deadline.hpp"
#include "src/json/parse.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::upstream {

Task<std::unique_ptr<SseBinding>> SseBinding::open(HttpExchanger& exchanger, Deadline deadline) {
  HttpExchanger::Request const request{.method = "GET",
                                       .url = exchanger.server().url,
                                       .accept = "text/event-stream",
                                       .deadline = deadline};
  SP_CO_TRY(auto stream, co_await exchanger.open(request));
  auto const& head = stream->head();
  if (head.status != 200 || essence_of(head.headers) != "text/event-stream") {
    co_return fail(Errc::NotFound, "The server offers no event stream.");
  }
  std::unique_ptr<SseBinding> binding{
      new SseBinding{exchanger, std::move(stream), co_await asio::this_coro::executor}};
  SP_CO_CHECK(co_await with_deadline(deadline, binding->find_endpoint()));
  binding->group_.spawn("events of an MCP server", binding->read());
  co_return std::move(binding);
}

SseBinding::SseBinding(HttpExchanger& exchanger, std::unique_ptr<pipeline::OutboundStream> stream,
                       Executor executor)
    : exchanger_{exchanger},
      stream_{std::move(stream)},
      parser_{exchanger.server().message_bytes},
      switchboard_{executor},
      group_{executor, [](std::string_view, Error const&) {}} {}

Task<void> SseBinding::find_endpoint() {
  std::vector<http::SseItem> items;
  while (!endpoint_) {
    SP_CO_TRY(auto const piece, co_await stream_->next());
    if (!piece)
      co_return fail(Errc::NotFound, "The event stream ended before it named an address.");
    items.clear();
    SP_CO_CHECK(parser_.feed(*piece, items));
    for (auto const& item : items) SP_CO_CHECK(take(item));
  }
  co_return Result<void>{};
}

Result<void> SseBinding::take(http::SseItem const& item) {
  if (item.kind != http::SseItem::Kind::Event) return {};
  if (item.event == "endpoint" && !endpoint_) {
    auto endpoint = url::Url::parse(item.data, &exchanger_.server().url);
    // SECURITY: our credentials go there.
    if (!endpoint || endpoint->origin() != exchanger_.server().url.origin()) {
      return fail(Errc::UpstreamFailed,
                  "The MCP server names an address of another server for our messages.");
    }
    endpoint_ = std::move(*endpoint);
    return {};
  }
  auto value = item.event == "message" ? json::parse(item.data) : json::parse("");
  if (value) switchboard_.receive(mcp::read_message(std::move(*value)));
  return {};
}

Task<void> SseBinding::read() {
  std::vector<http::SseItem> items;
  for (;;) {
    auto piece = co_await stream_->next();
    if (!piece || !*piece) {
      auto const why = piece ? "The MCP server closed its event stream." : piece.error().message;
      switchboard_.end(fail(Errc::UpstreamFailed, why));
      co_return Result<void>{};
    }
    items.clear();
    auto const fed = parser_.feed(**piece, items);
    for (auto const& item : items) (void)take(item);
    if (fed) continue;
    switchboard_.end(fed.error());
    co_return Result<void>{};
  }
}

Task<std::unique_ptr<mcp::client::Conversation>> SseBinding::post(mcp::client::Post post) {
  auto conversation = switchboard_.open(post.id);
  HttpExchanger::Request const request{.url = *endpoint_,
                                       .headers = std::move(post.headers),
                                       .body = std::move(post.message),
                                       .accept = "*/*",
                                       .deadline = post.deadline,
                                       .about = post.about};
  SP_CO_TRY(auto const stream, co_await exchanger_.open(request));
  auto const status = stream->head().status;
  SP_CO_CHECK(co_await stream->close());
  if (status == 404) {
    // The stream may go on, of a server that is gone: nobody told us.
    switchboard_.end(fail(Errc::UpstreamFailed, "The MCP server has forgotten the session."));
  }
  if (status >= 400) {
    co_return fail(Errc::UpstreamFailed,
                   fmt::format("The MCP server answered with status {}.", status));
  }
  co_return std::move(conversation);
}

Async<void> SseBinding::close() {
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
}

}  // namespace sallyport::upstream
