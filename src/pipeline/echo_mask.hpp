// Takes credentials out of an answer whose origin repeats what it was sent (debug pages, error
// reports): the caller is not to see what rules added to its request.
//
// Found are the very bytes, and what becomes of them in a URL, a form, JSON or HTML; of Basic
// credentials also the password inside. An origin that wants to give its own credential away can
// encode it otherwise.
#pragma once

#include "src/base/secret.hpp"
#include "src/egress/exchange.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

class EchoMask {
 public:
  // `value` is a header's: also without the word before its first blank ("Bearer "). What is
  // shorter than 8 characters is no secret, and would be found everywhere.
  void add(std::string_view value);

  bool finds_in(std::string_view text) const noexcept;

  // Asterisks in place of each of them, as many as it is long.
  void apply(std::string& text) const;
  void apply(egress::ResponseHead& head) const;

 private:
  void add_forms_of(std::string_view secret);
  void add_form(std::string form);

  std::vector<Secret> secrets_;
};

}  // namespace sallyport::pipeline
