// Quoting as Go's strconv.Quote does it: "é" stays, what cannot be printed is escaped.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::rego::builtins {

enum class Quoting { Unicode, AsciiOnly };

std::string quoted(std::string_view text, Quoting quoting = Quoting::Unicode);
// A single rune between apostrophes.
std::string quoted_rune(char32_t code, Quoting quoting = Quoting::Unicode);

}  // namespace sallyport::rego::builtins
