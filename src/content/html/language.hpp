// The programming language of a block of code, by the classes that highlighters use.
#pragma once

#include "src/content/html/attributes.hpp"

#include <string_view>

namespace sallyport::content::html {

// Empty when nothing says it.
std::string_view language_of(Attributes const& attributes) noexcept;

}  // namespace sallyport::content::html
