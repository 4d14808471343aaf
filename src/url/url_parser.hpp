// The basic URL parser of the standard. Its states are the functions below, under the standard's
// names; each takes what it needs off the input and calls the next.
#pragma once

#include "src/base/result.hpp"
#include "src/url/path.hpp"
#include "src/url/url.hpp"

#include <string_view>

namespace sallyport::url {

class UrlParser {
 public:
  // `input` has no tabs, newlines or surrounding spaces any more, and is well-formed UTF-8.
  UrlParser(std::string_view input, Url const* base) : input_{input}, base_{base} {}

  Result<Url> run() &&;

 private:
  Result<void> scheme_start();
  Result<void> after_scheme();
  Result<void> no_scheme();
  Result<void> relative();
  Result<void> relative_slash();
  Result<void> authority_after_slashes();
  Result<void> authority();
  Result<void> host_and_port(std::string_view text);
  Result<void> port(std::string_view text);
  Result<void> set_host(std::string_view text);
  Result<void> file();
  Result<void> file_slash();
  Result<void> file_host();
  void path_start();
  void path();
  void opaque_path();
  void query_and_fragment();
  void fragment();

  void take_authority_of_base();
  Error host_error(std::string_view host, std::string_view predicate) const;

  // What is not yet read.
  std::string_view rest() const noexcept { return input_.substr(at_); }
  bool is_at_end() const noexcept { return at_ == input_.size(); }
  // Whether the next character is `c`; at the end none is.
  bool next_is(char c) const noexcept { return !is_at_end() && input_[at_] == c; }
  bool next_is_slash() const noexcept;

  std::string_view input_;
  Url const* base_;
  std::size_t at_{0};
  Url url_;
  PathScheme kind_{PathScheme::Other};
};

}  // namespace sallyport::url
