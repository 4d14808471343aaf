#include "src/content/html/links.hpp"

#include "src/content/html/characters.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

std::string_view scheme_of(std::string_view reference) noexcept {
  std::size_t i = 0;
  while (i < reference.size() && (is_alphanumeric(reference[i]) || reference[i] == '+' ||
                                  reference[i] == '-' || reference[i] == '.')) {
    ++i;
  }
  auto const found = i > 0 && i < reference.size() && reference[i] == ':';
  return found ? reference.substr(0, i) : std::string_view{};
}

bool leads_nowhere(std::string_view scheme) noexcept {
  for (auto const* const name : {"javascript", "data", "vbscript", "blob", "about"}) {
    if (equal_ignoring_case(scheme, name)) return true;
  }
  return false;
}

bool must_be_encoded(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '<' || c == '>' || c == '"' ||
         c == '|' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '}';
}

// Nothing that parsing would change, as far as links are concerned.
bool is_clean(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return must_be_encoded(c) || static_cast<unsigned char>(c) >= 0x80;
  });
}

// Safe between Markdown's parentheses and in a table's cell.
std::string encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (auto const c : text) {
    if (must_be_encoded(c)) {
      auto const byte = static_cast<unsigned char>(c);
      result.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    } else {
      result.push_back(c);
    }
  }
  return result;
}

// The URL Standard takes them out wherever they stand.
std::string without_line_breaks(std::string_view text) {
  std::string result{trimmed(text)};
  std::erase_if(result, [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\0'; });
  return result;
}

}  // namespace

Links::Links(url::Url const* base, std::string_view document_base) {
  if (base != nullptr) base_ = *base;
  if (!document_base.empty()) {
    auto parsed = url::Url::parse(document_base, base);
    if (parsed) base_ = std::move(*parsed);
  }
  if (!base_) return;
  base_document_ = encoded(base_->without_fragment().href());
  if (base_->scheme() == "http" || base_->scheme() == "https") origin_ = base_->origin();
}

std::optional<std::string> Links::resolve(std::string_view given) const {
  auto const reference = without_line_breaks(given);
  if (reference.empty()) return std::nullopt;
  auto const scheme = scheme_of(reference);
  if (leads_nowhere(scheme)) return std::nullopt;
  if (!base_) return encoded(reference);
  // Most links need no parser.
  if (is_clean(reference)) {
    if (reference.starts_with("https://") || reference.starts_with("http://")) return reference;
    if (reference.front() == '#') return base_document_ + reference;
    if (reference.front() == '/' && !reference.starts_with("//") && !origin_.empty() &&
        reference.find("/.") == std::string::npos && reference.find("%2") == std::string::npos) {
      return origin_ + reference;
    }
  }
  auto const parsed = url::Url::parse(reference, &*base_);
  return encoded(parsed ? parsed->href() : reference);
}

}  // namespace sallyport::content::html
