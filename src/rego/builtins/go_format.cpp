#include "src/rego/builtins/go_format.hpp"

#include "src/rego/builtins/go_number.hpp"
#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/runes.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

namespace sallyport::rego::builtins {
namespace {

using Kind = FormatArgument::Kind;

// What stands between the percent sign and the verb.
struct Flags {
  bool plus{false};
  bool minus{false};
  bool sharp{false};
  bool space{false};
  bool zero{false};
  bool go_syntax{false};  // %#v
  bool has_width{false};
  bool has_precision{false};
  std::size_t width{0};
  std::size_t precision{0};
};

constexpr std::int64_t kLargestNumber = 1'000'000;  // of a width or a precision; Go's limit

class Printer {
 public:
  Printer(TextBuilder& out, Flags& flags) : out_{out}, flags_{flags} {}

  void print(FormatArgument const& argument, char32_t verb) {
    if (verb == 'T') return pad(cut(argument.type_name));
    bool known = false;
    switch (argument.kind) {
      case Kind::Text: known = print_text(argument.text, verb); break;
      case Kind::Boolean: known = print_boolean(argument.integer != 0, verb); break;
      case Kind::Integer: known = print_integer(argument.integer, verb); break;
      case Kind::Float: known = print_float(argument.real, verb); break;
      case Kind::BigInteger: known = print_big(argument.text, verb); break;
    }
    if (!known) print_bad_verb(argument, verb);
  }

 private:
  void print_bad_verb(FormatArgument const& argument, char32_t verb) {
    out_.append("%!");
    out_.append(encode(verb).view());
    out_.append('(');
    out_.append(argument.kind == Kind::BigInteger ? "big.Int" : argument.type_name);
    out_.append('=');
    if (argument.kind == Kind::BigInteger) {
      out_.append(argument.text);
    } else {
      print(argument, 'v');
    }
    out_.append(')');
  }

  std::string_view cut(std::string_view text) const {
    return flags_.has_precision ? text.substr(0, offset_of_rune(text, flags_.precision)) : text;
  }

  void append_padding(std::size_t count) {
    out_.append(count, flags_.zero && !flags_.minus ? '0' : ' ');
  }

  void pad(std::string_view text) {
    auto const size = flags_.has_width ? count_runes(text) : 0;
    auto const missing = flags_.has_width && flags_.width > size ? flags_.width - size : 0;
    if (!flags_.minus) append_padding(missing);
    out_.append(text);
    if (flags_.minus) append_padding(missing);
  }

  // With spaces only: zeros are in the text already where they are wanted.
  void pad_with_spaces(std::string_view text) {
    auto const zero = std::exchange(flags_.zero, false);
    pad(text);
    flags_.zero = zero;
  }

  bool print_boolean(bool value, char32_t verb) {
    if (verb != 't' && verb != 'v') return false;
    pad(value ? "true" : "false");
    return true;
  }

  bool print_text(std::string_view text, char32_t verb) {
    switch (verb) {
      case 'v':
        if (flags_.go_syntax) {
          print_quoted(text);
        } else {
          pad(cut(text));
        }
        return true;
      case 's': pad(cut(text)); return true;
      case 'x':
      case 'X': print_hex(text, verb == 'X'); return true;
      case 'q': print_quoted(text); return true;
      default: return false;
    }
  }

  void print_quoted(std::string_view text) {
    text = cut(text);
    if (flags_.sharp && can_be_raw(text)) {
      pad("`" + std::string{text} + "`");
    } else {
      pad(quoted(text, flags_.plus ? Quoting::AsciiOnly : Quoting::Unicode));
    }
  }

  static bool can_be_raw(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(first_rune(text).width)) {
      auto const rune = first_rune(text);
      if (rune.is_malformed() || rune.code == 0xFEFF || rune.code == '`' || rune.code == 0x7F ||
          (rune.code < 0x20 && rune.code != '\t')) {
        return false;
      }
    }
    return true;
  }

