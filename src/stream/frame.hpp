// What a stream has to say, and how that stands in a result (docs/streams.md, "Frames").
#pragma once

#include "src/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::stream {

struct Frame {
  enum class Kind { Head, Data, Text, Binary, Event, Retry, End, Close, Error };
  Kind kind{Kind::Data};
  std::string payload{};  // what credit counts: bytes, a text, or the data of an event
  std::string members{};  // further members as JSON text, without braces
  bool more{false};       // the message goes on in the next frame

  // Nothing comes after it.
  bool is_last() const noexcept {
    return kind == Kind::End || kind == Kind::Close || kind == Kind::Error;
  }
};

std::string_view to_string(Frame::Kind kind) noexcept;

Frame end_frame();
Frame error_frame(Error const& error);
Frame close_frame(std::uint16_t code, std::string_view reason);

// A frame with its place, to be written outside of any lock.
struct NumberedFrame {
  std::string id;  // of its stream
  std::uint64_t seq{0};
  std::shared_ptr<Frame const> frame;
};

// Appends it as a JSON object. `further` are members besides, as text that begins with a comma.
void write_frame(std::string& out, NumberedFrame const& frame, std::string_view further = {});

}  // namespace sallyport::stream
