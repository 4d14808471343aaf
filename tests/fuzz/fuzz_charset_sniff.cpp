// Hostile bodies on their way to a model: what a body is, and its text as UTF-8.
//
// Whatever the bytes and the Content-Type are, the text is valid UTF-8, the same bytes give the
// same text, and a window of it is too. The first line of the input is the Content-Type.
#include "src/base/assert.hpp"
#include "src/content/charset.hpp"
#include "src/content/media_type.hpp"
#include "src/content/utf8.hpp"
#include "src/tools/paging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::content {
namespace {

void check_windows(std::string_view text) {
  std::size_t const length = 1 + text.size() / 3;
  std::size_t at = 0;
  while (at < text.size()) {
    auto const shown = tools::window(text, at, length);
    SP_ASSERT(shown && shown->start == at && shown->end > at, "every window goes on");
    auto const part = text.substr(at, shown->end - at);
    SP_ASSERT(valid_utf8_prefix(part) == part.size(), "no window cuts a character");
    at = shown->end;
  }
}

void check(std::string_view content_type, std::string_view body) {
  auto const type = MediaType::parse(content_type);
  auto const sniffed = sniff(body, type);
  SP_ASSERT((sniffed.kind == Kind::Empty) == body.empty(), "only nothing is empty");
  SP_ASSERT(body.empty() || !sniffed.essence.empty(), "what there is has a type");
  for (bool const html : {false, true}) {
    auto const decoded = to_utf8(std::string{body}, type.charset, html);
    SP_ASSERT(valid_utf8_prefix(decoded.text) == decoded.text.size(), "the text is UTF-8");
    SP_ASSERT(!decoded.charset.empty(), "the charset has a name");
    auto const again = to_utf8(std::string{body}, type.charset, html);
    SP_ASSERT(again.text == decoded.text, "decoding keeps no state");
    check_windows(decoded.text);
  }
}

}  // namespace
}  // namespace sallyport::content

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const input{reinterpret_cast<char const*>(data), size};
  auto const line = std::min(input.find('\n'), input.size());
  auto const rest = input.substr(line);
  sallyport::content::check(input.substr(0, line), rest.empty() ? rest : rest.substr(1));
  return 0;
}
