#include "src/rego/time/layout.hpp"

#include <array>
#include <utility>

namespace sallyport::rego::time {
namespace {

// What begins at a place of the layout; None: plain text.
struct Match {
  Element element{Element::None};
  std::size_t length{0};
  std::size_t skip{0};  // of it: plain text before the element
  OffsetStyle offset;
  std::size_t digits{0};
};

bool is_digit(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool has_lower_case(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
}

Match match_m(std::string_view rest) {
  if (rest.starts_with("Monday")) return {.element = Element::LongWeekday, .length = 6};
  // "Month" is no weekday.
  if (rest.starts_with("Mon") && !has_lower_case(rest, 3))
    return {.element = Element::Weekday, .length = 3};
  if (rest.starts_with("MST")) return {.element = Element::ZoneName, .length = 3};
  return {};
}

Match match_j(std::string_view rest) {
  if (rest.starts_with("January")) return {.element = Element::LongMonth, .length = 7};
  if (rest.starts_with("Jan") && !has_lower_case(rest, 3))
    return {.element = Element::Month, .length = 3};
  return {};
}

Match match_zero(std::string_view rest) {
  static constexpr std::array kElements{Element::ZeroMonth,  Element::ZeroDay,
                                        Element::ZeroHour12, Element::ZeroMinute,
                                        Element::ZeroSecond, Element::Year};
  if (rest.size() >= 2 && rest[1] >= '1' && rest[1] <= '6') {
    return {.element = kElements[static_cast<std::size_t>(rest[1] - '1')], .length = 2};
  }
  if (rest.starts_with("002")) return {.element = Element::ZeroYearDay, .length = 3};
  return {};
}

Match match_underscore(std::string_view rest) {
  if (rest.starts_with("_2006")) return {.element = Element::LongYear, .length = 5, .skip = 1};
  if (rest.starts_with("_2")) return {.element = Element::SpaceDay, .length = 2};
  if (rest.starts_with("__2")) return {.element = Element::SpaceYearDay, .length = 3};
  return {};
}

// Behind the sign, the longer ones first.
constexpr std::array<std::pair<std::string_view, OffsetStyle>, 5> kOffsets{{
    {"070000", {.has_minutes = true, .has_seconds = true}},
    {"07:00:00", {.has_minutes = true, .has_seconds = true, .has_colons = true}},
    {"0700", {.has_minutes = true}},
    {"07:00", {.has_minutes = true, .has_colons = true}},
    {"07", {}},
}};

Match match_offset(std::string_view rest) {
  for (auto const& [digits, style] : kOffsets) {
    if (!rest.substr(1).starts_with(digits)) continue;
    Match match{.element = Element::Offset, .length = digits.size() + 1, .offset = style};
    match.offset.has_z = rest.front() == 'Z';
    return match;
  }
  return {};
}

Match match_fraction(std::string_view rest) {
  if (rest.size() < 2 || (rest[1] != '0' && rest[1] != '9')) return {};
  std::size_t end = 1;
  while (end < rest.size() && rest[end] == rest[1]) ++end;
  if (is_digit(rest, end)) return {};  // only fractions are all the same digit
  return {.element = rest[1] == '0' ? Element::FractionZeros : Element::FractionNines,
          .length = end,
          .digits = (end - 1) & 0xFFFU};  // as Go, which keeps twelve bits
}

Match match_at(std::string_view rest) {
  switch (rest.front()) {
    case 'J': return match_j(rest);
    case 'M': return match_m(rest);
    case '0': return match_zero(rest);
    case '1':
      return rest.starts_with("15") ? Match{.element = Element::Hour, .length = 2}
                                    : Match{.element = Element::NumberMonth, .length = 1};
    case '2':
      return rest.starts_with("2006") ? Match{.element = Element::LongYear, .length = 4}
                                      : Match{.element = Element::Day, .length = 1};
    case '_': return match_underscore(rest);
    case '3': return {.element = Element::Hour12, .length = 1};
    case '4': return {.element = Element::Minute, .length = 1};
    case '5': return {.element = Element::Second, .length = 1};
    case 'P':
      return rest.starts_with("PM") ? Match{.element = Element::UpperPm, .length = 2} : Match{};
    case 'p':
      return rest.starts_with("pm") ? Match{.element = Element::LowerPm, .length = 2} : Match{};
    case '-':
    case 'Z': return match_offset(rest);
    case '.':
    case ',': return match_fraction(rest);
    default: return {};
  }
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNamed{{
    {"ANSIC", "Mon Jan _2 15:04:05 2006"},
    {"UnixDate", "Mon Jan _2 15:04:05 MST 2006"},
    {"RubyDate", "Mon Jan 02 15:04:05 -0700 2006"},
    {"RFC822", "02 Jan 06 15:04 MST"},
    {"RFC822Z", "02 Jan 06 15:04 -0700"},
    {"RFC850", "Monday, 02-Jan-06 15:04:05 MST"},
    {"RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"},
    {"RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"},
    {"RFC3339", "2006-01-02T15:04:05Z07:00"},
    {"RFC3339Nano", "2006-01-02T15:04:05.999999999Z07:00"},
}};

}  // namespace

Chunk next_chunk(std::string_view layout) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    auto const match = match_at(layout.substr(i));
    if (match.element == Element::None) continue;
    auto const start = i + match.skip;
    return {.before = layout.substr(0, start),
            .element = match.element,
            .text = layout.substr(start, match.length - match.skip),
            .after = layout.substr(i + match.length),
            .offset = match.offset,
            .digits = match.digits,
            .separator = layout[i]};
  }
  return {.before = layout};
}

std::string_view named_layout(std::string_view name) {
  for (auto const& [known, layout] : kNamed) {
    if (known == name) return layout;
  }
  return name;
}

std::string quote(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out{'"'};
  for (auto const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += "\\x";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

}  // namespace sallyport::rego::time
