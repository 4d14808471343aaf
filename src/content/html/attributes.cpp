#include "src/content/html/attributes.hpp"

#include "src/content/html/character_references.hpp"
#include "src/content/html/characters.hpp"

namespace sallyport::content::html {
namespace {

// Longer values are cut: no address or alternative text that anybody wrote is longer.
constexpr std::size_t kMaxValue = 8192;

std::optional<Attribute> short_name(std::uint64_t key) noexcept {
  using enum Attribute;
  switch (key) {
    case packed("alt"): return Alt;
    case packed("alttext"): return Alttext;
    case packed("checked"): return Checked;
    case packed("class"): return Class;
    case packed("colspan"): return Colspan;
    case packed("content"): return Content;
    case packed("data-src"): return DataSrc;
    case packed("encoding"): return Encoding;
    case packed("height"): return Height;
    case packed("hidden"): return Hidden;
    case packed("href"): return Href;
    case packed("id"): return Id;
    case packed("name"): return Name;
    case packed("property"): return Property;
    case packed("role"): return Role;
    case packed("rowspan"): return Rowspan;
    case packed("src"): return Src;
    case packed("start"): return Start;
    case packed("style"): return Style;
    case packed("title"): return Title;
    case packed("type"): return Type;
    case packed("width"): return Width;
    default: return std::nullopt;
  }
}

std::optional<Attribute> attribute_named(std::string_view name) noexcept {
  if (name.size() <= 8) return short_name(packed(name));
  if (equal_ignoring_case(name, "aria-hidden")) return Attribute::AriaHidden;
  if (equal_ignoring_case(name, "data-lang")) return Attribute::DataLang;
  if (equal_ignoring_case(name, "data-language")) return Attribute::DataLang;
  if (equal_ignoring_case(name, "shadowrootmode")) return Attribute::ShadowRootMode;
  return std::nullopt;
}

}  // namespace

void Attributes::add(std::string_view name, std::string_view raw) noexcept {
  auto const attribute = attribute_named(name);
  if (!attribute || has(*attribute)) return;
  present_ |= bit(*attribute);
  raw_[static_cast<std::size_t>(*attribute)] = utf8_prefix(raw, kMaxValue);
}

std::string Attributes::value(Attribute attribute) const {
  return decode_attribute(raw(attribute));
}

std::optional<unsigned> Attributes::number(Attribute attribute) const noexcept {
  auto const text = trimmed(raw(attribute));
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  unsigned number = 0;
  for (std::size_t i = 0; i < text.size() && i < 9 && is_digit(text[i]); ++i) {
    number = number * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return number;
}

}  // namespace sallyport::content::html