  void print_hex(std::string_view text, bool upper_case) {
    if (flags_.has_precision) text = text.substr(0, flags_.precision);
    auto const* const digits = upper_case ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string_view const prefix = upper_case ? "0X" : "0x";
    std::size_t width = text.size() * 2;
    if (text.empty()) return append_padding(flags_.width);
    if (flags_.space) {
      width = text.size() * (flags_.sharp ? 4 : 2) + text.size() - 1;
    } else if (flags_.sharp) {
      width += 2;
    }
    auto const missing = flags_.has_width && flags_.width > width ? flags_.width - width : 0;
    if (!flags_.minus) append_padding(missing);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (flags_.space && i != 0) out_.append(' ');
      if (flags_.sharp && (flags_.space || i == 0)) out_.append(prefix);
      auto const byte = static_cast<unsigned char>(text[i]);
      out_.append(digits[byte >> 4]);
      out_.append(digits[byte & 0xF]);
    }
    if (flags_.minus) append_padding(missing);
  }

  bool print_integer(std::int64_t value, char32_t verb) {
    switch (verb) {
      case 'v':
      case 'd': print_digits(value, 10, verb); return true;
      case 'b': print_digits(value, 2, verb); return true;
      case 'o':
      case 'O': print_digits(value, 8, verb); return true;
      case 'x':
      case 'X': print_digits(value, 16, verb); return true;
      case 'c': pad(encode(rune_of(value)).view()); return true;
      case 'q':
        pad(quoted_rune(rune_of(value), flags_.plus ? Quoting::AsciiOnly : Quoting::Unicode));
        return true;
      case 'U': print_code_point(static_cast<std::uint64_t>(value)); return true;
      default: return false;
    }
  }

  static char32_t rune_of(std::int64_t value) noexcept {
    return value < 0 || value > static_cast<std::int64_t>(kLastRune) ? kReplacementRune
                                                                     : static_cast<char32_t>(value);
  }

  void print_digits(std::int64_t value, unsigned base, char32_t verb) {
    auto const negative = value < 0;
    auto const magnitude =
        negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    std::size_t least = 0;
    if (flags_.has_precision) {
      least = flags_.precision;
      if (least == 0 && value == 0) {
        if (flags_.has_width) out_.append(flags_.width, ' ');
        return;
      }
    } else if (flags_.zero && !flags_.minus && flags_.has_width) {
      least = flags_.width;
      if (least != 0 && (negative || flags_.plus || flags_.space)) --least;
    }
    auto digits = digits_of(magnitude, base, verb == 'X');
    if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
    if (flags_.sharp) digits.insert(0, prefix_of(base, verb, digits));
    if (verb == 'O') digits.insert(0, "0o");
    digits.insert(0, sign(negative));
    pad_with_spaces(digits);
  }

  static std::string_view prefix_of(unsigned base, char32_t verb, std::string_view digits) {
    if (base == 2) return "0b";
    if (base == 8) return digits.starts_with('0') ? "" : "0";
    if (base == 16) return verb == 'X' ? "0X" : "0x";
    return "";
  }

  std::string_view sign(bool negative) const noexcept {
    return negative ? "-" : flags_.plus ? "+" : flags_.space ? " " : "";
  }

  void print_code_point(std::uint64_t value) {
    auto digits = digits_of(value, 16, true);
    auto const least = flags_.has_precision && flags_.precision > 4 ? flags_.precision : 4;
    if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
    auto text = "U+" + digits;
    if (flags_.sharp && value <= kLastRune && is_printable(static_cast<char32_t>(value))) {
      text += " '" + std::string{encode(static_cast<char32_t>(value)).view()} + "'";
    }
    pad_with_spaces(text);
  }

  // As Go's big.Int formats itself, which is not quite as it formats an int.
  bool print_big(std::string_view decimal, char32_t verb) {
    unsigned base = 0;
    switch (verb) {
      case 'b': base = 2; break;
      case 'o':
      case 'O': base = 8; break;
      case 'd':
      case 's':
      case 'v': base = 10; break;
      case 'x':
      case 'X': base = 16; break;
      default: return false;
    }
    auto const negative = decimal.starts_with('-');
    auto digits = digits_of(decimal.substr(negative ? 1 : 0), base, verb == 'X');
    std::string head{sign(negative)};
    if (flags_.sharp && base != 8) head += prefix_of(base, verb, digits);
    if (flags_.sharp && verb == 'o') head += '0';
    if (verb == 'O') head += "0o";
    if (flags_.has_precision && digits.size() < flags_.precision) {
      digits.insert(0, flags_.precision - digits.size(), '0');
    }
    auto const size = head.size() + digits.size();
    if (flags_.has_width && flags_.zero && !flags_.minus && !flags_.has_precision &&
        size < flags_.width) {
      digits.insert(0, flags_.width - size, '0');
    }
    pad_with_spaces(head + digits);
    return true;
  }

