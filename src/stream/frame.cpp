#include "src/stream/frame.hpp"

#include "src/base/base64.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

namespace sallyport::stream {
namespace {

void write_payload(std::string& out, Frame const& frame) {
  switch (frame.kind) {
    case Frame::Kind::Data:
    case Frame::Kind::Binary:
      out += R"(,"b64":")";
      base64::append(out, frame.payload);
      out += '"';
      break;
    case Frame::Kind::Text:
      out += R"(,"text":)";
      json::write_string(frame.payload, out);
      break;
    case Frame::Kind::Event:
      out += R"(,"data":)";
      json::write_string(frame.payload, out);
      break;
    case Frame::Kind::Head:
    case Frame::Kind::Retry:
    case Frame::Kind::End:
    case Frame::Kind::Close:
    case Frame::Kind::Error: break;
  }
}

}  // namespace

std::string_view to_string(Frame::Kind kind) noexcept {
  switch (kind) {
    case Frame::Kind::Head: return "head";
    case Frame::Kind::Data: return "data";
    case Frame::Kind::Text: return "text";
    case Frame::Kind::Binary: return "binary";
    case Frame::Kind::Event: return "event";
    case Frame::Kind::Retry: return "retry";
    case Frame::Kind::End: return "end";
    case Frame::Kind::Close: return "close";
    case Frame::Kind::Error: return "error";
  }
  return "error";
}

Frame end_frame() {
  return {.kind = Frame::Kind::End};
}

Frame error_frame(Error const& error) {
  Frame frame{.kind = Frame::Kind::Error};
  frame.members = fmt::format(R"("code":"{}","message":)", sallyport::to_string(error.code));
  json::write_string(error.message, frame.members);
  return frame;
}

Frame close_frame(std::uint16_t code, std::string_view reason) {
  constexpr std::uint16_t kBroken = 1006;
  Frame frame{.kind = Frame::Kind::Close};
  frame.members = fmt::format(R"("code":{},"wasClean":{},"reason":)", code, code != kBroken);
  json::write_string(reason, frame.members);
  return frame;
}

void write_frame(std::string& out, NumberedFrame const& numbered, std::string_view further) {
  auto const& frame = *numbered.frame;
  fmt::format_to(std::back_inserter(out), R"({{"id":"{}","seq":{},"kind":"{}")", numbered.id,
                 numbered.seq, to_string(frame.kind));
  write_payload(out, frame);
  if (frame.more) out += R"(,"more":true)";
  if (!frame.members.empty()) (out += ',') += frame.members;
  out += further;
  out += '}';
}

}  // namespace sallyport::stream
