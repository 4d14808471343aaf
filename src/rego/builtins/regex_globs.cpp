#include "src/rego/builtins/regex_globs.hpp"

#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"

#include <optional>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

// The search below goes as deep as both are long.
constexpr std::size_t kMostTokens = 1000;

enum class Repeat : std::uint8_t { Once, Plus, Star };

struct Range {
  char32_t low;
  char32_t high;
  friend bool operator==(Range const&, Range const&) = default;
};

// A character is a set of one, a dot the set of all.
struct Token {
  std::vector<Range> ranges;  // sorted, apart
  Repeat repeat{Repeat::Once};

  bool overlaps(Token const& other) const noexcept {
    for (std::size_t i = 0, j = 0; i < ranges.size() && j < other.ranges.size();) {
      if (ranges[i].high < other.ranges[j].low) {
        ++i;
      } else if (other.ranges[j].high < ranges[i].low) {
        ++j;
      } else {
        return true;
      }
    }
    return false;
  }
};

void normalize(std::vector<Range>& ranges) {
  std::ranges::sort(ranges, {}, &Range::low);
  std::size_t kept = 0;
  for (auto const& range : ranges) {
    if (kept != 0 && range.low <= ranges[kept - 1].high + 1) {
      ranges[kept - 1].high = std::max(ranges[kept - 1].high, range.high);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_{text} {
    for (auto rest = text; !rest.empty(); rest.remove_prefix(first_rune(rest).width)) {
      runes_.push_back(first_rune(rest).code);
    }
  }

  // Empty where the text is wrong; error() says why then.
  std::optional<std::vector<Token>> tokens() {
    std::vector<Token> all;
    while (at_ < runes_.size()) {
      Token token;
      if (!read_token(token)) return std::nullopt;
      token.repeat = read_repeat();
      add(all, std::move(token));
    }
    return all;
  }

  std::string const& error() const noexcept { return error_; }

 private:
  struct Read {
    char32_t code;
    bool escaped;
  };

  bool fail(std::size_t position, std::string_view why) {
    error_ = "input:" + std::string{text_} + ", pos:" + std::to_string(position) + ", " +
             std::string{why} + ": the input provided is invalid";
    return false;
  }

  bool next(Read& read) {
    if (runes_[at_] != '\\') {
      read = {runes_[at_++], false};
      return true;
    }
    if (at_ + 1 == runes_.size()) return fail(at_, "input ends with a \\ (escape) character");
    read = {runes_[at_ + 1], true};
    at_ += 2;
    return true;
  }

  bool read_token(Token& token) {
    Read read{};
    if (!next(read)) return false;
    if (!read.escaped) {
      switch (read.code) {
        case '.': token.ranges = {{0, kLastRune}}; return true;
        case '[': return read_set(token);
        case ']': return fail(at_, "set-close ']' with no preceding '['");
        case '+':
        case '*':
          return fail(at_, std::string{"flag '"} + static_cast<char>(read.code) +
                               "' must be preceded by a non-flag");
        default: break;
      }
    }
    token.ranges = {{read.code, read.code}};
    return true;
  }

  bool read_set(Token& token) {
    std::optional<char32_t> previous;
    while (at_ < runes_.size()) {
      Read read{};
      if (!next(read)) return false;
      if (!read.escaped && read.code == ']') {
        normalize(token.ranges);
        return true;
      }
      if (!read.escaped && read.code == '-') {
        if (!read_range(token, previous)) return false;
        previous.reset();
        continue;
      }
      token.ranges.push_back({read.code, read.code});
      previous = read.code;
    }
    return fail(at_, "found [ without matching ]");
  }

  bool read_range(Token& token, std::optional<char32_t> low) {
    if (!low) return fail(at_, "range character '-' must be preceded by a Unicode character");
    if (at_ + 1 >= runes_.size()) {
      return fail(at_, "range character '-' must be followed by a Unicode character");
    }
    Read read{};
    if (!next(read)) return false;
    if (!read.escaped && (read.code == ']' || read.code == '-')) {
      return fail(at_, "range character '-' cannot be followed by a special symbol");
    }
    if (read.code < *low) {
      return fail(at_, "range is out of order: '" + std::string{encode(read.code).view()} +
                           "' comes before '" + std::string{encode(*low).view()} + "' in Unicode");
    }
    token.ranges.push_back({*low, read.code});
    return true;
  }

  Repeat read_repeat() {
    if (at_ == runes_.size() || (runes_[at_] != '+' && runes_[at_] != '*')) return Repeat::Once;
    return runes_[at_++] == '+' ? Repeat::Plus : Repeat::Star;
  }

  // "a+a*" is "a+".
  static void add(std::vector<Token>& all, Token token) {
    if (!all.empty() && all.back().repeat != Repeat::Once && token.repeat != Repeat::Once &&
        all.back().ranges == token.ranges) {
      if (token.repeat == Repeat::Plus) all.back().repeat = Repeat::Plus;
      return;
    }
    all.push_back(std::move(token));
  }

  std::string_view text_;
  std::vector<char32_t> runes_;
  std::size_t at_{0};
  std::string error_;
};

using Tokens = std::vector<Token>;

// The rest of one pattern.
struct Tail {
  bool second;  // of which pattern
  std::size_t from;

  Tail after(std::size_t count) const noexcept { return {second, from + count}; }
};

class Intersection {
 public:
  Intersection(BuiltinCall& call, Tokens const& first, Tokens const& second)
      : call_{call},
        patterns_{&first, &second},
        known_((first.size() + 1) * (second.size() + 1) * 2) {}

  bool exists() { return plain({false, 0}, {true, 0}); }
  bool in_time() const noexcept { return in_time_; }

 private:
  std::size_t size(Tail tail) const noexcept { return patterns_[tail.second]->size() - tail.from; }
  Token const& head(Tail tail) const noexcept { return (*patterns_[tail.second])[tail.from]; }

  // Token by token, until one of them repeats.
  bool plain(Tail left, Tail right) {
    for (; size(left) != 0 && size(right) != 0; left = left.after(1), right = right.after(1)) {
      if (head(left).repeat != Repeat::Once) return repeated(left, right);
      if (head(right).repeat != Repeat::Once) return repeated(right, left);
      if (!head(left).overlaps(head(right))) return false;
    }
    return size(left) == 0 && size(right) == 0;
  }

  bool repeated(Tail repeating, Tail other) {
    if (head(repeating).repeat == Repeat::Star) return starred(repeating, other);
    if (!head(repeating).overlaps(head(other))) return false;
    if (starred(repeating, other.after(1))) return true;
    return head(other).repeat != Repeat::Once && plain(repeating.after(1), other);
  }

  bool starred(Tail repeating, Tail other) {
    auto& known = known_[place(repeating, other)];
    if (known == Answer::Unknown) {
      known = search(repeating, other) ? Answer::Yes : Answer::No;
    }
    return known == Answer::Yes;
  }

  // The repeating token swallows more and more of the other pattern.
  bool search(Tail repeating, Tail other) {
    auto const& star = head(repeating);
    auto const rest = repeating.after(1);
    for (; size(other) != 0; other = other.after(1)) {
      in_time_ = in_time_ && call_.budget.charge();
      if (!in_time_) return false;
      if (size(rest) != 0 && head(other).overlaps(head(rest)) && plain(rest, other)) return true;
      if (!head(other).overlaps(star)) return false;
    }
    return size(rest) == 0;
  }

  std::size_t place(Tail repeating, Tail other) const noexcept {
    auto const first = repeating.second ? other.from : repeating.from;
    auto const second = repeating.second ? repeating.from : other.from;
    return ((first * (patterns_[1]->size() + 1)) + second) * 2 + (repeating.second ? 1 : 0);
  }

  enum class Answer : std::uint8_t { Unknown, Yes, No };

  BuiltinCall& call_;
  Tokens const* patterns_[2];
  std::vector<Answer> known_;
  bool in_time_{true};
};

}  // namespace

Value globs_match(BuiltinCall& call, Operands operands) {
  Tokens patterns[2];
  for (int i = 0; i < 2; ++i) {
    std::string_view text;
    if (!read_string(call, operands, i + 1, text)) return {};
    if (text.size() > kMostTokens) return call.fail("the pattern is too long");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    Tokenizer tokenizer{operands[i].as_string()};
    auto tokens = tokenizer.tokens();
    if (!tokens) return call.fail(tokenizer.error());
    patterns[i] = std::move(*tokens);
  }
  Intersection intersection{call, patterns[0], patterns[1]};
  auto const exists = intersection.exists();
  return intersection.in_time() ? Value::boolean(exists) : stopped(call);
}

}  // namespace sallyport::rego::builtins
