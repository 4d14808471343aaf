// The parts of a page by what their tags, roles and classes say of them.
#pragma once

#include "src/content/html/attributes.hpp"
#include "src/content/html/elements.hpp"

#include <cstdint>

namespace sallyport::content::html {

enum class RegionKind : std::uint8_t {
  None,
  Main,
  Article,
  Navigation,
  Header,
  Footer,
  Aside,
  Form,
  Banner,  // dialogs, and what is named after cookies and consent
  Menu,    // named like a menu, a side bar, a footer: chrome if it is mostly links
  Table,
};

// Of an element with the trait kContainer.
RegionKind region_kind(Element element, Attributes const& attributes) noexcept;

// How much of something there is, in bytes of text that are not white space.
struct Amount {
  std::uint64_t text{0};
  std::uint64_t link{0};      // of it, inside links
  std::uint64_t headings{0};  // first-level ones

  std::uint64_t prose() const noexcept { return text - link; }
  Amount& operator+=(Amount const& other) noexcept;
  Amount& operator-=(Amount const& other) noexcept;
};
Amount operator-(Amount left, Amount const& right) noexcept;

}  // namespace sallyport::content::html
