#include "src/rego/builtins/yaml_writer.hpp"

#include "src/rego/builtins/go_number.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/yaml_scalar.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <charconv>
#include <unicode/uchar.h>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

constexpr int kIndent = 2;
constexpr std::size_t kWidth = 80;
constexpr std::size_t kLongestSimpleKey = 128;

enum class Style : std::uint8_t { Plain, SingleQuoted, DoubleQuoted, Literal };

bool is_break(char32_t code) noexcept {
  return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

bool is_writable(char32_t code) noexcept {
  if (code < 0x80) return code == '\n' || (code >= 0x20 && code < 0x7F);
  return code >= 0xA0 && code < 0x10000 && code != 0xFEFF && code < 0xFFFE;
}

std::u32string runes_of(std::string_view text) {
  std::u32string runes;
  for (; !text.empty(); text.remove_prefix(first_rune(text).width)) runes += first_rune(text).code;
  return runes;
}

// In which styles a text can be written; libyaml's analysis, for block context.
struct Allowed {
  bool plain{true};
  bool single_quoted{true};
  bool literal{true};
};

bool is_indicator(std::u32string const& runes, std::size_t at) {
  auto const blank = [&](std::size_t i) {
    return i >= runes.size() || runes[i] == ' ' || runes[i] == '\t' || is_break(runes[i]);
  };
  auto const code = runes[at];
  if (code == ':') return blank(at + 1);
  if (code == '#') return at == 0 || blank(at - 1);
  if (at != 0) return false;
  if (code == '?' || code == '-') return blank(1);
  return code < 0x80 && std::string_view{",[]{}&*!|>'\"%@`"}.find(static_cast<char>(code)) !=
                            std::string_view::npos;
}

Allowed analyze(std::u32string const& runes) {
  Allowed allowed;
  if (runes.empty()) return allowed;
  auto const starts_with = [&](std::u32string_view mark) { return runes.starts_with(mark); };
  if (starts_with(U"---") || starts_with(U"...")) allowed.plain = false;
  bool special = false;
  bool space_before_break = false;
  for (std::size_t i = 0; i < runes.size(); ++i) {
    auto const code = runes[i];
    auto const next = i + 1 < runes.size() ? runes[i + 1] : 0;
    if (is_indicator(runes, i)) allowed.plain = false;
    if (!is_writable(code)) special = true;
    if (is_break(code)) {
      allowed.plain = false;
      if (next == ' ') allowed.single_quoted = false;
    }
    if (code == ' ' && is_break(next)) space_before_break = true;
  }
  auto const is_blank = [](char32_t code) { return code == ' ' || is_break(code); };
  if (is_blank(runes.front()) || is_blank(runes.back())) allowed.plain = false;
  if (runes.back() == ' ') allowed.literal = false;
  if (special || space_before_break) allowed = {false, false, false};
  return allowed;
}

// a2 before a10, letters before other runes of one place.
bool natural_less(std::u32string const& left, std::u32string const& right) {
  auto const is_digit = [](char32_t code) { return u_isdigit(static_cast<UChar32>(code)) != 0; };
  auto const is_letter = [](char32_t code) { return u_isalpha(static_cast<UChar32>(code)) != 0; };
  bool digits = false;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (left[i] == right[i]) {
      digits = is_digit(left[i]);
      continue;
    }
    auto const left_letter = is_letter(left[i]);
    auto const right_letter = is_letter(right[i]);
    if (left_letter && right_letter) return left[i] < right[i];
    if (left_letter || right_letter) return digits ? left_letter : right_letter;
    // A zero counts only behind another digit of its number: 10 is more than 9, 01 is not more
    // than 1.
    std::uint64_t head = 0;
    if (left[i] == '0' || right[i] == '0') {
      for (auto j = i; j > 0 && is_digit(left[j - 1]) && head == 0; --j) {
        if (left[j - 1] != '0') head = 1;
      }
    }
    auto const run = [&](std::u32string const& text) {
      std::uint64_t number = head;
      std::size_t count = 0;
      for (auto k = i; k < text.size() && is_digit(text[k]); ++k, ++count) {
        number = number * 10 + (text[k] - '0');
      }
      return std::pair{number, count};
    };
    auto const [left_number, left_count] = run(left);
    auto const [right_number, right_count] = run(right);
    if (left_number != right_number) return left_number < right_number;
    if (left_count != right_count) return left_count < right_count;
    return left[i] < right[i];
  }
  return left.size() < right.size();
}

