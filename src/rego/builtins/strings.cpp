#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/strings_impl.hpp"
#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {
namespace {

struct TwoTexts {
  std::string_view first;
  std::string_view second;
  bool ok;
};

TwoTexts read_two(BuiltinCall& call, Operands operands) {
  TwoTexts texts{{}, {}, false};
  texts.ok =
      read_string(call, operands, 1, texts.first) && read_string(call, operands, 2, texts.second);
  return texts;
}

Value starts_with(BuiltinCall& call, Operands operands) {
  auto const [text, prefix, ok] = read_two(call, operands);
  return ok ? Value::boolean(text.starts_with(prefix)) : Value{};
}

Value ends_with(BuiltinCall& call, Operands operands) {
  auto const [text, suffix, ok] = read_two(call, operands);
  return ok ? Value::boolean(text.ends_with(suffix)) : Value{};
}

Value contains(BuiltinCall& call, Operands operands) {
  auto const [text, wanted, ok] = read_two(call, operands);
  if (!ok) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  return Value::boolean(find(text, wanted) != std::string_view::npos);
}

Value count(BuiltinCall& call, Operands operands) {
  auto const [text, wanted, ok] = read_two(call, operands);
  if (!ok) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  if (wanted.empty()) return Value::integer(static_cast<std::int64_t>(count_runes(text)) + 1);
  std::int64_t found = 0;
  for (auto at = find(text, wanted); at != std::string_view::npos;
       at = find(text, wanted, at + wanted.size())) {
    ++found;
    if (!charge_bytes(call, wanted.size())) return stopped(call);
  }
  return Value::integer(found);
}

Value index_of(BuiltinCall& call, Operands operands) {
  auto const [text, wanted, ok] = read_two(call, operands);
  if (!ok) return {};
  if (wanted.empty()) return call.fail("empty search character");
  if (!charge_bytes(call, text.size())) return stopped(call);
  auto const at = find(text, wanted);
  if (at == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(count_runes(text.substr(0, at))));
}

// All of them, overlapping ones too.
Value index_of_all(BuiltinCall& call, Operands operands) {
  auto const [text, wanted, ok] = read_two(call, operands);
  if (!ok) return {};
  if (wanted.empty()) return call.fail("empty search character");
  if (!charge_bytes(call, text.size())) return stopped(call);

  ArrayBuilder found{call.arena};
  std::size_t counted = 0;  // bytes
  std::int64_t runes = 0;   // in those
  for (auto at = find(text, wanted); at != std::string_view::npos;) {
    runes += static_cast<std::int64_t>(count_runes(text.substr(counted, at - counted)));
    counted = at;
    found.add(Value::integer(runes));
    // The search reads all of `wanted` each time, and finds it again one rune further on.
    if (!call.budget.charge(1 + wanted.size() / 64)) return stopped(call);
    at = find(text, wanted, at + first_rune(text.substr(at)).width);
  }
  return found.finish();
}

Value substring(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::int64_t start = 0;
  std::int64_t length = 0;
  if (!read_string(call, operands, 1, text) || !read_int(call, operands, 2, start) ||
      !read_int(call, operands, 3, length)) {
    return {};
  }
  if (start < 0) return call.fail("negative offset");
  if (!charge_bytes(call, text.size())) return stopped(call);

  auto const offset = [ascii = is_ascii(text)](std::string_view in, std::int64_t runes) {
    auto const number = static_cast<std::size_t>(runes);
    return ascii ? std::min(number, in.size()) : offset_of_rune(in, number);
  };
  text.remove_prefix(offset(text, start));
  return Value::string(length < 0 ? text : text.substr(0, offset(text, length)));
}

Value reverse(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  TextBuilder reversed{call, text.size()};
  while (!text.empty()) {
    auto const rune = last_rune(text);
    if (rune.is_malformed()) {
      reversed.append(encode(kReplacementRune).view());
    } else {
      reversed.append(text.substr(text.size() - rune.width));
    }
    text.remove_suffix(rune.width);
  }
  return reversed.finish();
}

Value concat(BuiltinCall& call, Operands operands) {
  std::string_view separator;
  if (!read_string(call, operands, 1, separator)) return {};
  auto const collection = operands[1];
  if (!collection.is(Kind::Array) && !collection.is(Kind::Set)) {
    return call.wrong_type(2, "one of {set, array}", collection);
  }
  std::span<Value const> items;
  if (!read_strings(call, operands, 2, items)) return {};
  if (items.empty()) return Value::string("");
  if (items.size() == 1) return items.front();

  std::size_t size = separator.size() * (items.size() - 1);
  for (auto const item : items) size += item.size();
  if (!charge_bytes(call, size)) return stopped(call);
  TextBuilder joined{call, size};
  joined.append(items.front().as_string());
  for (auto const item : items.subspan(1)) {
    joined.append(separator);
    joined.append(item.as_string());
    if (joined.is_full()) break;
  }
  return joined.finish();
}

constexpr Builtin kTable[] = {
    {"concat", "string, any<array[string], set[string]> -> string", concat},
    {"contains", "string, string -> boolean", contains},
    {"endswith", "string, string -> boolean", ends_with},
    {"indexof", "string, string -> number", index_of},
    {"indexof_n", "string, string -> array[number]", index_of_all},
    {"lower", "string -> string", lower},
    {"replace", "string, string, string -> string", replace},
    {"split", "string, string -> array[string]", split},
    {"startswith", "string, string -> boolean", starts_with},
    {"strings.any_prefix_match",
     "any<string, array[string], set[string]>, any<string, array[string], set[string]> -> boolean",
     any_prefix_match},
    {"strings.any_suffix_match",
     "any<string, array[string], set[string]>, any<string, array[string], set[string]> -> boolean",
     any_suffix_match},
    {"strings.count", "string, string -> number", count},
    {"strings.replace_n", "object[string: string], string -> string", replace_n},
    {"strings.reverse", "string -> string", reverse},
    {"strings.split_n", "string, string, number -> array[string]", split_n},
    {"substring", "string, number, number -> string", substring},
    {"trim", "string, string -> string", trim},
    {"trim_left", "string, string -> string", trim_left},
    {"trim_prefix", "string, string -> string", trim_prefix},
    {"trim_right", "string, string -> string", trim_right},
    {"trim_space", "string -> string", trim_space},
    {"trim_suffix", "string, string -> string", trim_suffix},
    {"upper", "string -> string", upper},
};

}  // namespace

BuiltinTable strings() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
