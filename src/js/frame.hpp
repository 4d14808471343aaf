// What travels between the gateway and a sandbox: frames on a stream socket, both ways.
//
//   length  4 bytes, little endian: of all that follows
//   kind    1 byte
//   call    4 bytes, little endian: which call of the script it belongs to; 0: the run itself
//   payload the rest: JSON, or bytes of a body
//
// A script numbers its calls from 1. A call is answered once (Answer); bodies go beside it in
// Chunk frames until End, each side sending no more than the other gave it credit for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::js {

enum class FrameKind : std::uint8_t {
  // To the sandbox.
  Run = 1,     // JSON: what to run: see README.md
  Answer = 2,  // JSON: {"value": …} or {"error": {"name", "message", "code"}}
  // From the sandbox.
  Console = 16,  // JSON: {"level": "log", "text": "…"}
  Call = 17,     // JSON: {"operation": "fetch", …}
  Done = 18,     // JSON: {"value"?: …, "error"?: {"name", "message", "stack", "cause"?, "line"?,
                 // "column"?}, "limit"?: "cpu" | "memory", "cpu_us", "heap_bytes"}
  // Both ways, about a body or a socket of the call.
  Chunk = 32,   // bytes; of a WebSocket, one message behind a byte that says 't' or 'b'
  End = 33,     // empty, or JSON: {"error": …}, or of a WebSocket {"code", "reason"}
  Credit = 34,  // 4 bytes: how many more bytes of Chunk the other may send
  Cancel = 35,  // empty: nobody waits for the call any longer
};

struct Frame {
  FrameKind kind{};
  std::uint32_t call{0};
  std::string payload;
};

inline constexpr std::size_t kFrameHead = 9;
inline constexpr std::size_t kLargestPayload = 16UL * 1024 * 1024;
// What a side may send of one body before it hears from the other.
inline constexpr std::uint32_t kFirstCredit = 256 * 1024;

void append_frame(std::string& out, FrameKind kind, std::uint32_t call, std::string_view payload);

// The payload of a Credit frame, and what such a payload says.
std::string credit_payload(std::uint32_t bytes);
std::uint32_t credit_in(std::string_view payload);

// Takes frames out of what has been received so far.
class FrameReader {
 public:
  void add(std::string_view bytes) { received_.append(bytes); }
  // The next whole frame, if there is one. After a frame that breaks the rules `broken()` is true
  // and there are no more.
  std::optional<Frame> next();
  bool broken() const noexcept { return broken_; }

 private:
  std::string received_;
  std::size_t begin_{0};
  bool broken_{false};
};

}  // namespace sallyport::js
