#include "src/rego/builtins/glob_pattern.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/recent.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {
namespace {

// Which of the items is no single rune, or where all are: null.
Value const* find_wrong(std::span<Value const> items) {
  for (auto const& item : items) {
    if (!item.is(Kind::String) || item.size() == 0 ||
        first_rune(item.as_string()).width != item.size()) {
      return &item;
    }
  }
  return nullptr;
}

// No array: null, no delimiters. An empty one: the dot.
Delimiters make_delimiters(Value operand) {
  Delimiters delimiters;
  if (operand.is(Kind::Null)) return delimiters;
  if (operand.items().empty()) delimiters.add('.');
  for (auto const item : operand.items()) delimiters.add(first_rune(item.as_string()).code);
  return delimiters;
}

std::unique_ptr<Prepared const> prepare(Operands constants) {
  if (constants.size() < 2 || !constants[0].is(Kind::String)) return nullptr;
  auto const delimiters = constants[1];
  if (!delimiters.is(Kind::Null) &&
      (!delimiters.is(Kind::Array) || find_wrong(delimiters.items()) != nullptr)) {
    return nullptr;
  }
  std::string ignored;
  return Glob::compile(constants[0].as_string(), make_delimiters(delimiters), ignored);
}

bool check_delimiters(BuiltinCall& call, Value operand) {
  if (operand.is(Kind::Null)) return true;
  if (!operand.is(Kind::Array)) {
    call.wrong_type(2, "one of {array, null}", operand);
    return false;
  }
  auto const* const wrong = find_wrong(operand.items());
  if (wrong == nullptr) return true;
  wrong_element(call, 2, operand, *wrong, wrong->is(Kind::String) ? "rune" : "string");
  return false;
}

Glob const* compiled(BuiltinCall& call, std::string_view pattern, Value delimiters) {
  // A pattern that ends in its delimiters is told apart by the zero byte.
  std::string key{pattern};
  key += '\0';
  key += delimiters.is(Kind::Null) ? '-' : '+';
  if (delimiters.is(Kind::Array)) {
    for (auto const item : delimiters.items()) key += item.as_string();
  }
  thread_local RecentlyCompiled<Glob> recent;
  std::string error;
  auto const* const glob = recent.find(key, error, [&](std::string& why) {
    return Glob::compile(pattern, make_delimiters(delimiters), why);
  });
  if (glob == nullptr) call.fail(std::move(error));
  return glob;
}

Value match(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  Glob const* glob = nullptr;
  if (call.prepared != nullptr) {
    glob = static_cast<Glob const*>(call.prepared);
    if (!read_string(call, operands, 3, text)) return {};
  } else {
    if (!read_string(call, operands, 1, pattern) || !check_delimiters(call, operands[1]) ||
        !read_string(call, operands, 3, text)) {
      return {};
    }
    glob = compiled(call, pattern, operands[1]);
    if (glob == nullptr) return {};
  }
  if (!charge_bytes(call, text.size())) return stopped(call);
  switch (glob->matches(call, text)) {
    case Glob::Answer::No: return Value::boolean(false);
    case Glob::Answer::Yes: return Value::boolean(true);
    case Glob::Answer::OutOfBudget: break;
  }
  return stopped(call);
}

Value quote_meta(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  TextBuilder quoted{call, text.size() + 8};
  for (char const c : text) {
    if (std::string_view{"*?\\[]{}"}.find(c) != std::string_view::npos) quoted.append('\\');
    quoted.append(c);
  }
  return quoted.finish();
}

constexpr Builtin kTable[] = {
    {"glob.match", "string, any<null, array[string]>, string -> boolean", match, prepare},
    {"glob.quote_meta", "string -> string", quote_meta},
};

}  // namespace

BuiltinTable glob() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
