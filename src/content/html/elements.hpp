// The elements that we treat in a way of their own, and what the parser has to know of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::content::html {

// clang-format off
enum class Element : std::uint8_t {
  Unknown,   // any other HTML element: inline, no meaning
  Foreign,   // an element inside <svg> or <math>
  A, Abbr, Address, Annotation, AnnotationXml, Applet, Area, Article, Aside, Audio, B, Base, Big,
  Blockquote, Body, Br, Button, Caption, Center, Code, Col, Colgroup, Dd, Del, Desc, Details,
  Dialog, Dir, Div, Dl, Dt, Em, Embed, Fieldset, Figcaption, Figure, Font, Footer, ForeignObject,
  Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, I, Iframe, Img,
  Input, Kbd, Legend, Li, Link, Listing, Main, Marquee, Math, Menu, Meta, Mi, Mn, Mo, Ms, Mtext,
  Nav, Nobr, Noembed, Noframes, Noscript, Object, Ol, Optgroup, Option, P, Param, Plaintext, Pre,
  Q, Rp, Rt, Ruby, S, Samp, Script, Search, Section, Select, Small, Source, Span, Strike, Strong,
  Style, Sub, Summary, Sup, Svg, Table, Tbody, Td, Template, Textarea, Tfoot, Th, Thead, Title, Tr,
  Track, Tt, U, Ul, Var, Video, Wbr, Xmp,
};
// clang-format on
inline constexpr std::size_t kElementCount = static_cast<std::size_t>(Element::Xmp) + 1;

namespace trait {
inline constexpr unsigned kVoid = 1U << 0;        // has no end tag
inline constexpr unsigned kBlock = 1U << 1;       // stands on lines of its own
inline constexpr unsigned kSpecial = 1U << 2;     // the Standard's category "special"
inline constexpr unsigned kScope = 1U << 3;       // ends every scope
inline constexpr unsigned kClosesP = 1U << 4;     // its start tag ends an open <p>
inline constexpr unsigned kFormatting = 1U << 5;  // may be closed across others (<b><i></b></i>)
inline constexpr unsigned kBreakout = 1U << 6;    // its start tag ends <svg> or <math>
inline constexpr unsigned kContainer = 1U << 7;   // may be a region of the page (survey.hpp)
inline constexpr unsigned kNoContent = 1U << 8;   // what is inside is never shown
}  // namespace trait

unsigned traits_of(Element element) noexcept;
inline bool has_trait(Element element, unsigned trait) noexcept {
  return (traits_of(element) & trait) != 0;
}

Element element_named(std::string_view name) noexcept;

constexpr bool is_heading(Element e) noexcept {
  return e >= Element::H1 && e <= Element::H6;
}
constexpr bool is_cell(Element e) noexcept {
  return e == Element::Td || e == Element::Th;
}

// How the tokenizer reads what follows the start tag.
enum class TextState : std::uint8_t { Data, Rcdata, RawText, Script, Plaintext };
TextState text_state_of(Element element) noexcept;

}  // namespace sallyport::content::html