  bool print_float(double value, char32_t verb) {
    switch (verb) {
      case 'v': print_digits_of_float(value, 'g', -1); return true;
      case 'b':
      case 'g':
      case 'G':
      case 'x':
      case 'X': print_digits_of_float(value, static_cast<char>(verb), -1); return true;
      case 'f':
      case 'e':
      case 'E': print_digits_of_float(value, static_cast<char>(verb), 6); return true;
      case 'F': print_digits_of_float(value, 'f', 6); return true;
      default: return false;
    }
  }

  void print_digits_of_float(double value, char verb, int precision) {
    if (flags_.has_precision) precision = static_cast<int>(flags_.precision);
    auto number = format_float(value, verb, precision);
    if (flags_.space && number.front() == '+' && !flags_.plus) number.front() = ' ';
    if (flags_.sharp && verb != 'b') keep_point(number, verb, precision);
    if (!flags_.plus && number.front() == '+') return pad(std::string_view{number}.substr(1));
    if (flags_.zero && !flags_.minus && flags_.has_width && flags_.width > number.size()) {
      // The sign comes before the zeros.
      out_.append(number.front());
      append_padding(flags_.width - number.size());
      out_.append(std::string_view{number}.substr(1));
      return;
    }
    pad(number);
  }

  // The sharp flag: a decimal point in any case, and for %g the zeros behind it.
  static void keep_point(std::string& number, char verb, int precision) {
    auto const is_hex = verb == 'x' || verb == 'X';
    int missing = 0;
    if (verb == 'g' || verb == 'G' || verb == 'x') missing = precision < 0 ? 6 : precision;
    auto const tail_at = number.find_first_of(is_hex ? "pP" : "eE", 1);
    std::string tail;
    if (tail_at != std::string::npos) {
      tail = number.substr(tail_at);
      number.resize(tail_at);
    }
    bool seen = false;
    for (char const c : number.substr(1)) {
      if (c == '.') continue;
      seen = seen || c != '0';
      if (seen) --missing;
    }
    if (number.find('.') == std::string::npos) {
      if (number.size() == 2 && number[1] == '0') --missing;
      number += '.';
    }
    if (missing > 0) number.append(static_cast<std::size_t>(missing), '0');
    number += tail;
  }

  TextBuilder& out_;
  Flags& flags_;
};

class Formatter {
 public:
  Formatter(TextBuilder& out, std::string_view format, std::span<FormatArgument const> arguments)
      : out_{out}, format_{format}, arguments_{arguments} {}

  void run() {
    while (at_ < format_.size() && !out_.is_full()) {
      auto const percent = std::min(format_.find('%', at_), format_.size());
      out_.append(format_.substr(at_, percent - at_));
      at_ = percent + 1;
      if (percent == format_.size()) break;
      if (!print_directive()) break;
    }
    if (!reordered_ && next_ < arguments_.size()) print_extra();
  }

 private:
  bool at(char c) const noexcept { return at_ < format_.size() && format_[at_] == c; }
  bool take(char c) noexcept {
    if (!at(c)) return false;
    ++at_;
    return true;
  }

  // False: the format ends within it.
  bool print_directive() {
    flags_ = {};
    good_index_ = true;
    read_flags();
    auto after_index = read_index();
    read_width(after_index);
    if (take('.')) {
      if (after_index) good_index_ = false;
      after_index = read_precision();
    }
    if (!after_index) read_index();
    if (at_ >= format_.size()) {
      out_.append("%!(NOVERB)");
      return false;
    }
    auto const verb = first_rune(format_.substr(at_));
    at_ += verb.width;
    print_verb(verb.code);
    return true;
  }

  void read_flags() {
    for (; at_ < format_.size(); ++at_) {
      switch (format_[at_]) {
        case '#': flags_.sharp = true; break;
        case '0': flags_.zero = true; break;
        case '+': flags_.plus = true; break;
        case '-': flags_.minus = true; break;
        case ' ': flags_.space = true; break;
        default: return;
      }
    }
  }

