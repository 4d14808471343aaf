// A token in compact form (RFC 7515, section 7.1): split and decoded, nothing believed yet.
#pragma once

#include "src/rego/crypto/problem.hpp"
#include "src/rego/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

struct Token {
  std::string_view header;     // base64, as it was sent
  std::string_view payload;    // too
  std::string_view signature;  // too
  std::string_view signed_text() const noexcept {
    return {header.data(), header.size() + 1 + payload.size()};
  }
};

// `text` must outlive the token.
Problem split(std::string_view text, Token& token);

// An object; everything is copied into the arena.
Problem decode_header(Token const& token, Arena& arena, Value& header);
Problem decode_payload(Token const& token, std::string& payload);
Problem decode_signature(Token const& token, std::string& signature);
Problem parse_object(std::string_view json, Arena& arena, Value& object);

// The members of a header that have a meaning here.
struct HeaderFields {
  std::string_view alg;
  std::string_view kid;
  std::string_view cty;
  bool has_unknown_critical{false};
};
Problem read_fields(Value header, HeaderFields& fields);

}  // namespace sallyport::rego::crypto
