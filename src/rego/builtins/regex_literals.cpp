#include "src/rego/builtins/regex_literals.hpp"

#include "src/rego/builtins/runes.hpp"

#include <cctype>

namespace sallyport::rego::builtins {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_punctuation(char c) noexcept {
  return std::ispunct(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
}

// Reads the pattern at its outermost level, left to right.
class Reader {
 public:
  explicit Reader(std::string_view pattern) : left_{pattern} {}

  RequiredLiterals read() {
    if (!left_.starts_with('^') && !left_.ends_with('$')) return {};
    starts_anchored_ = take('^');
    while (!left_.empty()) {
      if (!read_atom()) return {};
    }
    RequiredLiterals found;
    if (starts_anchored_) found.prefix = only_literals_ ? run_ : first_run_;
    if (ends_anchored_) found.suffix = run_;
    found.whole = starts_anchored_ && ends_anchored_ && only_literals_;
    return found;
  }

 private:
  bool take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }

  // False: not understood.
  bool read_atom() {
    char const c = left_.front();
    switch (c) {
      case '$': return read_end();
      // An alternative demands nothing by itself; a brace may be a repetition or not.
      case '|':
      case '^':
      case ')':
      case '{': return false;
      case '(': return skip_group() && end_run();
      case '[': return skip_class() && end_run();
      case '.': return take('.') && end_run();
      case '*':
      case '?': return repeat(0);
      case '+': return repeat(1);
      case '\\': return read_escape();
      default: return read_literal(first_rune(left_).width);
    }
  }

  bool read_end() {
    take('$');
    ends_anchored_ = left_.empty();
    return ends_anchored_;
  }

  bool read_literal(std::size_t width) {
    run_.append(left_.substr(0, width));
    last_width_ = width;
    left_.remove_prefix(width);
    return true;
  }

  bool read_escape() {
    if (left_.size() < 2) return false;
    if (is_punctuation(left_[1])) {
      left_.remove_prefix(1);
      return read_literal(1);
    }
    // Classes of one letter; anything else (\x41, \Q, \b, \pL) is left alone.
    if (std::string_view{"dDsSwW"}.find(left_[1]) == kNone) return false;
    left_.remove_prefix(2);
    return end_run();
  }

  // What is repeated at most stands at the end of the run, unless a group or class came before.
  bool repeat(std::size_t at_least) {
    left_.remove_prefix(1);
    take('?');  // as few as possible
    auto const kept = at_least == 0 ? run_.size() - last_width_ : run_.size();
    run_.resize(kept);
    return end_run();
  }

  // What follows is not joined to the literals before it.
  bool end_run() {
    if (only_literals_) first_run_ = run_;
    only_literals_ = false;
    run_.clear();
    last_width_ = 0;
    return true;
  }

  bool skip_class() {
    take('[');
    take('^');
    take(']');
    while (!left_.empty() && !take(']')) {
      if (take('\\') && left_.empty()) return false;
      if (left_.starts_with("[:")) {
        auto const end = left_.find(":]");
        if (end == kNone) return false;
        left_.remove_prefix(end + 1);
      }
      left_.remove_prefix(1);
    }
    return true;
  }

  bool skip_group() {
    int depth = 0;
    while (!left_.empty()) {
      // Flags may change what a literal is ("(?i)") or where a line ends ("(?m)").
      if (left_.starts_with("(?") && !left_.starts_with("(?:") && !left_.starts_with("(?P<") &&
          !left_.starts_with("(?<")) {
        return false;
      }
      switch (left_.front()) {
        case '(': ++depth; break;
        case ')': --depth; break;
        case '[':
          if (!skip_class()) return false;
          continue;
        case '\\':
          if (left_.size() < 2 || left_[1] == 'Q') return false;
          left_.remove_prefix(1);
          break;
        default: break;
      }
      left_.remove_prefix(1);
      if (depth == 0) return true;
    }
    return false;
  }

  std::string_view left_;
  bool starts_anchored_{false};
  bool ends_anchored_{false};
  bool only_literals_{true};  // so far
  std::string first_run_;     // before the first thing that is no literal
  std::string run_;           // the literals since
  std::size_t last_width_{0};
};

}  // namespace

RequiredLiterals required_literals(std::string_view pattern) {
  return Reader{pattern}.read();
}

}  // namespace sallyport::rego::builtins
