// What of a page nobody sees.
#pragma once

#include "src/content/html/attributes.hpp"
#include "src/content/html/elements.hpp"

#include <cstdint>

namespace sallyport::content::html {

enum class Visibility : std::uint8_t {
  Shown,
  Hidden,    // by an attribute or a style; a script may show it later
  Noscript,  // for readers without scripts
  Never,     // scripts, styles, drawings, templates
};

Visibility visibility_of(Element element, Attributes const& attributes) noexcept;

}  // namespace sallyport::content::html
