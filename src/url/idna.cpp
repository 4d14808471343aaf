#include "src/url/idna.hpp"

#include "src/base/assert.hpp"

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
  static std::unique_ptr<UIDNA, Close> const kHandle = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<UIDNA, Close> opened{uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
                                                             UIDNA_NONTRANSITIONAL_TO_ASCII |
                                                             UIDNA_NONTRANSITIONAL_TO_UNICODE,
                                                         &status)};
    SP_ASSERT(U_SUCCESS(status), "ICU carries its data for UTS 46");
    return opened;
  }();
  return kHandle.get();
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

}  // namespace

Result<std::string> unicode_to_ascii(std::string_view domain) {
  if (domain.size() > kLongest) {
    return fail(Errc::InvalidInput, "is too long for a name");
  }
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
    return ascii;
  }
}

}  // namespace sallyport::url
