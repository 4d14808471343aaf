#include "src/rego/json.hpp"

#include "src/json/syntax_error.hpp"
#include "src/json/write.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/decimal.hpp"
#include "src/rego/number.hpp"

#include <boost/container/small_vector.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace sallyport::rego {
namespace {

using boost::json::error_code;
using Text = boost::json::string_view;

// Builds the value from the inside out. The text that is parsed is in the arena already, so strings
// without escapes and numbers just point into it.
class Handler {
 public:
  static constexpr std::size_t max_object_size = ~std::uint32_t{0};  // NOLINT: names of Boost
  static constexpr std::size_t max_array_size = ~std::uint32_t{0};   // NOLINT
  static constexpr std::size_t max_key_size = ~std::uint32_t{0};     // NOLINT
  static constexpr std::size_t max_string_size = ~std::uint32_t{0};  // NOLINT

  Handler(std::string_view text, Arena& arena) : text_{text}, arena_{&arena} {}

  Value result() const { return stack_.back(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) {
    auto const items = arena_->allocate_span<Value>(size);
    std::copy(stack_.end() - static_cast<std::ptrdiff_t>(size), stack_.end(), items.begin());
    replace(size, Value::array(items));
    return true;
  }
  bool on_object_end(std::size_t size, error_code&) {
    ObjectBuilder object{*arena_, size};
    for (auto const* at = stack_.data() + stack_.size() - 2 * size;
         at != stack_.data() + stack_.size(); at += 2) {
      object.add(at[0], at[1]);
    }
    replace(2 * size, object.finish());
    return true;
  }
  bool on_string_part(Text part, std::size_t, error_code&) { return keep_part(part); }
  bool on_string(Text text, std::size_t, error_code&) { return push_string(text); }
  bool on_key_part(Text part, std::size_t, error_code&) { return keep_part(part); }
  bool on_key(Text key, std::size_t, error_code&) { return push_string(key); }
  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t number, Text text, error_code&) {
    bool const negative_zero = number == 0 && text.front() == '-';
    return push(negative_zero ? Value::number_text({text.data(), text.size()})
                              : Value::integer(number));
  }
  bool on_uint64(std::uint64_t, Text text, error_code&) {
    return push(Value::number_text({text.data(), text.size()}));
  }
  bool on_double(double, Text text, error_code& error) {
    if (!is_number({text.data(), text.size()})) {
      error = boost::json::error::exponent_overflow;
      return false;
    }
    return push(Value::number_text({text.data(), text.size()}));
  }
  bool on_bool(bool value, error_code&) { return push(Value::boolean(value)); }
  bool on_null(error_code&) { return push(Value::null()); }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }

 private:
  bool push(Value value) {
    stack_.push_back(value);
    return true;
  }
  void replace(std::size_t count, Value value) {
    stack_.resize(stack_.size() - count);
    stack_.push_back(value);
  }
  bool keep_part(Text part) {
    parts_.insert(parts_.end(), part.begin(), part.end());
    return true;
  }
  // A string with escapes comes from a buffer of the parser's own, which is gone afterwards.
  bool is_in_text(std::string_view part) const {
    return std::less_equal<>{}(text_.data(), part.data()) &&
           std::less_equal<>{}(part.data() + part.size(), text_.data() + text_.size());
  }
  bool push_string(Text last) {
    if (parts_.empty()) {
      std::string_view const whole{last.data(), last.size()};
      return push(Value::string(is_in_text(whole) ? whole : arena_->copy(whole)));
    }
    keep_part(last);
    auto const whole = arena_->copy({parts_.data(), parts_.size()});
    parts_.clear();
    return push(Value::string(whole));
  }

  std::string_view text_;
  Arena* arena_;
  // Room for an ordinary input, so that nothing is asked of the heap.
  boost::container::small_vector<Value, 128> stack_;
  boost::container::small_vector<char, 256> parts_;  // of a string with escapes
};

// Built-ins make strings of any bytes (base64.decode), but JSON has none that is not UTF-8. Each
// wrong byte becomes U+FFFD, as in OPA.
void write_text(std::string_view text, std::string& out) {
  if (builtins::is_well_formed(text)) return json::write_string(text, out);
  out += '"';
  while (!text.empty()) {
    auto const rune = builtins::first_rune(text);
    if (rune.is_malformed()) {
      out += "\\ufffd";
    } else {
      std::string quoted;
      json::write_string(text.substr(0, rune.width), quoted);
      out.append(quoted, 1, quoted.size() - 2);
    }
    text.remove_prefix(rune.width);
  }
  out += '"';
}

void write_items(std::span<Value const> items, std::string& out) {
  out += '[';
  for (auto const& item : items) {
    if (&item != items.data()) out += ',';
    write_json(item, out);
  }
  out += ']';
}

void write_member(std::string_view key, Value value, std::string& out) {
  write_text(key, out);
  out += ':';
  write_json(value, out);
}

void write_entries(std::span<Entry const> entries, std::string& out) {
  for (auto const& entry : entries) {
    if (&entry != entries.data()) out += ',';
    write_member(entry.key.as_string(), entry.value, out);
  }
}

// Keys that are not strings sort by their text, and may come to equal another key: the last wins.
void write_converted_entries(std::span<Entry const> entries, std::string& out) {
  std::map<std::string, Value> members;
  for (auto const& [key, value] : entries) {
    members.insert_or_assign(key.is(Kind::String) ? std::string{key.as_string()} : to_json(key),
                             value);
  }
  for (auto const& [key, value] : members) {
    if (out.back() != '{') out += ',';
    write_member(key, value, out);
  }
}

}  // namespace

Result<Value> parse_json(std::string_view text, Arena& arena) {
  auto const kept = arena.copy(text);
  boost::json::parse_options options;
  options.max_depth = kDeepestJson;
  boost::json::basic_parser<Handler> parser{options, kept, arena};

  error_code error;
  auto const read = parser.write_some(false, kept.data(), kept.size(), error);
  if (!error && read < kept.size()) error = boost::json::error::extra_data;
  if (error) return json::syntax_error(error, text, read);
  return parser.handler().result();
}

void write_json(Value value, std::string& out) {
  switch (value.kind()) {
    case Kind::Undefined: return;
    case Kind::Null: out += "null"; return;
    case Kind::Boolean: out += value.as_boolean() ? "true" : "false"; return;
    case Kind::Number: append_number(value, out); return;
    case Kind::String: write_text(value.as_string(), out); return;
    case Kind::Array:
    case Kind::Set: write_items(value.items(), out); return;
    case Kind::Object: {
      auto const entries = value.entries();
      bool const plain = std::ranges::all_of(
          entries, [](Entry const& entry) { return entry.key.is(Kind::String); });
      out += '{';
      plain ? write_entries(entries, out) : write_converted_entries(entries, out);
      out += '}';
      return;
    }
  }
}

std::string to_json(Value value) {
  std::string out;
  write_json(value, out);
  return out;
}

}  // namespace sallyport::rego
