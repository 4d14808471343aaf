#include "src/stream/pumps.hpp"

#include "src/content/utf8.hpp"
#include "src/http/sse_parser.hpp"
#include "src/json/write.hpp"
#include "src/stream/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::stream {
namespace {

constexpr std::size_t kFramePayload = Limits{}.frame_bytes;

// Where to cut a text of which at most `most` bytes fit: between characters.
std::size_t whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  while (most > 0 && content::is_utf8_continuation(text[most])) --most;
  return most;
}

std::string text_of(std::string bytes) {
  bool replaced = false;
  return content::mended_utf8(std::move(bytes), replaced);
}

Frame event_frame(http::SseItem item) {
  if (item.kind == http::SseItem::Kind::Retry) {
    return {.kind = Frame::Kind::Retry,
            .members = fmt::format(R"("retry":{})", item.retry.count())};
  }
  Frame frame{.kind = Frame::Kind::Event, .payload = text_of(std::move(item.data))};
  frame.members = R"("event":)";
  json::write_string(text_of(std::move(item.event)), frame.members);
  frame.members += R"(,"lastEventId":)";
  json::write_string(text_of(*item.last_event_id), frame.members);
  return frame;
}

// In as many frames as it takes, each when there is room for it. `more` says whether they belong
// together.
Task<void> add_in_frames(Stream& to, Frame::Kind kind, std::string data, bool is_message) {
  std::string_view rest{data};
  while (rest.size() > kFramePayload) {
    auto const size =
        kind == Frame::Kind::Text ? whole_characters(rest, kFramePayload) : kFramePayload;
    to.add({.kind = kind, .payload = std::string{rest.substr(0, size)}, .more = is_message});
    rest.remove_prefix(size);
    SP_CO_CHECK(co_await to.room());
  }
  if (rest.size() == data.size()) {
    to.add({.kind = kind, .payload = std::move(data)});
  } else {
    to.add({.kind = kind, .payload = std::string{rest}});
  }
  co_return Result<void>{};
}

Task<void> send_piece(pipeline::OutboundSocket& to, Piece piece) {
  if (piece.kind == Piece::Kind::Close) {
    co_return co_await to.close(piece.code, std::move(piece.data));
  }
  bool const is_text = piece.kind == Piece::Kind::Text;
  co_return co_await to.send({.text = is_text, .data = std::move(piece.data)});
}

}  // namespace

Task<void> pump_body(std::shared_ptr<Stream> to, std::unique_ptr<pipeline::OutboundStream> from) {
  for (;;) {
    SP_CO_CHECK(co_await to->room());
    SP_CO_TRY(auto piece, co_await from->next());
    if (!piece) break;
    SP_CO_CHECK(co_await add_in_frames(*to, Frame::Kind::Data, std::move(*piece), false));
  }
  to->add(end_frame());
  co_return Result<void>{};
}

Task<void> pump_events(std::shared_ptr<Stream> to, std::unique_ptr<pipeline::OutboundStream> from,
                       std::size_t event_bytes, std::string last_event_id) {
  http::SseParser parser{event_bytes, std::move(last_event_id)};
  for (;;) {
    SP_CO_CHECK(co_await to->room());
    SP_CO_TRY(auto const piece, co_await from->next());
    if (!piece) break;
    std::vector<http::SseItem> items;
    auto const parsed = parser.feed(*piece, items);
    for (auto& item : items) {
      // Each by itself: a short event may have a long id.
      SP_CO_CHECK(co_await to->room());
      to->add(event_frame(std::move(item)));
    }
    SP_CO_CHECK(parsed);
  }
  to->add(end_frame());
  co_return Result<void>{};
}

Task<void> pump_messages(std::shared_ptr<Stream> to,
                         std::shared_ptr<pipeline::OutboundSocket> from) {
  for (;;) {
    SP_CO_CHECK(co_await to->room());
    SP_CO_TRY(auto message, co_await from->next());
    if (!message) break;
    auto const kind = message->text ? Frame::Kind::Text : Frame::Kind::Binary;
    SP_CO_CHECK(co_await add_in_frames(*to, kind, std::move(message->data), true));
  }
  auto const& closing = from->closing();
  to->add(close_frame(closing.code, closing.reason));
  co_return Result<void>{};
}

Task<void> send_body(std::shared_ptr<Stream> from, egress::BodyWriter to) {
  for (;;) {
    SP_CO_TRY(auto piece, co_await from->next_piece());
    if (!piece) co_return Result<void>{};
    auto const cost = cost_of(*piece);
    Result<void> done;
    switch (piece->kind) {
      case Piece::Kind::End: done = to.finish(); break;
      case Piece::Kind::Abort:
        to.fail(fail(Errc::Cancelled, "The app gave up its upload."));
        done = fail(Errc::Cancelled, "The upload was given up.");
        break;
      case Piece::Kind::Bytes:
      case Piece::Kind::Text:
      case Piece::Kind::Binary:
      case Piece::Kind::Close: done = co_await to.write(std::move(piece->data)); break;
    }
    from->sent(cost);
    // Why the exchange is over is for the frames to say: an answer may have come early.
    if (!done || piece->kind == Piece::Kind::End) {
      from->end_uplink(done ? fail(Errc::InvalidInput, "The body has ended.") : done.error());
      co_return Result<void>{};
    }
  }
}

Task<void> send_messages(std::shared_ptr<Stream> from,
                         std::shared_ptr<pipeline::OutboundSocket> to) {
  for (;;) {
    SP_CO_TRY(auto piece, co_await from->next_piece());
    if (!piece) co_return Result<void>{};
    auto const cost = cost_of(*piece);
    auto const done = co_await send_piece(*to, std::move(*piece));
    from->sent(cost);
    if (!done) {
      // How it closed is for the frames to say.
      from->end_uplink(done.error());
      co_return Result<void>{};
    }
  }
}

}  // namespace sallyport::stream
