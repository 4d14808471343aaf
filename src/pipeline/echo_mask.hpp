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
  friend class EchoStream;
  struct Found {
    std::size_t begin;
    std::size_t end;
  };

  void add_forms_of(std::string_view secret);
  void add_form(std::string form);
  // Those that overlap are joined.
  std::vector<Found> all_in(std::string_view text) const;
  // Where the longest end of the text begins that may go on as one of them; else its size.
  std::size_t beginning_in(std::string_view text) const noexcept;

  std::vector<Secret> secrets_;
};

// The same for a body that comes in pieces, wherever they are cut: what may be the beginning of a
// credential is kept back until the next piece tells. No more than the longest of them is.
class EchoStream {
 public:
  // `mask` outlives the stream, and is complete.
  explicit EchoStream(EchoMask const& mask) : mask_{mask} {}

  // What can be handed on; it may be nothing.
  std::string pass(std::string piece);
  // After the last piece.
  std::string finish();

 private:
  EchoMask const& mask_;
  std::string kept_;
  std::size_t covered_{0};  // of the beginning of kept_: part of one that ended there
};

}  // namespace sallyport::pipeline
