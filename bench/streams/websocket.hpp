// As much of RFC 6455 as the origin and the client of `./dev bench streams` need: whole messages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/streams/wire.hpp"

namespace bench {

struct WebSocketFrame {
  std::uint8_t opcode{0};
  std::string_view payload;  // valid until more is received
  std::size_t size{0};       // with its head: what to skip
};

// A client masks what it sends, with zeros here: who receives it must do the work all the same.
inline void write_frame(std::string& out, std::uint8_t opcode, std::string_view payload,
                        bool masked) {
  auto const bit = static_cast<std::uint8_t>(masked ? 0x80 : 0);
  out += static_cast<char>(0x80U | opcode);
  if (payload.size() < 126) {
    out += static_cast<char>(bit | payload.size());
  } else {
    out += static_cast<char>(bit | 127U);
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(payload.size() >> shift);
  }
  if (masked) out.append(4, '\0');
  out += payload;
}

// Unmasked in place.
inline std::optional<WebSocketFrame> read_frame(Wire& wire) {
  if (!wire.hold(2)) return std::nullopt;
  auto const byte = [&](std::size_t at) -> std::uint64_t {
    return static_cast<unsigned char>(wire.held()[at]);
  };
  bool const masked = (byte(1) & 0x80U) != 0;
  auto size = byte(1) & 0x7FU;
  std::size_t at = 2;
  if (size >= 126) {
    std::size_t const wide = size == 126 ? 2 : 8;
    if (!wire.hold(2 + wide)) return std::nullopt;
    size = 0;
    for (; at < 2 + wide; ++at) size = (size << 8U) | byte(at);
  }
  std::size_t const mask_at = at;
  if (masked) at += 4;
  if (!wire.hold(at + size)) return std::nullopt;
  auto* const data = const_cast<char*>(wire.held().data());
  for (std::size_t i = 0; masked && i < size; ++i) {
    data[at + i] = static_cast<char>(data[at + i] ^ data[mask_at + i % 4]);
  }
  return WebSocketFrame{static_cast<std::uint8_t>(byte(0) & 0x0FU), {data + at, size}, at + size};
}

}  // namespace bench
