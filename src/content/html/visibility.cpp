#include "src/content/html/visibility.hpp"

#include "src/content/html/characters.hpp"

namespace sallyport::content::html {
namespace {

// Whether `style` says `property: value`, in the spacings that people use.
bool declares(std::string_view style, std::string_view property, std::string_view value) noexcept {
  for (auto at = style.find(':'); at != std::string_view::npos; at = style.find(':', at + 1)) {
    auto const rest = trimmed(style.substr(at + 1, 24));
    if (!equal_ignoring_case(rest.substr(0, value.size()), value)) continue;
    auto const end = at > 0 && is_space(style[at - 1]) ? at - 1 : at;
    if (end < property.size()) continue;
    auto const start = end - property.size();
    auto const begins = start == 0 || style[start - 1] == ';' || is_space(style[start - 1]);
    if (begins && equal_ignoring_case(style.substr(start, end - start), property)) return true;
  }
  return false;
}

bool is_hidden(Attributes const& attributes) noexcept {
  if (attributes.has(Attribute::Hidden) &&
      !equal_ignoring_case(attributes.raw(Attribute::Hidden), "until-found")) {
    // React streams a page's parts as <div hidden id="S:0"> and shows them with a script.
    return !attributes.raw(Attribute::Id).starts_with("S:");
  }
  if (equal_ignoring_case(attributes.raw(Attribute::AriaHidden), "true")) return true;
  if (!attributes.has(Attribute::Style)) return false;
  auto const style = attributes.raw(Attribute::Style);
  return declares(style, "display", "none") || declares(style, "visibility", "hidden");
}

}  // namespace

Visibility visibility_of(Element element, Attributes const& attributes) noexcept {
  if (has_trait(element, trait::kNoContent) || element == Element::Title ||
      element == Element::Svg || element == Element::Annotation ||
      element == Element::AnnotationXml) {
    return Visibility::Never;
  }
  if (element == Element::Template && !attributes.has(Attribute::ShadowRootMode)) {
    return Visibility::Never;
  }
  if (element == Element::Noscript) return Visibility::Noscript;
  return is_hidden(attributes) ? Visibility::Hidden : Visibility::Shown;
}

}  // namespace sallyport::content::html
