#include "src/js/script_call.hpp"

#include "src/json/write.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::js {

json::Object error_payload(Error const& error) {
  return {
      {"error", {{"name", "Error"}, {"message", error.message}, {"code", to_string(error.code)}}}};
}

ScriptCall::ScriptCall(std::uint32_t id, CallShare& share, Executor executor)
    : id_{id}, share_{share}, changed_{executor} {}

Task<void> ScriptCall::serve() {
  auto const done = co_await capture(perform());
  if (!done && done.error().code != Errc::Cancelled) tell(done.error());
  co_return Result<void>{};
}

void ScriptCall::tell(Error const& error) {
  auto const kind = std::exchange(answered_, true) ? FrameKind::End : FrameKind::Answer;
  share_.socket.send(kind, id_, error_payload(error));
}

void ScriptCall::chunk(std::string bytes) {
  pieces_.push_back({false, std::move(bytes)});
  changed_.raise();
}

void ScriptCall::end(std::string payload) {
  pieces_.push_back({true, std::move(payload)});
  changed_.raise();
}

void ScriptCall::credit(std::size_t bytes) {
  credit_ += static_cast<std::int64_t>(bytes);
  changed_.raise();
}

Task<ScriptCall::Piece> ScriptCall::next_piece() {
  while (pieces_.empty()) SP_CO_CHECK(co_await changed_.wait());
  auto piece = std::move(pieces_.front());
  pieces_.pop_front();
  if (!piece.last) {
    SP_CO_CHECK(spend(piece.bytes.size()));
    share_.socket.send_credit(id_, piece.bytes.size());
  }
  co_return std::move(piece);
}

Task<void> ScriptCall::send_piece(std::string_view bytes) {
  SP_CO_CHECK(spend(bytes.size()));
  while (!bytes.empty()) {
    while (credit_ <= 0) SP_CO_CHECK(co_await changed_.wait());
    auto const part = bytes.substr(0, static_cast<std::size_t>(credit_));
    credit_ -= static_cast<std::int64_t>(part.size());
    bytes.remove_prefix(part.size());
    share_.socket.send(FrameKind::Chunk, id_, part);
  }
  co_return Result<void>{};
}

Task<void> ScriptCall::send_message(std::string_view bytes) {
  SP_CO_CHECK(spend(bytes.size()));
  while (credit_ <= 0) SP_CO_CHECK(co_await changed_.wait());
  credit_ -= static_cast<std::int64_t>(bytes.size());
  share_.socket.send(FrameKind::Chunk, id_, bytes);
  co_return Result<void>{};
}

void ScriptCall::answer(json::Value value) {
  answered_ = true;
  share_.socket.send(FrameKind::Answer, id_, json::Object{{"value", std::move(value)}});
}

void ScriptCall::send_end(json::Object const& payload) {
  if (payload.empty()) return share_.socket.send(FrameKind::End, id_, std::string_view{});
  share_.socket.send(FrameKind::End, id_, payload);
}

Result<void> ScriptCall::spend(std::size_t bytes) {
  if (bytes > share_.body_bytes_left) {
    return fail(Errc::LimitExceeded, "The bodies of this run are larger than it may move.");
  }
  share_.body_bytes_left -= bytes;
  return {};
}

}  // namespace sallyport::js