class Writer {
 public:
  explicit Writer(TextBuilder& out) : out_{out} {}

  void write_document(Value value) {
    write_node(value, -1, Context::Root);
    if (column_ != 0) break_line();
  }

 private:
  enum class Context : std::uint8_t { Root, Item, MappingValue, SimpleKey };

  void put(std::string_view text) {
    out_.append(text);
    column_ += count_runes(text);
  }
  void put(char32_t code) { put(encode(code).view()); }

  void break_line() {
    out_.append('\n');
    column_ = 0;
  }

  void indent_line(int indent) {
    if (column_ != 0) break_line();
    out_.append(static_cast<std::size_t>(std::max(indent, 0)), ' ');
    column_ = static_cast<std::size_t>(std::max(indent, 0));
  }

  // `indent` is that of the collection around it.
  void write_node(Value value, int indent, Context context) {
    if (out_.is_full()) return;
    switch (value.kind()) {
      case Kind::Array:
      case Kind::Set: return write_sequence(value.items(), indent, context);
      case Kind::Object: return write_mapping(value.entries(), indent, context);
      case Kind::String: return write_text(value.as_string(), indent, context);
      case Kind::Number: return write_scalar_text(number_text(value), context);
      case Kind::Boolean: return write_scalar_text(value.as_boolean() ? "true" : "false", context);
      case Kind::Null:
      case Kind::Undefined: return write_scalar_text("null", context);
    }
  }

  void separate(Context context) {
    if (context == Context::MappingValue || context == Context::Item) put(" ");
  }

  void write_scalar_text(std::string_view text, Context context) {
    separate(context);
    put(text);
  }

  void write_sequence(std::span<Value const> items, int indent, Context context) {
    if (items.empty()) return write_scalar_text("[]", context);
    // Below a key the dashes stand where the key does.
    auto const inner = context == Context::MappingValue ? indent
                       : indent < 0                     ? 0
                                                        : indent + kIndent;
    bool first = true;
    for (auto const item : items) {
      begin_entry(inner, context, first);
      put("-");
      write_node(item, inner, Context::Item);
    }
  }

  // The first entry of a collection in a sequence stands behind the dash.
  void begin_entry(int indent, Context context, bool& first) {
    if (first && context == Context::Item) {
      put(" ");
    } else if (!first || context != Context::Root) {
      indent_line(indent);
    }
    first = false;
  }

  void write_mapping(std::span<Entry const> entries, int indent, Context context) {
    if (entries.empty()) return write_scalar_text("{}", context);
    struct Field {
      std::string name;
      std::u32string runes;
      Value value;
    };
    std::vector<Field> fields;
    for (auto const& [key, value] : entries) {
      auto name = key.is(Kind::String) ? std::string{key.as_string()} : to_json(key);
      auto runes = runes_of(name);
      fields.push_back({std::move(name), std::move(runes), value});
    }
    // The order is not transitive in every corner, which sort() does not forgive and a heap does.
    std::ranges::make_heap(fields, natural_less, &Field::runes);
    std::ranges::sort_heap(fields, natural_less, &Field::runes);
    auto const inner = indent < 0 ? 0 : indent + kIndent;
    bool first = true;
    for (auto const& field : fields) {
      begin_entry(inner, context, first);
      auto const is_simple =
          field.name.size() <= kLongestSimpleKey && field.name.find('\n') == std::string::npos;
      if (is_simple) {
        write_text(field.name, inner, Context::SimpleKey);
      } else {
        put("?");
        write_text(field.name, inner, Context::Item);
        indent_line(inner);
      }
      put(":");
      write_node(field.value, inner, Context::MappingValue);
    }
  }

  static std::string number_text(Value number) {
    if (number.is_int64()) return std::to_string(number.as_int64());
    std::string const text{number.as_number_text()};
    auto const scalar = resolve_yaml(text);
    if (scalar.kind == YamlScalar::Kind::Unsigned) return std::to_string(scalar.natural);
    if (scalar.kind != YamlScalar::Kind::Float) return text;
    auto const digits = format_float(scalar.real, 'g', -1);
    return digits.starts_with('+') ? digits.substr(1) : digits;
  }

