#include "src/url/idna_updates.hpp"

#include "src/base/assert.hpp"
#include "src/url/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

namespace sallyport::url {
namespace {

struct Range {
  UChar32 first;
  UChar32 last;
};

constexpr UChar32 kCapitalSharpS = 0x1E9E;
constexpr std::string_view kSharpS = "\xC3\x9F";

constexpr std::array<Range, 17> kNoLongerExcluded{{
    {0x04C0, 0x04C0},    // letters whose lower case came later
    {0x10A0, 0x10C5},    //
    {0x2132, 0x2132},    //
    {0x2183, 0x2183},    //
    {0x2F868, 0x2F868},  // ideographs whose decomposition was corrected
    {0x2F874, 0x2F874},  //
    {0x2F91F, 0x2F91F},  //
    {0x2F95F, 0x2F95F},  //
    {0x2F9BF, 0x2F9BF},  //
    {0x115F, 0x1160},    // invisible ones
    {0x17B4, 0x17B5},    //
    {0x180E, 0x180E},    //
    {0x2061, 0x2063},    //
    {0x206A, 0x206F},    //
    {0x3164, 0x3164},    //
    {0xFFA0, 0xFFA0},    //
    {0x1D173, 0x1D17A},  //
}};

bool is_no_longer_excluded(UChar32 code_point) noexcept {
  return std::ranges::any_of(kNoLongerExcluded, [&](Range const& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

void append_casefolded(std::string& out, UChar32 code_point) {
  UErrorCode status = U_ZERO_ERROR;
  std::array<UChar, U16_MAX_LENGTH> source{};
  std::int32_t source_length = 0;
  U16_APPEND_UNSAFE(source.data(), source_length, code_point);
  std::array<UChar, 32> folded{};  // longer than any mapping of one code point
  auto const length =
      unorm2_normalize(unorm2_getNFKCCasefoldInstance(&status), source.data(), source_length,
                       folded.data(), static_cast<std::int32_t>(folded.size()), &status);
  SP_ASSERT(U_SUCCESS(status), "ICU folds every code point");
  for (std::int32_t at = 0; at < length;) {
    UChar32 mapped = 0;
    U16_NEXT(folded.data(), at, length, mapped);
    append_code_point(out, static_cast<char32_t>(mapped));
  }
}

}  // namespace

std::string with_idna_updates(std::string_view domain) {
  std::string out;
  out.reserve(domain.size());
  for (std::size_t at = 0; at < domain.size();) {
    auto const start = at;
    auto const code_point = static_cast<UChar32>(next_code_point(domain, at));
    if (code_point == kCapitalSharpS) {
      out += kSharpS;
    } else if (is_no_longer_excluded(code_point)) {
      append_casefolded(out, code_point);
    } else {
      out += domain.substr(start, at - start);
    }
  }
  return out;
}

}  // namespace sallyport::url
