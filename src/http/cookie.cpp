#include "src/http/cookie.hpp"

#include "src/base/ascii.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"

#include <algorithm>

namespace sallyport::http {
namespace {

constexpr std::size_t kLongestPair = 4096;
constexpr std::size_t kLongestAttribute = 1024;
constexpr std::chrono::days kLongestLife{400};

struct Pair {
  std::string_view name;
  std::string_view value;
  bool has_value{false};
};

Pair split_pair(std::string_view text) {
  auto const equals = text.find('=');
  if (equals == std::string_view::npos) return {trimmed(text), {}, false};
  return {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)), true};
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return !is_field_value_char(c); });
}

// Without a value: the attribute is ignored.
std::optional<WallTime> end_of_max_age(std::string_view text, WallTime now) {
  bool const negative = text.starts_with('-');
  auto const number = negative ? text.substr(1) : text;
  if (text.empty() || !std::ranges::all_of(number, is_digit)) return std::nullopt;
  std::chrono::seconds age{0};
  for (char const c : number) {
    age = std::min<std::chrono::seconds>(age * 10 + std::chrono::seconds{c - '0'}, kLongestLife);
  }
  if (negative || age.count() == 0) return WallTime::min();
  return now + age;
}

SameSite same_site_of(std::string_view value) {
  if (equals_ignoring_case(value, "none")) return SameSite::None;
  if (equals_ignoring_case(value, "strict")) return SameSite::Strict;
  if (equals_ignoring_case(value, "lax")) return SameSite::Lax;
  return SameSite::Default;
}

class AttributeReader {
 public:
  AttributeReader(SetCookie& cookie, WallTime now) : cookie_{cookie}, now_{now} {}

  void read(std::string_view text) {
    auto const [name, value, has_value] = split_pair(text);
    if (value.size() > kLongestAttribute) return;
    if (equals_ignoring_case(name, "expires")) {
      read_expires(value);
    } else if (equals_ignoring_case(name, "max-age")) {
      if (auto const end = end_of_max_age(value, now_)) max_age_ = end;
    } else if (equals_ignoring_case(name, "domain")) {
      cookie_.domain = lowered(value.substr(value.starts_with('.') ? 1 : 0));
    } else if (equals_ignoring_case(name, "path")) {
      cookie_.path.reset();
      if (value.starts_with('/')) cookie_.path = value;
    } else if (equals_ignoring_case(name, "secure")) {
      cookie_.secure = true;
    } else if (equals_ignoring_case(name, "httponly")) {
      cookie_.http_only = true;
    } else if (equals_ignoring_case(name, "samesite")) {
      cookie_.same_site = same_site_of(value);
    }
  }

  void finish() { cookie_.expires = max_age_ ? max_age_ : expires_; }

 private:
  void read_expires(std::string_view value) {
    if (auto const date = parse_cookie_date(value)) expires_ = std::min(*date, now_ + kLongestLife);
  }

  SetCookie& cookie_;
  WallTime now_;
  std::optional<WallTime> max_age_;
  std::optional<WallTime> expires_;
};

}  // namespace

std::optional<SetCookie> parse_set_cookie(std::string_view text, WallTime now) {
  if (has_control(text)) return std::nullopt;
  auto end = text.find(';');
  auto const pair = split_pair(text.substr(0, end));
  SetCookie cookie;
  // A text without '=' is a value without a name.
  cookie.name = pair.has_value ? pair.name : std::string_view{};
  cookie.value = pair.has_value ? pair.value : pair.name;
  auto const size = cookie.name.size() + cookie.value.size();
  if (size == 0 || size > kLongestPair) return std::nullopt;
  AttributeReader attributes{cookie, now};
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    end = text.find(';');
    attributes.read(text.substr(0, end));
  }
  attributes.finish();
  return cookie;
}

}  // namespace sallyport::http
