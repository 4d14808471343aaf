#include "src/rego/crypto/token.hpp"

#include "src/rego/crypto/base64.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::crypto {
namespace {

constexpr std::array<std::string_view, 5> kKnown{"alg", "crit", "cty", "kid", "typ"};

Problem read_text(Value value, std::string_view name, std::string_view& text) {
  if (!value.is(Kind::String)) return std::string{name} + ": must be a string";
  text = value.as_string();
  return {};
}

// RFC 7515, section 4.1.11: whoever does not know a critical member must refuse the token.
Problem read_critical(Value value, Value header, bool& has_unknown) {
  if (!value.is(Kind::Array)) return "crit: must be a list";
  bool is_empty = true;
  for (auto const name : value.items()) {
    if (!name.is(Kind::String)) break;
    is_empty = false;
    auto const is_known = std::ranges::find(kKnown, name.as_string()) != kKnown.end();
    if (!is_known && get(header, name).is_defined()) has_unknown = true;
  }
  return is_empty ? "crit: must be a nonempty list" : "";
}

}  // namespace

Problem split(std::string_view text, Token& token) {
  auto const dots = std::ranges::count(text, '.');
  if (dots == 0) return "encoded JWT had no period separators";
  if (dots != 2) return "encoded JWT must have 3 sections, found " + std::to_string(dots + 1);
  auto const first = text.find('.');
  auto const second = text.find('.', first + 1);
  token.header = text.substr(0, first);
  token.payload = text.substr(first + 1, second - first - 1);
  token.signature = text.substr(second + 1);
  return {};
}

Problem parse_object(std::string_view json, Arena& arena, Value& object) {
  auto const parsed = parse_json(json, arena);
  if (!parsed) return "invalid JSON: " + parsed.error().message;
  if (!parsed->is(Kind::Object)) return "decoded JSON type was not an Object";
  object = *parsed;
  return {};
}

Problem decode_header(Token const& token, Arena& arena, Value& header) {
  auto const decoded = decode_base64url(token.header);
  if (!decoded.problem.empty()) return "JWT header had invalid encoding: " + decoded.problem;
  if (auto problem = parse_object(decoded.bytes, arena, header); !problem.empty()) {
    return "bad JWT header: " + problem;
  }
  if (get(header, "enc").is_defined()) return "JWT is a JWE object, which is not supported";
  return {};
}

Problem decode_payload(Token const& token, std::string& payload) {
  auto decoded = decode_base64url(token.payload);
  if (!decoded.problem.empty()) return "JWT payload had invalid encoding: " + decoded.problem;
  payload = std::move(decoded.bytes);
  return {};
}

Problem decode_signature(Token const& token, std::string& signature) {
  auto decoded = decode_base64url(token.signature);
  signature = std::move(decoded.bytes);
  return std::move(decoded.problem);
}

Problem read_fields(Value header, HeaderFields& fields) {
  std::string_view type;
  for (auto const& [key, value] : header.entries()) {
    auto const name = key.as_string();
    Problem problem;
    if (name == "alg") problem = read_text(value, name, fields.alg);
    if (name == "kid") problem = read_text(value, name, fields.kid);
    if (name == "typ") problem = read_text(value, name, type);
    if (name == "cty") problem = read_text(value, name, fields.cty);
    if (name == "crit") problem = read_critical(value, header, fields.has_unknown_critical);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace sallyport::rego::crypto
