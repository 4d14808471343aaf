// The chunked transfer coding (RFC 9112, section 7.1), both directions. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::http {

// Takes a chunked body apart, strictly: sizes are hex digits, every line ends in CRLF. Extensions
// and trailers are read and dropped; together they may not grow beyond a few KiB.
class ChunkedDecoder {
 public:
  enum class State { More, Done, Malformed, TooLarge };

  explicit ChunkedDecoder(std::size_t max_body) noexcept : max_body_{max_body} {}

  // Decodes from the front of `received`, takes off what it used, appends the content to `body`.
  State decode(std::string_view& received, std::string& body);

 private:
  enum class At { Size, Extension, SizeEnd, Data, DataCr, DataLf, Trailer, TrailerLf };

  State take_data(std::string_view& received, std::string& body);
  State take_byte(char c) noexcept;
  State take_size_byte(char c) noexcept;
  State take_trailer_byte(char c) noexcept;

  std::size_t max_body_;
  std::size_t taken_{0};     // content bytes so far
  std::uint64_t size_{0};    // of the chunk at hand: what is left of it
  std::size_t digits_{0};    // of the size line
  std::size_t overhead_{0};  // bytes of extensions and trailers
  bool line_empty_{true};    // of the trailer line at hand
  At at_{At::Size};
};

// "1a\r\n": what stands before a piece of `size` bytes; "\r\n" stands after it. Not for 0.
void append_chunk_head(std::string& out, std::size_t size);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace sallyport::http
