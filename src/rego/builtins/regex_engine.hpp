// A compiled regular expression with the semantics of Go's regexp: RE2, leftmost-first, linear
// time, and Go's words for what is wrong with a pattern.
#pragma once

#include "src/rego/builtin.hpp"
#include "src/rego/builtins/regex_literals.hpp"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::builtins {

// A Prepared itself, so that a call follows one pointer only.
class Regex final : public Prepared {
 public:
  static constexpr std::size_t kLongestPattern = std::size_t{64} << 10;

  // Null with the reason in `error`: "error parsing regexp: missing closing ]: `[`".
  static std::unique_ptr<Regex const> compile(std::string_view pattern, std::string& error);

  bool matches(std::string_view text) const {
    if (!literals_.allow(text)) return false;
    return literals_.whole || search(text);
  }

  // The leftmost match that begins at `from` or later, with all that is before as its context.
  // `groups` has room for group_count() + 1: the whole match first. A group that took no part has
  // no data().
  bool find(std::string_view text, std::size_t from, std::span<re2::StringPiece> groups) const;

  std::size_t group_count() const noexcept { return group_count_; }
  std::string_view group_name(std::size_t group) const noexcept { return names_[group]; }

 private:
  explicit Regex(std::string_view pattern);
  bool search(std::string_view text) const;

  RequiredLiterals literals_;
  re2::RE2 expression_;
  std::size_t group_count_{0};
  std::vector<std::string> names_;  // empty where a group has none
};

// The one prepared at load, else from a small cache of this thread. Null: the call has failed.
Regex const* regex_of(BuiltinCall& call, std::string_view pattern);

// As in regex.template_match: a pattern between delimiters, literal text around it.
std::unique_ptr<Regex const> compile_template(std::string_view text, char open, char close,
                                              std::string& error);
Regex const* template_of(BuiltinCall& call, std::string_view text, char open, char close);

}  // namespace sallyport::rego::builtins
