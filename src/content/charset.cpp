#include "src/content/charset.hpp"

#include "src/content/charset_prescan.hpp"
#include "src/content/encoding.hpp"
#include "src/content/utf8.hpp"

#include <algorithm>
#include <memory>
#include <uchardet/uchardet.h>
#include <utility>

namespace sallyport::content {
namespace {

struct Mark {
  std::string_view bytes;
  std::string_view label;
};

constexpr Mark kByteOrderMarks[] = {
    {"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"}};

// What detection falls back to, as browsers do for the western web.
constexpr std::string_view kFallback{"windows-1252"};

bool is_utf16(Encoding const& encoding) noexcept {
  return encoding.name.starts_with("utf-16");
}

// A <meta> that was read byte by byte cannot be UTF-16, whatever it says (the HTML Standard).
Encoding const* named_by_document(std::string_view bytes, bool html) {
  auto const* encoding = encoding_of(xml_charset(bytes));
  if (encoding == nullptr && html) encoding = encoding_of(meta_charset(bytes));
  if (encoding != nullptr && is_utf16(*encoding)) return encoding_of("utf-8");
  return encoding;
}

struct Delete {
  void operator()(uchardet_t detector) const noexcept { uchardet_delete(detector); }
};

// The part of a text that tells its encoding: without most of the long stretches of ASCII, such as
// scripts and markup. Short, because the detector takes 10 ms for 64 KiB.
std::string telling_part(std::string_view bytes) {
  constexpr std::size_t kEnough = 8UL * 1024;
  constexpr std::size_t kContext = 16;
  std::string part;
  std::size_t ascii = 0;  // how many since the last other byte
  for (std::size_t i = 0; i < bytes.size() && part.size() < kEnough; ++i) {
    bool const is_ascii = static_cast<unsigned char>(bytes[i]) < 0x80;
    if (is_ascii && ++ascii > kContext) continue;
    if (!is_ascii) {
      auto const skipped = ascii > kContext ? std::min(ascii - kContext, kContext) : 0;
      part.append(bytes.substr(i - skipped, skipped));
      ascii = 0;
    }
    part.push_back(bytes[i]);
  }
  return part;
}

Encoding const* by_statistics(std::string_view sample) {
  std::unique_ptr<uchardet, Delete> const detector{uchardet_new()};
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) == 0) {
    uchardet_data_end(detector.get());
  }
  auto const* const found = encoding_of(uchardet_get_charset(detector.get()));
  // We only get here with what is not UTF-8.
  bool const usable = found != nullptr && found->name != "utf-8" && !is_utf16(*found);
  return usable ? found : encoding_of(kFallback);
}

Encoding const* detected(std::string_view bytes) {
  if (auto const* const utf16 = encoding_of(utf16_without_mark(bytes))) return utf16;
  auto const valid = valid_utf8_prefix(bytes);
  // ISO-2022-JP is all ASCII; its escape sequences give it away.
  auto const escape = bytes.find("\x1B$");
  if (escape != std::string_view::npos && valid == bytes.size()) {
    auto const* const found = by_statistics(bytes.substr(escape, 8UL * 1024));
    return found->name == "iso-2022-jp" ? found : encoding_of("utf-8");
  }
  if (valid == bytes.size() || is_damaged_utf8(bytes)) return encoding_of("utf-8");
  return by_statistics(telling_part(bytes));
}

Decoded decoded(std::string bytes, Encoding const& encoding) {
  Decoded result{.text = {}, .charset = std::string{encoding.name}};
  result.text = encoding.name == "utf-8" ? mended_utf8(std::move(bytes), result.replaced)
                                         : decode(bytes, encoding, result.replaced);
  return result;
}

}  // namespace

Decoded to_utf8(std::string bytes, std::string_view declared, bool html) {
  for (auto const& mark : kByteOrderMarks) {
    if (!bytes.starts_with(mark.bytes)) continue;
    bytes.erase(0, mark.bytes.size());
    return decoded(std::move(bytes), *encoding_of(mark.label));
  }
  auto const* encoding = encoding_of(declared);
  if (encoding == nullptr) encoding = named_by_document(bytes, html);
  if (encoding == nullptr) encoding = detected(bytes);
  return decoded(std::move(bytes), *encoding);
}

}  // namespace sallyport::content
