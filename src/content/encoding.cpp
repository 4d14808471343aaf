#include "src/content/encoding.hpp"

#include "src/base/assert.hpp"
#include "src/content/ascii.hpp"
#include "src/content/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

namespace sallyport::content {
namespace {

// iso-8859-16 and x-user-defined are missing: ICU has no converter, and pages in them are not met.
constexpr std::array kEncodings = {
    Encoding{"utf-8", "UTF-8",
             " unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8 "},
    Encoding{"ibm866", "ibm-866", " 866 cp866 csibm866 "},
    Encoding{"iso-8859-2", "iso-8859-2",
             " csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 "},
    Encoding{"iso-8859-3", "iso-8859-3",
             " csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 "},
    Encoding{"iso-8859-4", "iso-8859-4",
             " csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 "},
    Encoding{"iso-8859-5", "iso-8859-5",
             " csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
             "iso_8859-5:1988 "},
    Encoding{"iso-8859-6", "iso-8859-6",
             " arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
             "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 "},
    Encoding{"iso-8859-7", "iso-8859-7",
             " csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 "
             "iso_8859-7 iso_8859-7:1987 sun_eu_greek "},
    Encoding{"iso-8859-8", "iso-8859-8",
             " csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
             "iso_8859-8 iso_8859-8:1988 visual "},
    Encoding{"iso-8859-8-i", "iso-8859-8", " csiso88598i logical "},
    Encoding{"iso-8859-10", "iso-8859-10",
             " csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6 "},
    Encoding{"iso-8859-13", "iso-8859-13", " iso8859-13 iso885913 "},
    Encoding{"iso-8859-14", "iso-8859-14", " iso8859-14 iso885914 "},
    Encoding{"iso-8859-15", "iso-8859-15",
             " csisolatin9 iso8859-15 iso885915 iso_8859-15 l9 latin-9 latin9 "},
    Encoding{"koi8-r", "koi8-r", " cskoi8r koi koi8 koi8_r "},
    Encoding{"koi8-u", "koi8-u", " koi8-ru "},
    Encoding{"macintosh", "macintosh", " csmacintosh mac x-mac-roman "},
    Encoding{"windows-874", "windows-874",
             " dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 tis620 "},
    Encoding{"windows-1250", "windows-1250", " cp1250 x-cp1250 "},
    Encoding{"windows-1251", "windows-1251", " cp1251 x-cp1251 "},
    Encoding{"windows-1252", "windows-1252",
             " ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
             "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252 "},
    Encoding{"windows-1253", "windows-1253", " cp1253 x-cp1253 "},
    Encoding{"windows-1254", "windows-1254",
             " cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
             "iso_8859-9:1989 l5 latin5 x-cp1254 "},
    Encoding{"windows-1255", "windows-1255", " cp1255 x-cp1255 "},
    Encoding{"windows-1256", "windows-1256", " cp1256 x-cp1256 "},
    Encoding{"windows-1257", "windows-1257", " cp1257 x-cp1257 "},
    Encoding{"windows-1258", "windows-1258", " cp1258 x-cp1258 "},
    Encoding{"x-mac-cyrillic", "x-mac-cyrillic", " x-mac-ukrainian "},
    Encoding{"gbk", "gb18030",
             " chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk "},
    Encoding{"gb18030", "gb18030", " "},
    Encoding{"big5", "big5-hkscs", " big5-hkscs cn-big5 csbig5 x-x-big5 "},
    Encoding{"euc-jp", "euc-jp", " cseucpkdfmtjapanese x-euc-jp "},
    Encoding{"iso-2022-jp", "iso-2022-jp", " csiso2022jp "},
    Encoding{"shift_jis", "windows-31j",
             " csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis cp932 "},
    Encoding{"euc-kr", "windows-949",
             " cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
             "ksc_5601 windows-949 uhc cp949 "},
    Encoding{"utf-16be", "utf-16be", " unicodefffe "},
    Encoding{"utf-16le", "utf-16le",
             " csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 "},
};

struct Close {
  void operator()(UConverter* converter) const noexcept { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, Close>;

Converter open(std::string_view name) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter{ucnv_open(std::string{name}.c_str(), &status)};
  SP_ASSERT(U_SUCCESS(status), "ICU has a converter for every encoding of the table");
  return converter;
}

// ICU's own callback writes U+001A for some single bytes.
void replace(void const* context, UConverterToUnicodeArgs* arguments, char const*, std::int32_t,
             UConverterCallbackReason reason, UErrorCode* status) {
  if (reason > UCNV_IRREGULAR) return;  // reset, close, clone
  *static_cast<bool*>(const_cast<void*>(context)) = true;
  constexpr UChar kFffd = 0xFFFD;
  *status = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(arguments, &kFffd, 1, 0, status);
}

}  // namespace

Encoding const* encoding_of(std::string_view label) {
  auto const wanted = lowered(trimmed(label));
  if (wanted.empty() || wanted.find(' ') != std::string::npos) return nullptr;
  auto const as_word = fmt::format(" {} ", wanted);
  auto const* const found = std::ranges::find_if(kEncodings, [&](Encoding const& encoding) {
    return encoding.name == wanted || encoding.labels.find(as_word) != std::string_view::npos;
  });
  return found == kEncodings.end() ? nullptr : found;
}

std::string decode(std::string_view bytes, Encoding const& encoding, bool& replaced) {
  auto const from = open(encoding.converter);
  auto const to = open("UTF-8");
  UErrorCode status = U_ZERO_ERROR;
  ucnv_setToUCallBack(from.get(), replace, &replaced, nullptr, nullptr, &status);
  std::string out;
  std::array<UChar, 2048> pivot{};
  UChar* pivot_from = pivot.data();
  UChar* pivot_to = pivot.data();
  char const* source = bytes.data();
  char const* const source_end = source + bytes.size();
  std::size_t written = 0;
  out.resize(bytes.size() + bytes.size() / 2 + 16);
  for (UBool first = 1;; first = 0) {
    char* target = out.data() + written;
    status = U_ZERO_ERROR;
    ucnv_convertEx(to.get(), from.get(), &target, out.data() + out.size(), &source, source_end,
                   pivot.data(), &pivot_from, &pivot_to, pivot.data() + pivot.size(), first, true,
                   &status);
    written = static_cast<std::size_t>(target - out.data());
    if (status != U_BUFFER_OVERFLOW_ERROR) break;
    out.resize(out.size() * 2);
  }
  out.resize(written);
  // UTF-16 may hold half a pair, for which there is no UTF-8.
  return mended_utf8(std::move(out), replaced);
}

}  // namespace sallyport::content
