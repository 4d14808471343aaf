#include "src/http/chunked.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sallyport::http {
namespace {

constexpr std::size_t kMaxOverhead = 8UL * 1024;
constexpr std::size_t kMaxSizeDigits = 15;  // fits into 64 bits without a check for overflow

}  // namespace

ChunkedDecoder::State ChunkedDecoder::decode(std::string_view& received, std::string& body) {
  while (!received.empty()) {
    auto state = State::More;
    if (at_ == At::Data) {
      state = take_data(received, body);
    } else {
      auto const c = received.front();
      received.remove_prefix(1);
      state = take_byte(c);
    }
    if (state != State::More) return state;
  }
  return State::More;
}

ChunkedDecoder::State ChunkedDecoder::take_data(std::string_view& received, std::string& body) {
  auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(size_, received.size()));
  body.append(received.substr(0, count));
  received.remove_prefix(count);
  size_ -= count;
  if (size_ == 0) at_ = At::DataCr;
  return State::More;
}

ChunkedDecoder::State ChunkedDecoder::take_byte(char c) noexcept {
  switch (at_) {
    case At::Size: return take_size_byte(c);
    case At::Extension:
      if (c == '\r') {
        at_ = At::SizeEnd;
        return State::More;
      }
      return is_field_value_char(c) && ++overhead_ <= kMaxOverhead ? State::More : State::Malformed;
    case At::SizeEnd:
      if (c != '\n') return State::Malformed;
      digits_ = 0;
      // Announced is as good as sent: nobody has to receive what will be refused.
      if (size_ > max_body_ - taken_) return State::TooLarge;
      taken_ += static_cast<std::size_t>(size_);
      line_empty_ = true;
      at_ = size_ == 0 ? At::Trailer : At::Data;
      return State::More;
    case At::DataCr: at_ = At::DataLf; return c == '\r' ? State::More : State::Malformed;
    case At::DataLf: at_ = At::Size; return c == '\n' ? State::More : State::Malformed;
    case At::Trailer:
    case At::TrailerLf: return take_trailer_byte(c);
    case At::Data: break;  // decode() takes data in one piece
  }
  return State::Malformed;
}

ChunkedDecoder::State ChunkedDecoder::take_size_byte(char c) noexcept {
  auto const digit = hex_value(c);
  if (digit >= 0) {
    if (++digits_ > kMaxSizeDigits) return State::Malformed;
    size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
    return State::More;
  }
  if (digits_ == 0 || (c != ';' && c != '\r')) return State::Malformed;
  at_ = c == ';' ? At::Extension : At::SizeEnd;
  return State::More;
}

ChunkedDecoder::State ChunkedDecoder::take_trailer_byte(char c) noexcept {
  if (at_ == At::TrailerLf) {
    if (c != '\n') return State::Malformed;
    if (line_empty_) return State::Done;
    line_empty_ = true;
    at_ = At::Trailer;
    return State::More;
  }
  if (c == '\r') {
    at_ = At::TrailerLf;
    return State::More;
  }
  line_empty_ = false;
  return is_field_value_char(c) && ++overhead_ <= kMaxOverhead ? State::More : State::Malformed;
}

void append_chunk_head(std::string& out, std::size_t size) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", size);
}

}  // namespace sallyport::http
