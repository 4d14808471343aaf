// Pieces of input inside messages.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::url {

// In quotation marks, cut where it is long, with everything but printable ASCII percent-encoded.
std::string quoted(std::string_view text);

}  // namespace sallyport::url
