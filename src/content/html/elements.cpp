#include "src/content/html/elements.hpp"

#include "src/content/html/characters.hpp"

#include <array>

namespace sallyport::content::html {
namespace {

using enum Element;
using namespace trait;

struct Row {
  Element element{Unknown};
  std::string_view name;
  unsigned traits{0};
};

constexpr unsigned kFlow = kBlock | kSpecial | kClosesP;
constexpr unsigned kRegion = kFlow | kContainer;
constexpr unsigned kTablePart = kBlock | kSpecial;

constexpr Row kRows[] = {
    {A, "a", kFormatting},
    {Abbr, "abbr", 0},
    {Address, "address", kFlow},
    {Annotation, "annotation", 0},
    {AnnotationXml, "annotation-xml", 0},
    {Applet, "applet", kSpecial | kScope},
    {Area, "area", kVoid | kSpecial},
    {Article, "article", kRegion},
    {Aside, "aside", kRegion},
    {Audio, "audio", 0},
    {B, "b", kFormatting | kBreakout},
    {Base, "base", kVoid | kSpecial},
    {Big, "big", kFormatting | kBreakout},
    {Blockquote, "blockquote", kFlow | kBreakout},
    {Body, "body", kBlock | kSpecial | kBreakout},
    {Br, "br", kVoid | kSpecial | kBreakout},
    {Button, "button", kSpecial},
    {Caption, "caption", kBlock | kSpecial | kScope},
    {Center, "center", kFlow | kBreakout},
    {Code, "code", kFormatting | kBreakout},
    {Col, "col", kVoid | kSpecial},
    {Colgroup, "colgroup", kVoid | kSpecial},
    {Dd, "dd", kFlow | kBreakout},
    {Del, "del", 0},
    {Desc, "desc", 0},
    {Details, "details", kFlow},
    {Dialog, "dialog", kRegion},
    {Dir, "dir", kFlow},
    {Div, "div", kRegion | kBreakout},
    {Dl, "dl", kFlow | kBreakout},
    {Dt, "dt", kFlow | kBreakout},
    {Em, "em", kFormatting | kBreakout},
    {Embed, "embed", kVoid | kSpecial | kBreakout},
    {Fieldset, "fieldset", kFlow},
    {Figcaption, "figcaption", kFlow},
    {Figure, "figure", kFlow},
    {Font, "font", kFormatting},
    {Footer, "footer", kRegion},
    {ForeignObject, "foreignobject", 0},
    {Form, "form", kRegion},
    {Frame, "frame", kVoid | kSpecial},
    {Frameset, "frameset", kBlock | kSpecial},
    {H1, "h1", kFlow | kBreakout},
    {H2, "h2", kFlow | kBreakout},
    {H3, "h3", kFlow | kBreakout},
    {H4, "h4", kFlow | kBreakout},
    {H5, "h5", kFlow | kBreakout},
    {H6, "h6", kFlow | kBreakout},
    {Head, "head", kSpecial | kBreakout},
    {Header, "header", kRegion},
    {Hgroup, "hgroup", kFlow},
    {Hr, "hr", kFlow | kVoid | kBreakout},
    {Html, "html", kSpecial},
    {I, "i", kFormatting | kBreakout},
    {Iframe, "iframe", kSpecial | kNoContent},
    {Img, "img", kVoid | kSpecial | kBreakout},
    {Input, "input", kVoid | kSpecial},
    {Kbd, "kbd", 0},
    {Legend, "legend", kBlock},
    {Li, "li", kFlow | kBreakout},
    {Link, "link", kVoid | kSpecial},
    {Listing, "listing", kFlow | kBreakout},
    {Main, "main", kRegion},
    {Marquee, "marquee", kSpecial | kScope},
    {Math, "math", 0},
    {Menu, "menu", kRegion | kBreakout},
    {Meta, "meta", kVoid | kSpecial | kBreakout},
    {Mi, "mi", 0},
    {Mn, "mn", 0},
    {Mo, "mo", 0},
    {Ms, "ms", 0},
    {Mtext, "mtext", 0},
    {Nav, "nav", kRegion},
    {Nobr, "nobr", kFormatting | kBreakout},
    {Noembed, "noembed", kSpecial | kNoContent},
    {Noframes, "noframes", kSpecial | kNoContent},
    {Noscript, "noscript", kSpecial},
    {Object, "object", kSpecial | kScope},
    {Ol, "ol", kRegion | kBreakout},
    {Optgroup, "optgroup", 0},
    {Option, "option", 0},
    {P, "p", kFlow | kBreakout},
    {Param, "param", kVoid | kSpecial},
    {Plaintext, "plaintext", kFlow},
    {Pre, "pre", kFlow | kBreakout},
    {Q, "q", 0},
    {Rp, "rp", 0},
    {Rt, "rt", 0},
    {Ruby, "ruby", kBreakout},
    {S, "s", kFormatting | kBreakout},
    {Samp, "samp", 0},
    {Script, "script", kSpecial | kNoContent},
    {Search, "search", kRegion},
    {Section, "section", kRegion},
    {Select, "select", kSpecial},
    {Small, "small", kFormatting | kBreakout},
    {Source, "source", kVoid | kSpecial},
    {Span, "span", kBreakout},
    {Strike, "strike", kFormatting | kBreakout},
    {Strong, "strong", kFormatting | kBreakout},
    {Style, "style", kSpecial | kNoContent},
    {Sub, "sub", kBreakout},
    {Summary, "summary", kFlow},
    {Sup, "sup", kBreakout},
    {Svg, "svg", 0},
    {Table, "table", kRegion | kScope | kBreakout},
    {Tbody, "tbody", kTablePart},
    {Td, "td", kTablePart | kScope},
    {Template, "template", kSpecial | kScope},
    {Textarea, "textarea", kSpecial},
    {Tfoot, "tfoot", kTablePart},
    {Th, "th", kTablePart | kScope},
    {Thead, "thead", kTablePart},
    {Title, "title", kSpecial},
    {Tr, "tr", kTablePart},
    {Track, "track", kVoid | kSpecial},
    {Tt, "tt", kFormatting | kBreakout},
    {U, "u", kFormatting | kBreakout},
    {Ul, "ul", kRegion | kBreakout},
    {Var, "var", kBreakout},
    {Video, "video", 0},
    {Wbr, "wbr", kVoid | kSpecial},
    {Xmp, "xmp", kFlow},
    {Img, "image", kVoid | kSpecial | kBreakout},
    {Param, "keygen", kVoid | kSpecial},
    {Param, "bgsound", kVoid | kSpecial},
    {Param, "basefont", kVoid | kSpecial},
    {Rt, "rtc", 0},
};

constexpr auto kTraits = [] {
  std::array<std::uint16_t, kElementCount> traits{};
  for (auto const& row : kRows) {
    traits[static_cast<std::size_t>(row.element)] = static_cast<std::uint16_t>(row.traits);
  }
  return traits;
}();

constexpr std::size_t kSlots = 512;

// Open addressing over the hash; built by the compiler.
constexpr auto kIndex = [] {
  std::array<std::uint8_t, kSlots> index{};
  for (std::size_t row = 0; row < std::size(kRows); ++row) {
    auto slot = name_hash(kRows[row].name) % kSlots;
    while (index[slot] != 0) slot = (slot + 1) % kSlots;
    index[slot] = static_cast<std::uint8_t>(row + 1);
  }
  return index;
}();
static_assert(std::size(kRows) < 256);

}  // namespace

unsigned traits_of(Element element) noexcept {
  return kTraits[static_cast<std::size_t>(element)];
}

Element element_named(std::string_view name) noexcept {
  for (auto slot = name_hash(name) % kSlots; kIndex[slot] != 0; slot = (slot + 1) % kSlots) {
    auto const& row = kRows[kIndex[slot] - 1U];
    if (equal_ignoring_case(name, row.name)) return row.element;
  }
  return Unknown;
}

TextState text_state_of(Element element) noexcept {
  if (element == Title || element == Textarea) return TextState::Rcdata;
  if (element == Script) return TextState::Script;
  if (element == Plaintext) return TextState::Plaintext;
  auto const raw = element == Style || element == Xmp || element == Iframe || element == Noembed ||
                   element == Noframes;
  return raw ? TextState::RawText : TextState::Data;
}

}  // namespace sallyport::content::html
