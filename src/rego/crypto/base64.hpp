// Base64 as Go's encoding/base64 reads it: line ends are skipped, bits behind the last byte are not
// looked at, and errors name the byte. (base/base64.hpp is strict, which tokens of policies are
// not.)
#pragma once

#include <string>
#include <string_view>

namespace sallyport::rego::crypto {

enum class Base64 { Standard, Url };

struct Decoded {
  std::string bytes;
  std::string problem;  // "illegal base64 data at input byte 13"; empty: there is none
};

// With padding.
Decoded decode_base64(std::string_view text, Base64 alphabet);

// A part of a token: Url, where the padding may be missing.
Decoded decode_base64url(std::string_view text);

// As in keys: any alphabet, padding or none.
Decoded decode_any_base64(std::string_view text);

}  // namespace sallyport::rego::crypto
