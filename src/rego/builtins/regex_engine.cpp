#include "src/rego/builtins/regex_engine.hpp"

#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/recent.hpp"

namespace sallyport::rego::builtins {
namespace {

// Of one pattern, program and automaton together. A pattern that needs more is refused.
constexpr std::int64_t kMostMemory = std::int64_t{4} << 20;

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

// The same words as Go's regexp/syntax.
std::string_view words_of(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::NoError:
    case re2::RE2::ErrorInternal: return "regexp/syntax: internal error";
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
  }
  return "invalid expression";
}

std::string explain(std::string_view words, std::string_view part) {
  return "error parsing regexp: " + std::string{words} + ": `" + std::string{part} + "`";
}

// Go takes (?<name>…) as well as (?P<name>…); this RE2 is older than the short form.
std::string with_long_names(std::string_view pattern) {
  std::string result;
  result.reserve(pattern.size() + 8);
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    auto const rest = pattern.substr(at);
    if (rest.starts_with("\\Q")) {
      auto const end = rest.find("\\E");
      result.append(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      at += end - 1;
      continue;
    }
    if (rest.starts_with('\\') && rest.size() > 1) {
      result.append(rest.substr(0, 2));
      ++at;
      continue;
    }
    if (!in_class && rest.starts_with("(?<")) {
      result.append("(?P<");
      at += 2;
      continue;
    }
    if (rest.front() == '[' && !in_class) {
      in_class = true;
      // A bracket that comes first, or after the circumflex, is a member.
      std::size_t const taken = rest.starts_with("[^]") ? 3 : rest.starts_with("[]") ? 2 : 1;
      result.append(rest.substr(0, taken));
      at += taken - 1;
      continue;
    }
    if (in_class && rest.starts_with("[:")) {
      if (auto const end = rest.find(":]"); end != std::string_view::npos) {
        result.append(rest.substr(0, end + 2));
        at += end + 1;
        continue;
      }
    }
    if (rest.front() == ']') in_class = false;
    result.push_back(rest.front());
  }
  return result;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

RecentlyCompiled<Regex>& recent_patterns() {
  thread_local RecentlyCompiled<Regex> patterns;
  return patterns;
}

RecentlyCompiled<Regex>& recent_templates() {
  thread_local RecentlyCompiled<Regex> templates;
  return templates;
}

}  // namespace

Regex::Regex(std::string_view pattern) : expression_{piece(pattern), options()} {}

std::unique_ptr<Regex const> Regex::compile(std::string_view pattern, std::string& error) {
  if (pattern.size() > kLongestPattern) {
    error = explain("expression too large", pattern.substr(0, 64));
    return nullptr;
  }
  std::string rewritten;
  auto const short_names = pattern.find("(?<") != std::string_view::npos;
  if (short_names) rewritten = with_long_names(pattern);
  std::unique_ptr<Regex> regex{new Regex{short_names ? rewritten : pattern}};
  if (!regex->expression_.ok()) {
    error = explain(words_of(regex->expression_.error_code()), regex->expression_.error_arg());
    return nullptr;
  }
  regex->literals_ = required_literals(pattern);
  regex->group_count_ = static_cast<std::size_t>(regex->expression_.NumberOfCapturingGroups());
  regex->names_.resize(regex->group_count_ + 1);
  for (auto const& [number, name] : regex->expression_.CapturingGroupNames()) {
    regex->names_[static_cast<std::size_t>(number)] = name;
  }
  return regex;
}

bool Regex::search(std::string_view text) const {
  return expression_.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

bool Regex::find(std::string_view text, std::size_t from,
                 std::span<re2::StringPiece> groups) const {
  return expression_.Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, groups.data(),
                           static_cast<int>(groups.size()));
}

Regex const* regex_of(BuiltinCall& call, std::string_view pattern) {
  if (call.prepared != nullptr) return static_cast<Regex const*>(call.prepared);
  std::string error;
  auto const* const regex = recent_patterns().find(
      pattern, error, [&](std::string& why) { return Regex::compile(pattern, why); });
  if (regex == nullptr) call.fail(std::move(error));
  return regex;
}

std::unique_ptr<Regex const> compile_template(std::string_view text, char open, char close,
                                              std::string& error) {
  std::string pattern{"^"};
  auto const literal = [&pattern](std::string_view part) {
    pattern += re2::RE2::QuoteMeta(piece(part));
  };
  int depth = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  // of what is in the pattern already
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Where both delimiters are the same, each one opens and none closes.
    if (text[i] == open) {
      if (++depth == 1) begin = i;
    } else if (text[i] == close && --depth <= 0) {
      if (depth < 0) break;
      literal(text.substr(end, begin - end));
      auto const part = text.substr(begin + 1, i - begin - 1);
      if (Regex::compile("^" + std::string{part} + "$", error) == nullptr) return nullptr;
      pattern.append("(").append(part).append(")");
      end = i + 1;
    }
  }
  if (depth != 0) {
    error = "unbalanced braces in " + quoted(text);
    return nullptr;
  }
  literal(text.substr(end));
  pattern += '$';
  return Regex::compile(pattern, error);
}

Regex const* template_of(BuiltinCall& call, std::string_view text, char open, char close) {
  if (call.prepared != nullptr) return static_cast<Regex const*>(call.prepared);
  std::string key{open, close};
  key += text;
  std::string error;
  auto const* const regex = recent_templates().find(
      key, error, [&](std::string& why) { return compile_template(text, open, close, why); });
  if (regex == nullptr) call.fail(std::move(error));
  return regex;
}

}  // namespace sallyport::rego::builtins
