// PEM blocks as Go's encoding/pem finds them: text around them is skipped, and so is what only
// looks like one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego::crypto {

struct PemBlock {
  std::string_view type;  // "CERTIFICATE"; in the text that it was read from
  std::string bytes;
};

// The first block of `rest`, which is then what follows it. Unchanged where there is none.
std::optional<PemBlock> next_pem_block(std::string_view& rest);

}  // namespace sallyport::rego::crypto
