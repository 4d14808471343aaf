#include "src/upstream/wire/event_conversation.hpp"

#include "src/json/parse.hpp"
#include "src/mcp/revision.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr int kMostResumed = 5;  // without a new event
constexpr std::chrono::milliseconds kLongestRetry{60'000};

std::string_view header_in(mcp::client::MessageHeaders const& headers, std::string_view name) {
  auto const found = std::ranges::find(headers, name, [](auto const& each) { return each.first; });
  return found == headers.end() ? std::string_view{} : found->second;
}

}  // namespace

EventConversation::EventConversation(std::unique_ptr<pipeline::OutboundStream> stream, About about,
                                     HttpExchanger& exchanger)
    : stream_{std::move(stream)},
      about_{std::move(about)},
      exchanger_{exchanger},
      parser_{exchanger.server().message_bytes} {}

Task<std::optional<mcp::Message>> EventConversation::next() {
  while (!over_) {
    while (!items_.empty()) {
      auto message = take(std::move(items_.front()));
      items_.pop_front();
      if (message) co_return std::move(message);
    }
    auto const more = co_await read_more();
    bool const broke = !more && more.error().code == Errc::UpstreamFailed;
    if (!more && !broke) co_return more.error();
    if (more && *more) continue;
    if (!can_resume()) {
      over_ = true;
      if (broke) co_return more.error();
      break;
    }
    SP_CO_CHECK(co_await resume());
  }
  co_return std::optional<mcp::Message>{};
}

// False at the end of the stream.
Task<bool> EventConversation::read_more() {
  SP_CO_TRY(auto const piece, co_await stream_->next());
  if (!piece) co_return false;
  std::vector<http::SseItem> items;
  SP_CO_CHECK(parser_.feed(*piece, items));
  if (!items.empty()) resumed_in_vain_ = 0;
  std::ranges::move(items, std::back_inserter(items_));
  co_return true;
}

std::optional<mcp::Message> EventConversation::take(http::SseItem item) {
  if (item.kind == http::SseItem::Kind::Retry) {
    retry_ = std::min(item.retry, kLongestRetry);
    return std::nullopt;
  }
  if (item.event != "message" || item.data.empty()) return std::nullopt;
  auto value = json::parse(item.data);
  // What is no message is no concern of anybody's: a proxy may have put it there.
  if (!value) return std::nullopt;
  auto message = mcp::read_message(std::move(*value));
  if (std::holds_alternative<mcp::Malformed>(message)) return std::nullopt;
  auto const* const response = std::get_if<mcp::ResponseMessage>(&message);
  over_ = response != nullptr && !about_.id.is_null() && response->id == about_.id;
  return message;
}

bool EventConversation::can_resume() const {
  auto const version = header_in(about_.headers, "MCP-Protocol-Version");
  return !parser_.last_event_id().empty() && !about_.id.is_null() &&
         !mcp::names_modern_era(version) && resumed_in_vain_ < kMostResumed;
}

Task<void> EventConversation::resume() {
  ++resumed_in_vain_;
  SP_CO_CHECK(co_await stream_->close());
  Timer pause{co_await asio::this_coro::executor, retry_};
  auto const [interrupted] = co_await pause.async_wait(use_tuple);
  if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
  HttpExchanger::Request request{.method = "GET",
                                 .url = exchanger_.server().url,
                                 .headers = {{"Last-Event-ID", parser_.last_event_id()}},
                                 .accept = "text/event-stream"};
  for (auto const* const name : {"MCP-Protocol-Version", "Mcp-Session-Id"}) {
    auto const value = header_in(about_.headers, name);
    if (!value.empty()) request.headers.emplace_back(name, value);
  }
  SP_CO_TRY(stream_, co_await exchanger_.open(request));
  if (stream_->head().status != 200 || essence_of(stream_->head().headers) != "text/event-stream") {
    co_return fail(Errc::UpstreamFailed,
                   "The MCP server broke off its answer and does not take it up again.");
  }
  parser_ = http::SseParser{exchanger_.server().message_bytes, parser_.last_event_id()};
  co_return Result<void>{};
}

}  // namespace sallyport::upstream
