// The bulk of base64 with vector instructions, where the machine has them. Inside base64.
#pragma once

#include <cstddef>
#include <string_view>

namespace sallyport::base64 {

// The two digits in which the alphabets differ.
struct LastDigits {
  char of_62;
  char of_63;
};

// Both do whole blocks from the front and give how much of the input is done; what is left, at
// least one group, is the caller's. Nothing is done where the machine has no such instructions.

// Three bytes become four characters; `to` has room for all of them.
std::size_t encode_blocks(std::string_view bytes, char* to, LastDigits last);
// Stops before the first block with a character that is no digit. `to` has room for all bytes.
std::size_t decode_blocks(std::string_view text, char* to, LastDigits last);

}  // namespace sallyport::base64
