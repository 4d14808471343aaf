// What a regular expression demands of every text that it matches, found by reading it: a cheap
// test before the expensive one. Most patterns of policies begin or end with a literal
// ("^api-[0-9]+\.example\.com$"), and most texts fail there.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::rego::builtins {

struct RequiredLiterals {
  std::string prefix;
  std::string suffix;
  bool whole{false};  // the pattern is ^prefix$ and nothing else

  // False: the pattern does not match. True: it may.
  bool allow(std::string_view text) const noexcept {
    return whole ? text == prefix : text.starts_with(prefix) && text.ends_with(suffix);
  }
};

// For a valid pattern. What it does not understand for certain demands nothing.
RequiredLiterals required_literals(std::string_view pattern);

}  // namespace sallyport::rego::builtins
