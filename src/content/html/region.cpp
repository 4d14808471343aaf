#include "src/content/html/region.hpp"

#include "src/content/html/characters.hpp"

namespace sallyport::content::html {
namespace {

using enum RegionKind;

RegionKind kind_of_role(std::string_view role) noexcept {
  role = trimmed(role);
  if (equal_ignoring_case(role, "main")) return Main;
  if (equal_ignoring_case(role, "article")) return Article;
  if (equal_ignoring_case(role, "navigation") || equal_ignoring_case(role, "search") ||
      equal_ignoring_case(role, "menu") || equal_ignoring_case(role, "menubar")) {
    return Navigation;
  }
  if (equal_ignoring_case(role, "banner")) return Header;
  if (equal_ignoring_case(role, "contentinfo")) return Footer;
  if (equal_ignoring_case(role, "complementary")) return Aside;
  if (equal_ignoring_case(role, "dialog") || equal_ignoring_case(role, "alertdialog")) {
    return Banner;
  }
  return None;
}

RegionKind kind_of_word(std::uint64_t word) noexcept {
  switch (word) {
    case packed("cookie"):
    case packed("cookies"):
    case packed("consent"):
    case packed("gdpr"): return Banner;
    case packed("nav"):
    case packed("navbar"):
    case packed("navbox"):
    case packed("menu"):
    case packed("sidebar"):
    case packed("footer"):
    case packed("header"):
    case packed("related"):
    case packed("social"):
    case packed("share"):
    case packed("sharing"):
    case packed("crumbs"):
    case packed("toolbar"): return Menu;
    default: return None;
  }
}

// By the words of a class or an id: "site-nav", "cookie_banner".
RegionKind kind_of_words(std::string_view names) noexcept {
  auto kind = None;
  std::uint64_t word = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i <= names.size(); ++i) {
    if (i < names.size() && is_letter(names[i])) {
      word = word << 8 | static_cast<unsigned char>(to_lower(names[i]));
      ++length;
      continue;
    }
    auto const found = length <= 8 ? kind_of_word(word) : None;
    if (found == Banner) return Banner;
    if (found != None) kind = found;
    word = 0;
    length = 0;
  }
  return kind;
}

}  // namespace

RegionKind region_kind(Element element, Attributes const& attributes) noexcept {
  if (element == Element::Table) return Table;
  if (attributes.has(Attribute::Role)) {
    auto const kind = kind_of_role(attributes.raw(Attribute::Role));
    if (kind != None) return kind;
  }
  if (element == Element::Main) return Main;
  if (element == Element::Article) return Article;
  if (element == Element::Nav || element == Element::Search) return Navigation;
  if (element == Element::Header) return Header;
  if (element == Element::Footer) return Footer;
  if (element == Element::Dialog) return Banner;
  auto const of_class = kind_of_words(attributes.raw(Attribute::Class));
  auto const named = of_class != None ? of_class : kind_of_words(attributes.raw(Attribute::Id));
  if (named == Banner) return Banner;
  if (element == Element::Aside) return Aside;
  if (element == Element::Form) return Form;
  return named;
}

Amount& Amount::operator+=(Amount const& other) noexcept {
  text += other.text;
  link += other.link;
  headings += other.headings;
  return *this;
}

Amount& Amount::operator-=(Amount const& other) noexcept {
  text -= other.text;
  link -= other.link;
  headings -= other.headings;
  return *this;
}

Amount operator-(Amount left, Amount const& right) noexcept {
  left -= right;
  return left;
}

}  // namespace sallyport::content::html
