#include "src/http/cache_control.hpp"

#include "src/http/chars.hpp"

#include <algorithm>

namespace sallyport::http {
namespace {

constexpr std::chrono::seconds kLongest{1LL << 31};

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return text;
  return text.substr(1, text.size() - 2);
}

void take_smallest(std::optional<std::chrono::seconds>& kept, std::string_view value) {
  auto const seconds = parse_delta_seconds(unquoted(value)).value_or(std::chrono::seconds{0});
  kept = kept ? std::min(*kept, seconds) : seconds;
}

void take_directive(CacheControl& control, std::string_view directive) {
  auto const equals = directive.find('=');
  bool const has_value = equals != std::string_view::npos;
  auto const name = trimmed(directive.substr(0, equals));
  auto const value = has_value ? trimmed(directive.substr(equals + 1)) : std::string_view{};
  auto const is = [&](std::string_view other) { return equals_ignoring_case(name, other); };
  if (is("no-store")) control.no_store = true;
  if (is("no-cache") && !has_value) control.no_cache = true;
  if (is("no-cache") && has_value) {
    for (auto const field : list_members(unquoted(value))) {
      control.no_cache_fields.emplace_back(field);
    }
  }
  if (is("must-revalidate")) control.must_revalidate = true;
  if (is("must-understand")) control.must_understand = true;
  if (is("public")) control.is_public = true;
  if (is("private")) control.is_private = true;
  if (is("only-if-cached")) control.only_if_cached = true;
  if (is("max-age")) take_smallest(control.max_age, value);
  if (is("min-fresh")) take_smallest(control.min_fresh, value);
  if (is("max-stale") && has_value) take_smallest(control.max_stale, value);
  if (is("max-stale") && !has_value && !control.max_stale) control.max_stale = kLongest;
}

}  // namespace

CacheControl CacheControl::of(Headers const& headers) {
  CacheControl control;
  for (auto const& field : headers) {
    if (!equals_ignoring_case(field.name, "cache-control")) continue;
    control.present = true;
    for (auto const directive : list_members(field.value)) take_directive(control, directive);
  }
  return control;
}

std::optional<std::string> combined_value(Headers const& headers, std::string_view name) {
  std::optional<std::string> all;
  for (auto const& field : headers) {
    if (!equals_ignoring_case(field.name, name)) continue;
    all = all ? *all + ", " + field.value : field.value;
  }
  return all;
}

std::vector<std::string_view> list_members(std::string_view text) {
  std::vector<std::string_view> members;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size()) {
      if (quoted && text[at] == '\\')
        ++at;
      else if (text[at] == '"')
        quoted = !quoted;
      if (at >= text.size() || quoted || text[at] != ',') continue;
    }
    auto const member = trimmed(text.substr(start, at - start));
    if (!member.empty()) members.push_back(member);
    start = at + 1;
  }
  return members;
}

std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::chrono::seconds value{0};
  for (char const c : text) {
    value = std::min(value * 10 + std::chrono::seconds{c - '0'}, kLongest);
  }
  return value;
}

}  // namespace sallyport::http