  void read_width(bool& after_index) {
    if (take('*')) {
      auto const width = take_number_argument();
      after_index = false;
      if (!width) return out_.append("%!(BADWIDTH)");
      flags_.has_width = true;
      flags_.width = static_cast<std::size_t>(std::abs(*width));
      if (*width < 0) {
        flags_.minus = true;
        flags_.zero = false;
      }
      return;
    }
    flags_.has_width = read_number(format_.size(), flags_.width);
    if (after_index && flags_.has_width) good_index_ = false;
  }

  // Whether an index has just been read.
  bool read_precision() {
    auto const after_index = read_index();
    if (!take('*')) {
      if (!read_number(format_.size(), flags_.precision)) flags_.precision = 0;
      flags_.has_precision = true;
      return after_index;
    }
    auto const precision = take_number_argument();
    flags_.has_precision = precision && *precision >= 0;
    if (flags_.has_precision) {
      flags_.precision = static_cast<std::size_t>(*precision);
    } else {
      out_.append("%!(BADPREC)");
    }
    return false;
  }

  // A number that is too large takes the rest of the format with it, as in Go.
  bool read_number(std::size_t end, std::size_t& number) {
    number = 0;
    bool any = false;
    for (; at_ < end && format_[at_] >= '0' && format_[at_] <= '9'; ++at_) {
      if (number > static_cast<std::size_t>(kLargestNumber)) {
        number = 0;
        at_ = end;
        return false;
      }
      number = number * 10 + static_cast<std::size_t>(format_[at_] - '0');
      any = true;
    }
    return any;
  }

  std::optional<std::int64_t> take_number_argument() {
    if (next_ >= arguments_.size()) return std::nullopt;
    auto const& argument = arguments_[next_++];
    if (argument.kind != Kind::Integer || argument.integer > kLargestNumber ||
        argument.integer < -kLargestNumber) {
      return std::nullopt;
    }
    return argument.integer;
  }

  // "[2]": the next argument to use. True where there was a well-formed one.
  bool read_index() {
    if (!at('[')) return false;
    reordered_ = true;
    auto const close = format_.find(']', at_);
    if (format_.size() - at_ < 3 || close == std::string_view::npos) {
      good_index_ = false;
      ++at_;
      return false;
    }
    ++at_;
    std::size_t index = 0;
    auto const is_number = read_number(close, index) && at_ == close;
    at_ = close + 1;
    if (!is_number || index < 1 || index > arguments_.size()) {
      good_index_ = false;
      return is_number;
    }
    next_ = index - 1;
    return true;
  }

  void print_verb(char32_t verb) {
    if (verb == '%') return out_.append('%');
    if (!good_index_) return complain(verb, "BADINDEX");
    if (next_ >= arguments_.size()) return complain(verb, "MISSING");
    if (verb == 'v') {
      flags_.go_syntax = std::exchange(flags_.sharp, false);
      flags_.plus = false;
    }
    Printer{out_, flags_}.print(arguments_[next_++], verb);
  }

  void complain(char32_t verb, std::string_view what) {
    out_.append("%!");
    out_.append(encode(verb).view());
    out_.append('(');
    out_.append(what);
    out_.append(')');
  }

  void print_extra() {
    out_.append("%!(EXTRA ");
    auto const first = next_;
    for (; next_ < arguments_.size() && !out_.is_full(); ++next_) {
      if (next_ != first) out_.append(", ");
      out_.append(arguments_[next_].type_name);
      out_.append('=');
      flags_ = {};
      Printer{out_, flags_}.print(arguments_[next_], 'v');
    }
    out_.append(')');
  }

  TextBuilder& out_;
  std::string_view format_;
  std::span<FormatArgument const> arguments_;
  Flags flags_;
  std::size_t at_{0};
  std::size_t next_{0};  // argument
  bool good_index_{true};
  bool reordered_{false};
};

}  // namespace

void go_format(TextBuilder& out, std::string_view format,
               std::span<FormatArgument const> arguments) {
  Formatter{out, format, arguments}.run();
}

void append_float(TextBuilder& out, double value) {
  auto const text = format_float(value, 'g', -1);
  out.append(std::string_view{text}.substr(text.front() == '+' ? 1 : 0));
}

}  // namespace sallyport::rego::builtins
