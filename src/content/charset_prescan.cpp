#include "src/content/charset_prescan.hpp"

#include "src/content/ascii.hpp"

#include <optional>
#include <utility>

namespace sallyport::content {
namespace {

constexpr std::size_t kScanned = 1024;

constexpr bool is_letter(char c) noexcept {
  return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

struct Attribute {
  std::string name;
  std::string value;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_{text} {}

  bool done() const noexcept { return rest_.empty(); }
  bool at(std::string_view lower_prefix) const noexcept {
    return starts_ignoring_case(rest_, lower_prefix);
  }
  char peek(std::size_t ahead = 0) const noexcept {
    return ahead < rest_.size() ? rest_[ahead] : '\0';
  }
  void skip(std::size_t count) noexcept { rest_.remove_prefix(std::min(count, rest_.size())); }
  void skip_past(std::string_view end) noexcept {
    auto const found = rest_.find(end);
    skip(found == std::string_view::npos ? rest_.size() : found + end.size());
  }
  void skip_blanks() noexcept {
    while (!done() && is_blank(peek())) skip(1);
  }

  // https://html.spec.whatwg.org/multipage/parsing.html#concept-get-attributes-when-sniffing
  std::optional<Attribute> attribute() {
    while (!done() && (is_blank(peek()) || peek() == '/')) skip(1);
    if (done() || peek() == '>') return std::nullopt;
    Attribute attribute{.name = name(), .value = {}};
    skip_blanks();
    if (peek() != '=') return attribute;
    skip(1);
    skip_blanks();
    attribute.value = value();
    return attribute;
  }

 private:
  std::string name() {
    std::size_t end = 0;
    while (end < rest_.size() && !is_blank(rest_[end]) && rest_[end] != '/' && rest_[end] != '>' &&
           (rest_[end] != '=' || end == 0)) {
      ++end;
    }
    return take(end);
  }

  std::string value() {
    if (char const quote = peek(); quote == '"' || quote == '\'') {
      skip(1);
      auto text = take(std::min(rest_.find(quote), rest_.size()));
      skip(1);
      return text;
    }
    std::size_t end = 0;
    while (end < rest_.size() && !is_blank(rest_[end]) && rest_[end] != '>') ++end;
    return take(end);
  }

  std::string take(std::size_t count) {
    auto text = lowered(rest_.substr(0, count));
    skip(count);
    return text;
  }

  std::string_view rest_;
};

// https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
std::string charset_in_content(std::string_view content) {
  constexpr std::string_view kWord{"charset"};
  while (true) {
    auto const found = content.find(kWord);
    if (found == std::string_view::npos) return {};
    content.remove_prefix(found + kWord.size());
    auto rest = trimmed(content);
    if (!rest.starts_with('=')) continue;
    rest = trimmed(rest.substr(1));
    if (rest.starts_with('"') || rest.starts_with('\'')) {
      auto const close = rest.find(rest.front(), 1);
      return close == std::string_view::npos ? std::string{}
                                             : std::string{rest.substr(1, close - 1)};
    }
    return std::string{rest.substr(0, rest.find_first_of("; \t\r\n\f"))};
  }
}

std::string charset_of_meta(Scanner& scanner) {
  std::string charset;
  std::string from_content;
  bool declares_type = false;
  while (auto attribute = scanner.attribute()) {
    if (attribute->name == "charset" && charset.empty()) charset = attribute->value;
    if (attribute->name == "http-equiv") declares_type |= attribute->value == "content-type";
    if (attribute->name == "content" && from_content.empty()) {
      from_content = charset_in_content(attribute->value);
    }
  }
  if (charset.empty() && declares_type) return from_content;
  return charset;
}

bool is_meta(Scanner const& scanner) noexcept {
  return scanner.at("<meta") && (is_blank(scanner.peek(5)) || scanner.peek(5) == '/');
}

}  // namespace

std::string meta_charset(std::string_view html) {
  Scanner scanner{html.substr(0, kScanned)};
  while (!scanner.done()) {
    if (scanner.at("<!--")) {
      scanner.skip(2);  // so that "<!-->" ends itself
      scanner.skip_past("-->");
    } else if (is_meta(scanner)) {
      scanner.skip(5);
      if (auto charset = charset_of_meta(scanner); !charset.empty()) return charset;
    } else if (scanner.peek() == '<' && (is_letter(scanner.peek(1)) ||
                                         (scanner.peek(1) == '/' && is_letter(scanner.peek(2))))) {
      while (!scanner.done() && !is_blank(scanner.peek()) && scanner.peek() != '>') scanner.skip(1);
      while (scanner.attribute()) {
      }
    } else if (scanner.at("<!") || scanner.at("</") || scanner.at("<?")) {
      scanner.skip_past(">");
    } else {
      scanner.skip(1);
    }
  }
  return {};
}

std::string xml_charset(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return {};
  Scanner scanner{bytes.substr(5, std::min(bytes.substr(0, kScanned).find("?>"), kScanned))};
  while (auto attribute = scanner.attribute()) {
    if (attribute->name == "encoding") return std::move(attribute->value);
  }
  return {};
}

std::string_view utf16_without_mark(std::string_view bytes) noexcept {
  auto const sample = bytes.substr(0, 512);
  if (sample.size() < 8 || sample.find('\0') == std::string_view::npos) return {};
  std::size_t zeros[2] = {0, 0};
  std::size_t controls = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] == '\0')
      ++zeros[i % 2];
    else if (is_binary_byte(sample[i]))
      ++controls;
  }
  auto const half = sample.size() / 2;
  if (controls * 32 > half) return {};
  if (zeros[0] * 4 >= half * 3 && zeros[1] * 8 <= half) return "utf-16be";
  if (zeros[1] * 4 >= half * 3 && zeros[0] * 8 <= half) return "utf-16le";
  return {};
}

}  // namespace sallyport::content
