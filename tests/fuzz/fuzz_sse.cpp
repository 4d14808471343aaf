// A hostile event stream: it gives the same events in whatever pieces it comes, and none is larger
// than allowed.
#include "src/base/assert.hpp"
#include "src/http/sse_parser.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sallyport::http {
namespace {

constexpr std::size_t kLargest = 200;

bool read_all(std::string_view bytes, std::size_t piece, std::vector<SseItem>& items) {
  SseParser parser{kLargest};
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (!parser.feed(bytes.substr(0, piece), items)) return false;
  }
  return true;
}

std::string_view id_of(SseItem const& item) {
  return item.last_event_id ? std::string_view{*item.last_event_id} : std::string_view{};
}

void check(std::size_t piece, std::string_view bytes) {
  std::vector<SseItem> whole;
  std::vector<SseItem> pieces;
  bool const fits = read_all(bytes, bytes.size() + 1, whole);
  bool const fits_in_pieces = read_all(bytes, piece, pieces);
  SP_ASSERT(fits == fits_in_pieces, "the limit does not depend on the pieces");
  SP_ASSERT(whole.size() == pieces.size(), "the same events");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    SP_ASSERT(whole[i].data == pieces[i].data && whole[i].event == pieces[i].event &&
                  id_of(whole[i]) == id_of(pieces[i]) && whole[i].retry == pieces[i].retry,
              "the same events");
    SP_ASSERT(whole[i].data.size() <= kLargest, "no event is too large");
  }
}

}  // namespace
}  // namespace sallyport::http

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  sallyport::http::check(data[0] % 16 + 1U, {reinterpret_cast<char const*>(data) + 1, size - 1});
  return 0;
}
