#include "src/url/idna.hpp"

#include "src/base/assert.hpp"
#include "src/url/idna_updates.hpp"

#include <memory>
#include <unicode/uidna.h>

namespace sallyport::url {
namespace {

// A name in DNS has at most 253 bytes; Punycode takes quadratic time, so that what is far longer is
// not worth the work.
constexpr std::size_t kLongest = 2048;

// The standard asks for neither CheckHyphens nor VerifyDnsLength; ICU has no options for them.
constexpr std::uint32_t kIgnored = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                   UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                   UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

struct Close {
  void operator()(UIDNA* idna) const noexcept { uidna_close(idna); }
};

// Opened once; immutable afterwards and safe from any thread.
UIDNA const* uts46() {
  static std::unique_ptr<UIDNA, Close> const handle = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<UIDNA, Close> opened{uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
                                                             UIDNA_NONTRANSITIONAL_TO_ASCII |
                                                             UIDNA_NONTRANSITIONAL_TO_UNICODE,
                                                         &status)};
    SP_ASSERT(U_SUCCESS(status), "ICU carries its data for UTS 46");
    return opened;
  }();
  return handle.get();
}

std::string_view reason(std::uint32_t errors) noexcept {
  if ((errors & UIDNA_ERROR_DISALLOWED) != 0) return "has a character that no name may have";
  if ((errors & UIDNA_ERROR_BIDI) != 0) return "mixes writing directions in a way no name may";
  if ((errors & UIDNA_ERROR_CONTEXTJ) != 0) return "has an invisible joiner in a wrong place";
  if ((errors & UIDNA_ERROR_LEADING_COMBINING_MARK) != 0) return "begins with a combining mark";
  if ((errors & (UIDNA_ERROR_PUNYCODE | UIDNA_ERROR_INVALID_ACE_LABEL)) != 0) {
    return "has a broken \"xn--\" label";
  }
  return "has a label with a dot inside";
}

bool decodes_to_another_punycode(std::string_view label) {
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  UErrorCode status = U_ZERO_ERROR;
  std::string decoded(4 * label.size(), '\0');  // a character may take four bytes
  auto const length = uidna_labelToUnicodeUTF8(
      uts46(), label.data(), static_cast<std::int32_t>(label.size()), decoded.data(),
      static_cast<std::int32_t>(decoded.size()), &info, &status);
  decoded.resize(static_cast<std::size_t>(length));
  return U_FAILURE(status) || decoded.starts_with("xn--");
}

// UTS 46 refuses labels that are Punycode twice over since Unicode 16, and ICU does not know yet.
bool has_nested_punycode(std::string_view ascii) {
  while (true) {
    auto const dot = ascii.find('.');
    auto const label = ascii.substr(0, dot);
    if (label.starts_with("xn--xn--") && decodes_to_another_punycode(label)) return true;
    if (dot == std::string_view::npos) return false;
    ascii.remove_prefix(dot + 1);
  }
}

}  // namespace

Result<std::string> unicode_to_ascii(std::string_view text) {
  if (text.size() > kLongest) {
    return fail(Errc::InvalidInput, "is too long for a name");
  }
  auto const domain = with_idna_updates(text);
  std::string ascii(2 * domain.size() + 64, '\0');
  while (true) {
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode status = U_ZERO_ERROR;
    auto const length = uidna_nameToASCII_UTF8(
        uts46(), domain.data(), static_cast<std::int32_t>(domain.size()), ascii.data(),
        static_cast<std::int32_t>(ascii.size()), &info, &status);
    if (status == U_BUFFER_OVERFLOW_ERROR) {
      ascii.resize(static_cast<std::size_t>(length));
      continue;
    }
    if (auto const errors = info.errors & ~kIgnored; U_FAILURE(status) || errors != 0) {
      return fail(Errc::InvalidInput,
                  "is no valid international name: it " + std::string{reason(errors)});
    }
    ascii.resize(static_cast<std::size_t>(length));
    if (has_nested_punycode(ascii)) {
      return fail(Errc::InvalidInput, "has a label that is encoded twice");
    }
    return ascii;
  }
}

}  // namespace sallyport::url
