#include "src/rego/builtins/glob_parser.hpp"

#include "src/rego/builtins/runes.hpp"

namespace sallyport::rego::builtins {
namespace {

constexpr std::size_t kLongestPattern = std::size_t{64} << 10;
constexpr int kDeepest = 64;

class Parser {
 public:
  explicit Parser(std::string& error) : error_{error} {}

  std::optional<std::vector<GlobNode>> parse(std::string_view pattern) {
    if (pattern.size() > kLongestPattern) return fail("pattern too long");
    for (; !pattern.empty(); pattern.remove_prefix(first_rune(pattern).width)) {
      runes_ += first_rune(pattern).code;
      if (runes_.back() == kReplacementRune) return fail("could not read rune");
    }
    return parse_pattern(0);
  }

 private:
  std::nullopt_t fail(std::string_view why) {
    error_ = why;
    return std::nullopt;
  }

  bool at_end() const noexcept { return at_ == runes_.size(); }
  bool take(char32_t rune) noexcept {
    if (at_end() || runes_[at_] != rune) return false;
    ++at_;
    return true;
  }

  // Up to the end of the pattern, or of an alternative. Braces that are never closed end with the
  // pattern.
  std::optional<std::vector<GlobNode>> parse_pattern(int depth) {
    std::vector<GlobNode> nodes;
    while (!at_end()) {
      auto const rune = runes_[at_];
      if (depth > 0 && (rune == ',' || rune == '}')) break;
      std::optional<GlobNode> node;
      if (take('*')) {
        node = GlobNode{take('*') ? GlobNode::Kind::Super : GlobNode::Kind::Any};
      } else if (take('?')) {
        node = GlobNode{GlobNode::Kind::Single};
      } else if (take('[')) {
        node = parse_class();
      } else if (take('{')) {
        node = parse_alternatives(depth + 1);
      } else {
        node = GlobNode{GlobNode::Kind::Text};
        node->runes = take_text(depth > 0 ? U"?*[{}," : U"?*[{");
        if (node->runes.empty()) continue;
      }
      if (!node) return std::nullopt;
      nodes.push_back(std::move(*node));
    }
    return nodes;
  }

  std::u32string take_text(std::u32string_view until) {
    std::u32string text;
    while (!at_end() && until.find(runes_[at_]) == std::u32string_view::npos) {
      if (take('\\') && at_end()) break;
      text += runes_[at_++];
    }
    return text;
  }

  // One range or one list of runes, not several.
  std::optional<GlobNode> parse_class() {
    auto const negated = take('!');
    if (at_end()) return fail("unexpected end of input");
    if (at_ + 1 < runes_.size() && runes_[at_ + 1] == '-') return parse_range(negated);
    GlobNode node{GlobNode::Kind::List};
    node.negated = negated;
    node.runes = take_text(U"]");
    if (at_end()) return fail("unexpected end of input");
    take(']');
    if (node.runes.empty()) return fail("could not parse range");
    return node;
  }

  std::optional<GlobNode> parse_range(bool negated) {
    GlobNode node{GlobNode::Kind::Range};
    node.negated = negated;
    node.low = runes_[at_];
    at_ += 2;
    if (at_end()) return fail("unexpected end of input");
    node.high = runes_[at_++];
    if (at_end()) return fail("unexpected end of input");
    if (!take(']')) return fail("expected close range character");
    if (node.high < node.low) {
      return fail("hi character '" + std::string{encode(node.high).view()} +
                  "' should be greater than lo '" + std::string{encode(node.low).view()} + "'");
    }
    return node;
  }

  std::optional<GlobNode> parse_alternatives(int depth) {
    if (depth > kDeepest) return fail("braces nest too deeply");
    GlobNode node{GlobNode::Kind::Alternatives};
    do {
      auto pattern = parse_pattern(depth);
      if (!pattern) return std::nullopt;
      node.alternatives.push_back(std::move(*pattern));
    } while (take(','));
    take('}');
    return node;
  }

  std::string& error_;
  std::u32string runes_;
  std::size_t at_{0};
};

}  // namespace

std::optional<std::vector<GlobNode>> parse_glob(std::string_view pattern, std::string& error) {
  return Parser{error}.parse(pattern);
}

}  // namespace sallyport::rego::builtins