  static Style choose_style(std::string_view text, std::u32string const& runes, Context context) {
    auto const allowed = analyze(runes);
    auto const has_break = text.find('\n') != std::string_view::npos;
    auto style = has_break                  ? Style::Literal
                 : is_plain_yaml_text(text) ? Style::Plain
                                            : Style::DoubleQuoted;
    if (style == Style::Plain && !allowed.plain) style = Style::SingleQuoted;
    if (style == Style::SingleQuoted && !allowed.single_quoted) style = Style::DoubleQuoted;
    if (style == Style::Literal && (!allowed.literal || context == Context::SimpleKey)) {
      style = Style::DoubleQuoted;
    }
    return style;
  }

  void write_text(std::string_view text, int indent, Context context) {
    separate(context);
    auto const runes = runes_of(text);
    auto const inner = indent < 0 ? kIndent : indent + kIndent;
    auto const may_fold = context != Context::SimpleKey;
    switch (choose_style(text, runes, context)) {
      case Style::Plain: return write_folded(runes, inner, may_fold, Style::Plain);
      case Style::SingleQuoted:
        put("'");
        write_folded(runes, inner, may_fold, Style::SingleQuoted);
        return put("'");
      case Style::DoubleQuoted: return write_double_quoted(runes, inner, may_fold);
      case Style::Literal: return write_literal(runes, inner);
    }
  }

  void write_folded(std::u32string const& runes, int indent, bool may_fold, Style style) {
    bool after_space = false;
    for (std::size_t i = 0; i < runes.size(); ++i) {
      auto const code = runes[i];
      auto const next_is_space = i + 1 < runes.size() && runes[i + 1] == ' ';
      auto const is_inside = style == Style::Plain || (i > 0 && i + 1 < runes.size());
      if (code == ' ' && may_fold && !after_space && column_ > kWidth && is_inside &&
          !next_is_space) {
        indent_line(indent);
      } else {
        put(code);
        if (code == '\'' && style == Style::SingleQuoted) put(code);
      }
      after_space = code == ' ';
    }
  }

  void write_double_quoted(std::u32string const& runes, int indent, bool may_fold) {
    put("\"");
    bool after_space = false;
    for (std::size_t i = 0; i < runes.size(); ++i) {
      auto const code = runes[i];
      auto const folds = code == ' ' && may_fold && !after_space && column_ > kWidth && i > 0 &&
                         i + 1 < runes.size();
      if (folds) {
        indent_line(indent);
        if (runes[i + 1] == ' ') put("\\");
      } else if (!is_writable(code) || is_break(code) || code == '"' || code == '\\') {
        put_escape(code);
      } else {
        put(code);
      }
      after_space = code == ' ';
    }
    put("\"");
  }

  void put_escape(char32_t code) {
    constexpr std::pair<char32_t, std::string_view> kNames[] = {
        {0, "0"},     {7, "a"},    {8, "b"},    {9, "t"},      {0xA, "n"},
        {0xB, "v"},   {0xC, "f"},  {0xD, "r"},  {0x1B, "e"},   {'"', "\""},
        {'\\', "\\"}, {0x85, "N"}, {0xA0, "_"}, {0x2028, "L"}, {0x2029, "P"},
    };
    put("\\");
    for (auto const& [named, name] : kNames) {
      if (named == code) return put(name);
    }
    auto const digits = digits_of(std::uint64_t{code}, 16, true);
    std::size_t const width = code <= 0xFF ? 2 : code <= 0xFFFF ? 4 : 8;
    put(width == 2 ? "x" : width == 4 ? "u" : "U");
    put(std::string(width - digits.size(), '0') + digits);
  }

  void write_literal(std::u32string const& runes, int indent) {
    put("|");
    if (runes.front() == ' ' || is_break(runes.front())) put("2");
    if (!is_break(runes.back())) {
      put("-");
    } else if (runes.size() == 1 || is_break(runes[runes.size() - 2])) {
      put("+");
    }
    break_line();
    bool at_line_start = true;
    for (auto const code : runes) {
      if (is_break(code)) {
        break_line();
        at_line_start = true;
        continue;
      }
      if (at_line_start) indent_line(indent);
      put(code);
      at_line_start = false;
    }
  }

  TextBuilder& out_;
  std::size_t column_{0};
};

}  // namespace

void write_yaml(Value value, TextBuilder& out) {
  Writer{out}.write_document(value);
}

}  // namespace sallyport::rego::builtins
