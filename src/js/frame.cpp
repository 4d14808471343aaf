#include "src/js/frame.hpp"

#include <utility>

namespace sallyport::js {
namespace {

constexpr std::size_t kLengthBytes = 4;

void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xFFU);
}

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4 && i < bytes.size(); ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return number;
}

}  // namespace

void append_frame(std::string& out, FrameKind kind, std::uint32_t call, std::string_view payload) {
  append_number(out, static_cast<std::uint32_t>(kFrameHead - kLengthBytes + payload.size()));
  out += static_cast<char>(kind);
  append_number(out, call);
  out += payload;
}

std::string credit_payload(std::uint32_t bytes) {
  std::string payload;
  append_number(payload, bytes);
  return payload;
}

std::uint32_t credit_in(std::string_view payload) {
  return number_at(payload);
}

std::optional<Frame> FrameReader::next() {
  auto const rest = std::string_view{received_}.substr(begin_);
  if (broken_ || rest.size() < kFrameHead) return std::nullopt;
  std::size_t const length = number_at(rest);
  if (length < kFrameHead - kLengthBytes || length > kFrameHead - kLengthBytes + kLargestPayload) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < kLengthBytes + length) {
    received_.erase(0, std::exchange(begin_, 0));
    return std::nullopt;
  }
  Frame frame{.kind = static_cast<FrameKind>(rest[kLengthBytes]),
              .call = number_at(rest.substr(kLengthBytes + 1)),
              .payload = std::string{rest.substr(kFrameHead, kLengthBytes + length - kFrameHead)}};
  begin_ += kLengthBytes + length;
  if (begin_ == received_.size()) {
    received_.clear();
    begin_ = 0;
  }
  return frame;
}

}  // namespace sallyport::js
