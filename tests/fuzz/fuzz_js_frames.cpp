// Frames from a sandbox: however they arrive in pieces, the same ones come out, and what comes out
// is what went in. The first byte says how large the pieces are.
#include "src/base/assert.hpp"
#include "src/js/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace js = sallyport::js;

namespace {

struct Read {
  std::string frames;  // written again
  bool broken{false};
};

Read read(std::string_view bytes, std::size_t piece) {
  js::FrameReader reader;
  Read result;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.add(bytes.substr(at, piece));
    while (auto const frame = reader.next()) {
      js::append_frame(result.frames, frame->kind, frame->call, frame->payload);
    }
  }
  result.broken = reader.broken();
  SP_ASSERT(!reader.next(), "nothing is left");
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  auto const pieces = read(bytes, std::size_t{data[0]} + 1);
  SP_ASSERT(pieces.frames == whole.frames, "pieces make no difference");
  SP_ASSERT(pieces.broken == whole.broken, "nor for what is refused");
  SP_ASSERT(bytes.starts_with(whole.frames), "what is read is what was sent");
  return 0;
}
