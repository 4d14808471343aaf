// Go's strings.Replacer: at each place the first pattern in order that matches there is replaced,
// and what was written is not looked at again.
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/strings_impl.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

struct Pair {
  std::string_view old;
  std::string_view replacement;
};

Value replace_one(BuiltinCall& call, Value original, Pair const& pair) {
  auto text = original.as_string();
  auto at = find(text, pair.old);
  if (at == std::string_view::npos) return original;
  TextBuilder result{call, text.size()};
  for (; at != std::string_view::npos && !result.is_full(); at = find(text, pair.old)) {
    result.append(text.substr(0, at));
    result.append(pair.replacement);
    text.remove_prefix(at + pair.old.size());
    if (!call.budget.charge()) return stopped(call);
  }
  result.append(text);
  return result.finish();
}

// Departs from OPA, whose empty pattern also matches there and takes characters apart: what is made
// of valid text stays valid.
bool is_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

class Replacer {
 public:
  Replacer(BuiltinCall& call, std::span<Pair const> pairs) : call_{call}, pairs_{pairs} {
    for (auto const& pair : pairs) {
      if (pair.old.empty()) {
        has_empty_ = true;
      } else {
        begins_[static_cast<unsigned char>(pair.old.front())] = true;
      }
    }
  }

  Value apply(std::string_view text) {
    TextBuilder result{call_, text.size()};
    std::size_t written = 0;
    bool after_empty = false;  // an empty pattern matches once in a place
    for (std::size_t at = 0; at <= text.size() && !result.is_full();) {
      auto const inside_character = at < text.size() && is_continuation(text[at]);
      auto const* const found = match(text.substr(at), after_empty || inside_character);
      if (stopped_) return stopped(call_);
      after_empty = found != nullptr && found->old.empty();
      if (found == nullptr) {
        ++at;
        continue;
      }
      result.append(text.substr(written, at - written));
      result.append(found->replacement);
      at += found->old.size();
      written = at;
    }
    if (written < text.size()) result.append(text.substr(written));
    return result.finish();
  }

 private:
  Pair const* match(std::string_view text, bool skip_empty) {
    auto const candidate = (has_empty_ && !skip_empty) ||
                           (!text.empty() && begins_[static_cast<unsigned char>(text.front())]);
    if (!candidate) return nullptr;
    stopped_ = !call_.budget.charge(1 + pairs_.size() / 8);
    for (auto const& pair : pairs_) {
      if (pair.old.empty() ? !skip_empty : text.starts_with(pair.old)) return &pair;
    }
    return nullptr;
  }

  BuiltinCall& call_;
  std::span<Pair const> pairs_;
  std::array<bool, 256> begins_{};
  bool has_empty_{false};
  bool stopped_{false};
};

}  // namespace

Value replace(BuiltinCall& call, Operands operands) {
  std::string_view text;
  Pair pair;
  if (!read_string(call, operands, 1, text) || !read_string(call, operands, 2, pair.old) ||
      !read_string(call, operands, 3, pair.replacement)) {
    return {};
  }
  if (!charge_bytes(call, text.size())) return stopped(call);
  if (!pair.old.empty()) return replace_one(call, operands[0], pair);
  return Replacer{call, {&pair, 1}}.apply(text);
}

Value replace_n(BuiltinCall& call, Operands operands) {
  std::span<Entry const> patterns;
  std::string_view text;
  if (!read_object(call, operands, 1, patterns) || !read_string(call, operands, 2, text)) return {};
  auto const pairs = call.arena.allocate_span<Pair>(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    auto const& [key, value] = patterns[i];
    if (!key.is(Kind::String)) {
      return call.wrong_operand(1, "non-string key found in pattern object");
    }
    if (!value.is(Kind::String)) {
      return call.wrong_operand(1, "non-string value found in pattern object");
    }
    std::construct_at(&pairs[i], key.as_string(), value.as_string());
  }
  if (!charge_bytes(call, text.size())) return stopped(call);
  return Replacer{call, pairs}.apply(text);
}

}  // namespace sallyport::rego::builtins
