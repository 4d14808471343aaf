#include "src/content/html/language.hpp"

#include "src/content/html/characters.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

// A name that may stand after a fence.
bool is_language(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 24 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '#' || c == '_' || c == '.';
  });
}

}  // namespace

std::string_view language_of(Attributes const& attributes) noexcept {
  auto const named = trimmed(attributes.raw(Attribute::DataLang));
  if (is_language(named)) return named;
  auto classes = attributes.raw(Attribute::Class);
  while (!(classes = trimmed(classes)).empty()) {
    auto const end = static_cast<std::size_t>(
        std::find_if(classes.begin(), classes.end(), is_space) - classes.begin());
    auto const name = classes.substr(0, end);
    for (std::string_view const prefix :
         {"language-", "lang-", "highlight-source-", "highlight-"}) {
      if (name.starts_with(prefix) && is_language(name.substr(prefix.size()))) {
        return name.substr(prefix.size());
      }
    }
    classes.remove_prefix(end);
  }
  return {};
}

}  // namespace sallyport::content::html
