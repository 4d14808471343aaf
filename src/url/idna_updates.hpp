// What UTS 46 maps differently since the Unicode 15 of Debian's ICU.
//
// Unicode 15.1 maps capital sharp s to ß instead of "ss". Unicode 16 dropped the exclusions that
// UTS 46 had kept for IDNA2003's sake: letters that got their lower case only after Unicode 3.2,
// corrected compatibility ideographs, and invisible characters. They are now mapped by
// NFKC_Casefold as all others are. A newer ICU does the same by itself, and this changes nothing.
//
// U+1806 (Mongolian todo soft hyphen) became valid as well. That cannot be told to an older ICU
// from outside: names with it are refused.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::url {

// `domain` is well-formed UTF-8.
std::string with_idna_updates(std::string_view domain);

}  // namespace sallyport::url
