// The translation of ECMA-262 expressions into RE2's, one token at a time. What both read in the
// same way is passed on; RE2 then checks the whole.
#include "src/json/schema/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace sallyport::json {
namespace {

constexpr std::string_view kAnyButLineEnd = R"([^\n\r\x{2028}\x{2029}])";
// For use inside a class. \p{Zs} is 20, a0, 1680, 2000-200a, 202f, 205f and 3000.
constexpr std::string_view kSpace = R"(\t-\r\x{feff}\x{2028}\x{2029}\p{Zs})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";
constexpr std::string_view kAnything = R"([\x{0}-\x{10ffff}])";

struct LongName {
  std::string_view name;
  std::string_view category;
};
constexpr std::array kCategories{
    LongName{"Letter", "L"},
    LongName{"Cased_Letter", "L"},
    LongName{"Uppercase_Letter", "Lu"},
    LongName{"Lowercase_Letter", "Ll"},
    LongName{"Titlecase_Letter", "Lt"},
    LongName{"Modifier_Letter", "Lm"},
    LongName{"Other_Letter", "Lo"},
    LongName{"Mark", "M"},
    LongName{"Combining_Mark", "M"},
    LongName{"Nonspacing_Mark", "Mn"},
    LongName{"Spacing_Mark", "Mc"},
    LongName{"Enclosing_Mark", "Me"},
    LongName{"Number", "N"},
    LongName{"Decimal_Number", "Nd"},
    LongName{"digit", "Nd"},
    LongName{"Letter_Number", "Nl"},
    LongName{"Other_Number", "No"},
    LongName{"Punctuation", "P"},
    LongName{"punct", "P"},
    LongName{"Connector_Punctuation", "Pc"},
    LongName{"Dash_Punctuation", "Pd"},
    LongName{"Open_Punctuation", "Ps"},
    LongName{"Close_Punctuation", "Pe"},
    LongName{"Initial_Punctuation", "Pi"},
    LongName{"Final_Punctuation", "Pf"},
    LongName{"Other_Punctuation", "Po"},
    LongName{"Symbol", "S"},
    LongName{"Math_Symbol", "Sm"},
    LongName{"Currency_Symbol", "Sc"},
    LongName{"Modifier_Symbol", "Sk"},
    LongName{"Other_Symbol", "So"},
    LongName{"Separator", "Z"},
    LongName{"Space_Separator", "Zs"},
    LongName{"Line_Separator", "Zl"},
    LongName{"Paragraph_Separator", "Zp"},
    LongName{"Other", "C"},
    LongName{"Control", "Cc"},
    LongName{"Format", "Cf"},
    LongName{"Private_Use", "Co"},
};

std::string_view re2_property(std::string_view name) {
  for (std::string_view const prefix :
       {"Script=", "sc=", "Script_Extensions=", "scx=", "General_Category=", "gc="}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  auto const* const found = std::find_if(kCategories.begin(), kCategories.end(),
                                         [name](auto const& entry) { return entry.name == name; });
  return found == kCategories.end() ? name : found->category;
}

bool is_letter_or_digit(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_';
}

class Translation {
 public:
  explicit Translation(std::string_view ecma) : rest_(ecma) {}

  Result<std::string> run() {
    while (!rest_.empty()) {
      if (in_class_) {
        SP_CHECK(class_token());
      } else {
        SP_CHECK(token());
      }
    }
    if (in_class_) return fail(Errc::InvalidInput, "a class without its closing bracket");
    return std::move(out_);
  }

 private:
  Result<void> token() {
    if (rest_.front() == '\\') return escape();
    if (rest_.front() == '(') return group();
    if (take("[]")) {
      out_ += kNothing;
    } else if (take("[^]")) {
      out_ += kAnything;
    } else if (take("[^")) {
      in_class_ = true;
      out_ += "[^";
    } else if (take("[")) {
      in_class_ = true;
      out_ += '[';
    } else if (take(".")) {
      out_ += kAnyButLineEnd;
    } else {
      pass_on();
    }
    return {};
  }

  Result<void> class_token() {
    if (rest_.front() == '\\') return escape();
    if (take("[")) {
      out_ += "\\[";  // RE2 would read [: as the start of a POSIX class
    } else {
      in_class_ = rest_.front() != ']';
      pass_on();
    }
    return {};
  }

  Result<void> group() {
    for (std::string_view const look : {"(?=", "(?!", "(?<=", "(?<!"}) {
      if (rest_.starts_with(look)) {
        return fail(Errc::InvalidInput, fmt::format("lookaround '{}' is not supported", look));
      }
    }
    if (take("(?<")) {
      auto const end = rest_.find('>');
      if (end == std::string_view::npos) return fail(Errc::InvalidInput, "a group name has no end");
      rest_.remove_prefix(end + 1);
      out_ += "(?:";
      return {};
    }
    pass_on();
    return {};
  }

  Result<void> escape() {
    rest_.remove_prefix(1);
    if (rest_.empty()) return fail(Errc::InvalidInput, "it ends with a backslash");
    auto const letter = rest_.front();
    rest_.remove_prefix(1);
    switch (letter) {
      case 's': return put_in_class(kSpace);
      case 'S': return put_in_class(kNotSpace);
      case 'c': return control();
      case 'x': return hexadecimal(2);
      case 'u': return unicode();
      case 'p':
      case 'P': return property(letter);
      case '0': return code_point(0);
      case 'b':
        if (in_class_) return code_point(8);
        out_ += "\\b";
        return {};
      default: return plain_escape(letter);
    }
  }

  Result<void> plain_escape(char letter) {
    constexpr std::string_view kSame = "dDwWBtnvfr";  // mean the same to RE2
    if ((letter >= '1' && letter <= '9') || letter == 'k') {
      return fail(Errc::InvalidInput, "backreferences are not supported");
    }
    if (is_letter_or_digit(letter) && kSame.find(letter) == std::string_view::npos) {
      return fail(Errc::InvalidInput, fmt::format("unknown escape '\\{}'", letter));
    }
    // What is escaped needlessly and is not ASCII stands for itself.
    if (static_cast<unsigned char>(letter) < 0x80) out_ += '\\';
    out_ += letter;
    return {};
  }

  Result<void> put_in_class(std::string_view members) {
    out_ += in_class_ ? std::string{members} : fmt::format("[{}]", members);
    return {};
  }

  Result<void> code_point(std::uint32_t value) {
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
      return fail(Errc::InvalidInput, fmt::format("\\u{{{:x}}} is not a character", value));
    }
    out_ += fmt::format("\\x{{{:x}}}", value);
    return {};
  }

  Result<void> control() {
    if (rest_.empty() || !is_letter_or_digit(rest_.front())) {
      return fail(Errc::InvalidInput, "a letter must follow '\\c'");
    }
    auto const letter = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return code_point(letter % 32U);
  }

  Result<void> hexadecimal(std::size_t digits) {
    auto const value = take_hexadecimal(digits);
    if (!value) return fail(Errc::InvalidInput, "hexadecimal digits must follow '\\x'");
    return code_point(*value);
  }

  Result<void> unicode() {
    auto const wrong = "hexadecimal digits must follow '\\u'";
    if (take("{")) {
      auto const end = rest_.find('}');
      auto const value = end > 8 ? std::nullopt : take_hexadecimal(end);
      if (!value || !take("}")) return fail(Errc::InvalidInput, wrong);
      return code_point(*value);
    }
    auto const first = take_hexadecimal(4);
    if (!first) return fail(Errc::InvalidInput, wrong);
    if (*first >= 0xd800 && *first < 0xdc00 && take("\\u")) {
      auto const second = take_hexadecimal(4);
      if (!second || *second < 0xdc00 || *second >= 0xe000) {
        return fail(Errc::InvalidInput, "a surrogate without its other half");
      }
      return code_point(0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
    }
    return code_point(*first);
  }

  Result<void> property(char letter) {
    auto const end = rest_.find('}');
    if (!take("{") || end == std::string_view::npos) {
      return fail(Errc::InvalidInput, fmt::format("a name in braces must follow '\\{}'", letter));
    }
    out_ += fmt::format("\\{}{{{}}}", letter, re2_property(rest_.substr(0, end - 1)));
    rest_.remove_prefix(end);
    return {};
  }

  std::optional<std::uint32_t> take_hexadecimal(std::size_t digits) {
    if (digits == 0 || rest_.size() < digits) return std::nullopt;
    std::uint32_t value{0};
    auto const text = rest_.substr(0, digits);
    if (std::from_chars(text.begin(), text.end(), value, 16).ptr != text.end()) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void pass_on() {
    out_ += rest_.front();
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  std::string out_;
  bool in_class_{false};
};

}  // namespace

Result<std::string> to_re2_syntax(std::string_view ecma) {
  return Translation{ecma}.run();
}

}  // namespace sallyport::json
