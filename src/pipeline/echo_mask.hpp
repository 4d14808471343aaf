// Takes credentials out of an answer whose origin repeats what it was sent (debug pages, error
// reports): the caller is not to see what rules added to its request.
//
// Only the very bytes are found; an origin that wants to give its own credential away can encode
// it.
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

  // Asterisks in place of each of them, as many as it is long.
  void apply(std::string& text) const;
  void apply(egress::ResponseHead& head) const;

 private:
  std::vector<Secret> secrets_;
};

}  // namespace sallyport::pipeline
