#include "src/upstream/wire/http_wire.hpp"

#include "src/base/deadline.hpp"
#include "src/json/parse.hpp"
#include "src/upstream/wire/event_conversation.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::client::Conversation;
using mcp::client::MessageHeaders;
using mcp::client::Reception;

constexpr std::chrono::milliseconds kFallBack{10'000};

// All that was said is there.
class WholeConversation final : public Conversation {
 public:
  WholeConversation(Reception reception, std::deque<mcp::Message> messages)
      : reception_{std::move(reception)}, messages_{std::move(messages)} {}

  Reception const& reception() const noexcept override { return reception_; }
  Task<std::optional<mcp::Message>> next() override { co_return ready(); }
  std::optional<mcp::Message> ready() override {
    if (messages_.empty()) return std::nullopt;
    std::optional message{std::move(messages_.front())};
    messages_.pop_front();
    return message;
  }

 private:
  Reception reception_;
  std::deque<mcp::Message> messages_;
};

// An error that names no request (SDKs refuse so what they did not read) is about this one.
void name_request(json::Value& message, json::Value const& id) {
  auto* const object = message.if_object();
  if (object == nullptr || !object->contains("error")) return;
  auto& named = (*object)["id"];
  if (named.is_null()) named = id;
}

// The answer to the request with that id: one message, or a batch of them (2025-03-26).
std::deque<mcp::Message> messages_of(json::Value value, json::Value const& id) {
  std::deque<mcp::Message> messages;
  if (auto* const batch = value.if_array()) {
    for (auto& each : *batch) messages.push_back(mcp::read_message(std::move(each)));
  } else {
    name_request(value, id);
    messages.push_back(mcp::read_message(std::move(value)));
  }
  std::erase_if(messages,
                [](auto const& each) { return std::holds_alternative<mcp::Malformed>(each); });
  return messages;
}

Reception reception_of(pipeline::OutboundStream& stream) {
  auto const* const session = stream.head().headers.find("mcp-session-id");
  return {.status = stream.head().status, .session = session == nullptr ? "" : *session};
}

// It says nothing about what the server can do.
bool is_trouble(int status) {
  return status == 429 || (status >= 500 && status != 501);
}

}  // namespace

Task<std::unique_ptr<Conversation>> HttpWire::post(mcp::client::Post post) {
  auto const deadline = post.deadline;
  co_return co_await with_deadline(deadline, post_in_time(std::move(post)));
}

Task<std::unique_ptr<Conversation>> HttpWire::post_in_time(mcp::client::Post post) {
  if (sse_) co_return co_await sse_->post(std::move(post));
  HttpExchanger::Request const request{.url = exchanger_.server().url,
                                       .headers = post.headers,
                                       .body = std::move(post.message),
                                       .deadline = post.deadline,
                                       .about = post.about};
  SP_CO_TRY(auto stream, co_await exchanger_.open(request));
  auto reception = reception_of(*stream);
  bool const is_stream = essence_of(stream->head().headers) == "text/event-stream";
  if (!is_stream || reception.status != 200) {
    co_return co_await whole_answer(std::move(stream), std::move(reception), std::move(post.id));
  }
  co_return std::make_unique<EventConversation>(
      std::move(stream),
      EventConversation::About{std::move(reception), std::move(post.id), std::move(post.headers)},
      exchanger_);
}

Task<std::unique_ptr<Conversation>> HttpWire::whole_answer(
    std::unique_ptr<pipeline::OutboundStream> stream, Reception reception, json::Value id) {
  auto const type = essence_of(stream->head().headers);
  SP_CO_TRY(auto const body, co_await read_body(*stream, exchanger_.server().message_bytes));
  bool const is_json = type == "application/json" || type.ends_with("+json");
  bool const refused = reception.status >= 400;
  auto value = body.empty() || !is_json ? json::parse("") : json::parse(body);
  bool const nothing = body.empty() || reception.status == 202;
  if (!value && !nothing && !refused) {
    co_return fail(Errc::UpstreamFailed,
                   "The MCP server answered with something that is neither JSON nor events.",
                   "content type " + type);
  }
  co_return std::make_unique<WholeConversation>(
      std::move(reception),
      value ? messages_of(std::move(*value), id) : std::deque<mcp::Message>{});
}

Task<std::unique_ptr<Conversation>> HttpWire::listen(MessageHeaders headers) {
  if (sse_) co_return sse_->strays();
  HttpExchanger::Request const request{.method = "GET",
                                       .url = exchanger_.server().url,
                                       .headers = headers,
                                       .accept = "text/event-stream"};
  SP_CO_TRY(auto stream, co_await exchanger_.open(request));
  auto reception = reception_of(*stream);
  if (is_trouble(reception.status)) {
    co_return fail(Errc::UpstreamFailed,
                   fmt::format("The MCP server answered with status {}.", reception.status));
  }
  if (reception.status != 200 || essence_of(stream->head().headers) != "text/event-stream") {
    co_return fail(Errc::NotFound, "The MCP server says nothing by itself.");
  }
  co_return std::make_unique<EventConversation>(
      std::move(stream),
      EventConversation::About{std::move(reception), nullptr, std::move(headers)}, exchanger_);
}

Task<bool> HttpWire::fall_back() {
  if (sse_) co_return false;
  auto binding = co_await SseBinding::open(exchanger_, Deadline::in(kFallBack));
  if (!binding && binding.error().code == Errc::NotFound) co_return false;
  if (!binding) co_return binding.error();
  sse_ = std::move(*binding);
  co_return true;
}

Task<void> HttpWire::end_session(MessageHeaders headers) {
  if (sse_) co_return Result<void>{};
  HttpExchanger::Request const request{.method = "DELETE",
                                       .url = exchanger_.server().url,
                                       .headers = std::move(headers),
                                       .accept = "*/*"};
  SP_CO_TRY(auto const stream, co_await exchanger_.open(request));
  co_return co_await stream->close();
}

Async<void> HttpWire::close() {
  if (sse_) co_await sse_->close();
}

}  // namespace sallyport::upstream
