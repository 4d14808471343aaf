#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/regex_engine.hpp"
#include "src/rego/builtins/regex_globs.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/tables.hpp"

#include <optional>
#include <unicode/uchar.h>

namespace sallyport::rego::builtins {

namespace {

// Calls `found(groups)` for each match that does not overlap the one before, `most` at most
// (negative: all), the way Go's FindAll does. `found` returns false to stop. False where the budget
// is used up.
template <class Found>
bool for_each_match(BuiltinCall& call, Regex const& regex, std::string_view text, std::int64_t most,
                    std::span<re2::StringPiece> groups, Found found) {
  auto const offset = [&](char const* at) { return static_cast<std::size_t>(at - text.data()); };
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; most != 0 && from <= text.size();) {
    if (!call.budget.charge(1 + (text.size() - from) / 4096)) return false;
    if (!regex.find(text, from, groups)) break;
    auto const begin = offset(groups[0].data());
    auto const end = begin + groups[0].size();
    // An empty match right behind another match does not count.
    auto const counts = end != from || begin != last_end;
    from = end != from ? end : from + std::max<std::size_t>(1, first_rune(text.substr(from)).width);
    last_end = end;
    if (!counts) continue;
    --most;
    if (!found(groups)) break;
  }
  return true;
}

std::string_view view(re2::StringPiece piece) {
  return piece.data() == nullptr ? std::string_view{}
                                 : std::string_view{piece.data(), piece.size()};
}

std::span<re2::StringPiece> room_for_groups(BuiltinCall& call, Regex const& regex) {
  auto const groups = call.arena.allocate_span<re2::StringPiece>(regex.group_count() + 1);
  for (auto& group : groups) std::construct_at(&group);
  return groups;
}

template <std::size_t kPattern>
std::unique_ptr<Prepared const> prepare(Operands constants) {
  if (constants.size() < kPattern || !constants[kPattern - 1].is(Kind::String)) return nullptr;
  std::string ignored;
  return Regex::compile(constants[kPattern - 1].as_string(), ignored);
}

std::unique_ptr<Prepared const> prepare_template(Operands constants) {
  if (constants.size() < 4) return nullptr;
  auto const [text, open, close] = std::tuple{constants[0], constants[2], constants[3]};
  if (!text.is(Kind::String) || !open.is(Kind::String) || !close.is(Kind::String) ||
      open.size() != 1 || close.size() != 1) {
    return nullptr;
  }
  std::string ignored;
  return compile_template(text.as_string(), open.as_string().front(), close.as_string().front(),
                          ignored);
}

Value match(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  if (!read_string(call, operands, 1, pattern) || !read_string(call, operands, 2, text)) return {};
  auto const* const regex = regex_of(call, pattern);
  if (regex == nullptr) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  return Value::boolean(regex->matches(text));
}

Value is_valid(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return Value::boolean(false);
  if (!charge_bytes(call, operands[0].size())) return stopped(call);
  std::string ignored;
  return Value::boolean(Regex::compile(operands[0].as_string(), ignored) != nullptr);
}

Value find_n(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  std::int64_t most = 0;
  if (!read_string(call, operands, 1, pattern) || !read_string(call, operands, 2, text) ||
      !read_int(call, operands, 3, most)) {
    return {};
  }
  auto const* const regex = regex_of(call, pattern);
  if (regex == nullptr) return {};
  ArrayBuilder found{call.arena};
  re2::StringPiece whole;
  auto const in_time = for_each_match(call, *regex, text, most, {&whole, 1}, [&](auto groups) {
    found.add(Value::string(view(groups[0])));
    return true;
  });
  return in_time ? found.finish() : stopped(call);
}

Value find_all_string_submatch_n(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  std::int64_t most = 0;
  if (!read_string(call, operands, 1, pattern) || !read_string(call, operands, 2, text) ||
      !read_int(call, operands, 3, most)) {
    return {};
  }
  auto const* const regex = regex_of(call, pattern);
  if (regex == nullptr) return {};
  ArrayBuilder found{call.arena};
  auto const in_time =
      for_each_match(call, *regex, text, most, room_for_groups(call, *regex), [&](auto groups) {
        auto const items = call.arena.allocate_span<Value>(groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i) {
          std::construct_at(&items[i], Value::string(view(groups[i])));
        }
        found.add(Value::array(items));
        return !call.arena.exhausted();
      });
  return in_time ? found.finish() : stopped(call);
}

Value split(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  if (!read_string(call, operands, 1, pattern) || !read_string(call, operands, 2, text)) return {};
  auto const* const regex = regex_of(call, pattern);
  if (regex == nullptr) return {};

  ArrayBuilder parts{call.arena};
  if (text.empty() && !pattern.empty()) {
    parts.add(Value::string(""));
    return parts.finish();
  }
  std::size_t begin = 0;
  std::size_t end = 0;
  re2::StringPiece whole;
  auto const in_time = for_each_match(call, *regex, text, -1, {&whole, 1}, [&](auto groups) {
    end = static_cast<std::size_t>(groups[0].data() - text.data());
    auto const next = end + groups[0].size();
    // Nothing stands before an empty match at the very beginning.
    if (next != 0) parts.add(Value::string(text.substr(begin, end - begin)));
    begin = next;
    return true;
  });
  if (!in_time) return stopped(call);
  if (end != text.size()) parts.add(Value::string(text.substr(begin)));
  return parts.finish();
}

// What "$1", "${name}" and "$$" in a replacement stand for.
class Replacement {
 public:
  Replacement(Regex const& regex, std::string_view text) : regex_{regex}, text_{text} {}

