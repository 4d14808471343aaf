#include "src/content/media_type.hpp"

#include "src/content/ascii.hpp"
#include "src/content/signatures.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::content {
namespace {

// https://mimesniff.spec.whatwg.org/#http-token-code-point
constexpr bool is_token_char(char c) noexcept {
  return (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z') ||
         std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

constexpr bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out.push_back(text[i]);
  }
  return out;
}

// Where the parameter at the start of `text` ends: at a semicolon that is not in quotes.
std::size_t parameter_end(std::string_view text) noexcept {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted)
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (text[i] == ';' && !quoted)
      return i;
  }
  return text.size();
}

std::string charset_parameter(std::string_view parameters) {
  while (!parameters.empty()) {
    parameters.remove_prefix(1);  // the semicolon
    auto const end = parameter_end(parameters);
    auto const parameter = trimmed(parameters.substr(0, end));
    parameters.remove_prefix(end);
    auto const equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (lowered(trimmed(parameter.substr(0, equals))) != "charset") continue;
    auto const value = trimmed(parameter.substr(equals + 1));
    return lowered(value.starts_with('"') ? trimmed(unquoted(value)) : value);
  }
  return {};
}

bool is_any_of(std::string_view essence, std::initializer_list<std::string_view> list) noexcept {
  return std::ranges::find(list, essence) != list.end();
}

// Which kind of text a declared type is; Binary when it does not say that it is text.
Kind text_kind(std::string_view essence) noexcept {
  if (is_any_of(essence, {"text/html", "application/xhtml+xml"})) return Kind::Html;
  if (is_any_of(essence, {"application/json", "text/json"}) || essence.ends_with("+json")) {
    return Kind::Json;
  }
  if (is_any_of(essence, {"application/xml", "text/xml"}) || essence.ends_with("+xml")) {
    return Kind::Xml;
  }
  if (essence.starts_with("text/") ||
      is_any_of(essence, {"application/javascript", "application/ecmascript",
                          "application/x-javascript", "application/yaml", "application/x-yaml",
                          "application/toml", "application/sql", "application/x-ndjson",
                          "application/jsonl", "application/x-sh", "application/graphql",
                          "application/x-www-form-urlencoded", "application/x-tex"})) {
    return Kind::Text;
  }
  return Kind::Binary;
}

// https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type: these, then
// a blank or '>'.
constexpr std::array<std::string_view, 17> kHtmlStarts = {"<!doctype html",
                                                          "<html",
                                                          "<head",
                                                          "<script",
                                                          "<iframe",
                                                          "<h1",
                                                          "<div",
                                                          "<font",
                                                          "<table",
                                                          "<a",
                                                          "<style",
                                                          "<title",
                                                          "<b",
                                                          "<body",
                                                          "<br",
                                                          "<p",
                                                          "<!--"};

bool starts_like_html(std::string_view text) noexcept {
  return std::ranges::any_of(kHtmlStarts, [&](std::string_view start) {
    if (!starts_ignoring_case(text, start)) return false;
    if (start == "<!--") return true;
    return text.size() > start.size() &&
           (text[start.size()] == '>' || is_blank(text[start.size()]));
  });
}

Sniffed unknown_text(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  auto const text = trimmed(bytes.substr(0, 512));
  if (starts_like_html(text)) return {Kind::Html, "text/html"};
  if (text.starts_with("<?xml")) return {Kind::Xml, "text/xml"};
  return {Kind::Text, "text/plain"};
}

}  // namespace

MediaType MediaType::parse(std::string_view content_type) {
  auto const semicolon = std::min(content_type.find(';'), content_type.size());
  auto const essence = trimmed(content_type.substr(0, semicolon));
  auto const slash = essence.find('/');
  if (slash == std::string_view::npos || !is_token(essence.substr(0, slash)) ||
      !is_token(essence.substr(slash + 1))) {
    return {};
  }
  return {lowered(essence), charset_parameter(content_type.substr(semicolon))};
}

Sniffed sniff(std::string_view bytes, MediaType const& declared) {
  if (bytes.empty()) return {Kind::Empty, declared.essence};
  if (auto const known = by_signature(bytes, declared.essence)) return *known;
  auto const kind = text_kind(declared.essence);
  bool const wide = declared.charset.starts_with("utf-16") || looks_like_utf16(bytes);
  auto const tolerance = kind == Kind::Binary ? Controls::None : Controls::Few;
  if (wide || looks_like_text(bytes, tolerance)) {
    if (kind == Kind::Binary) return unknown_text(bytes);
    return {kind, declared.essence};
  }
  bool const says_text = kind != Kind::Binary || declared.essence.empty();
  return {Kind::Binary, says_text ? "application/octet-stream" : declared.essence};
}

}  // namespace sallyport::content