  void append_to(TextBuilder& out, std::span<re2::StringPiece const> groups) const {
    auto rest = text_;
    for (auto at = rest.find('$'); at != std::string_view::npos; at = rest.find('$')) {
      out.append(rest.substr(0, at));
      rest.remove_prefix(at + 1);
      if (rest.starts_with('$')) {
        rest.remove_prefix(1);
        out.append('$');
      } else if (auto const name = take_name(rest); name.empty()) {
        out.append('$');
      } else {
        append_group(out, name, groups);
      }
    }
    out.append(rest);
  }

 private:
  // Empty where the dollar sign is only that. `rest` is moved behind a name.
  static std::string_view take_name(std::string_view& rest) {
    auto const in_braces = rest.starts_with('{');
    auto const from = rest.substr(in_braces ? 1 : 0);
    std::size_t size = 0;
    for (auto rune = first_rune(from); rune.width != 0; rune = first_rune(from.substr(size))) {
      auto const code = static_cast<UChar32>(rune.code);
      if (rune.is_malformed() || (code != '_' && !u_isalpha(code) && !u_isdigit(code))) break;
      size += rune.width;
    }
    if (size == 0 || (in_braces && !from.substr(size).starts_with('}'))) return {};
    rest = from.substr(size + (in_braces ? 1 : 0));
    return from.substr(0, size);
  }

  void append_group(TextBuilder& out, std::string_view name,
                    std::span<re2::StringPiece const> groups) const {
    if (auto const number = number_of(name); number) {
      if (*number < groups.size()) out.append(view(groups[*number]));
      return;
    }
    for (std::size_t i = 1; i < groups.size(); ++i) {
      if (regex_.group_name(i) != name || groups[i].data() == nullptr) continue;
      out.append(view(groups[i]));
      return;
    }
  }

  static std::optional<std::size_t> number_of(std::string_view name) {
    if (name.size() > 9 || (name.front() == '0' && name.size() > 1)) return std::nullopt;
    std::size_t number = 0;
    for (char const c : name) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + static_cast<std::size_t>(c - '0');
    }
    return number;
  }

  Regex const& regex_;
  std::string_view text_;
};

Value replace(BuiltinCall& call, Operands operands) {
  std::string_view text;
  std::string_view pattern;
  std::string_view replacement;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, pattern) ||
      !read_string(call, operands, 3, replacement)) {
    return {};
  }
  auto const* const regex = regex_of(call, pattern);
  if (regex == nullptr) return {};

  Replacement const expand{*regex, replacement};
  TextBuilder result{call, text.size()};
  std::size_t copied = 0;
  bool any = false;
  auto const in_time =
      for_each_match(call, *regex, text, -1, room_for_groups(call, *regex), [&](auto groups) {
        auto const begin = static_cast<std::size_t>(groups[0].data() - text.data());
        result.append(text.substr(copied, begin - copied));
        expand.append_to(result, groups);
        copied = begin + groups[0].size();
        any = true;
        return !result.is_full();
      });
  if (!in_time) return stopped(call);
  if (!any) return operands[0];
  result.append(text.substr(copied));
  return result.finish();
}

Value template_match(BuiltinCall& call, Operands operands) {
  std::string_view pattern;
  std::string_view text;
  std::string_view open;
  std::string_view close;
  if (!read_string(call, operands, 1, pattern) || !read_string(call, operands, 2, text) ||
      !read_string(call, operands, 3, open) || !read_string(call, operands, 4, close)) {
    return {};
  }
  auto const complain = [&](std::string_view which, std::size_t size) {
    return call.fail(std::string{which} +
                     " delimiter has to be exactly one character long but is " +
                     std::to_string(size) + " long");
  };
  if (open.size() != 1) return complain("start", open.size());
  // OPA says how long the other one is.
  if (close.size() != 1) return complain("end", open.size());
  auto const* const regex = template_of(call, pattern, open.front(), close.front());
  if (regex == nullptr) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  return Value::boolean(regex->matches(text));
}

constexpr Builtin kTable[] = {
    {"re_match", "string, string -> boolean", match, prepare<1>, Builtin::kDeprecated},
    {"regex.find_all_string_submatch_n", "string, string, number -> array[array[string]]",
     find_all_string_submatch_n, prepare<1>},
    {"regex.find_n", "string, string, number -> array[string]", find_n, prepare<1>},
    {"regex.globs_match", "string, string -> boolean", globs_match},
    {"regex.is_valid", "string -> boolean", is_valid},
    {"regex.match", "string, string -> boolean", match, prepare<1>},
    {"regex.replace", "string, string, string -> string", replace, prepare<2>},
    {"regex.split", "string, string -> array[string]", split, prepare<1>},
    {"regex.template_match", "string, string, string, string -> boolean", template_match,
     prepare_template},
};

}  // namespace

BuiltinTable regex() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
