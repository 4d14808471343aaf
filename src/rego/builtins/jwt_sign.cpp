#include "src/base/base64.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/crypto/key.hpp"
#include "src/rego/json.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

// As Go's json.Marshal, which also makes its output fit for HTML. What is replaced occurs inside of
// strings only.
std::string marshalled(Value value) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes{{
      {"<", "\\u003c"},
      {">", "\\u003e"},
      {"&", "\\u0026"},
      {"\u2028", "\\u2028"},
      {"\u2029", "\\u2029"},
  }};
  auto const json = to_json(value);
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    std::size_t taken = 0;
    for (auto const& [plain, escaped] : kEscapes) {
      if (!std::string_view{json}.substr(at).starts_with(plain)) continue;
      out += escaped;
      taken = plain.size();
      break;
    }
    if (taken == 0) out += json[at];
    at += taken == 0 ? 1 : taken;
  }
  return out;
}

// The library that OPA uses takes anything made of these for a number, and numbers have no members.
bool looks_like_a_number(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

// A member of the header that is a text; otherwise `problem` says why it is none.
struct Member {
  std::string_view text;
  std::string problem;
};

Member member_of(Value header, std::string_view name) {
  auto const value = get(header, name);
  if (value.is(Kind::String)) return {.text = value.as_string()};
  if (!value.is_defined())
    return {.problem = "jwsbb: header \"" + std::string{name} + "\" not found"};
  return {.problem =
              "value doesn't contain string; it contains " + std::string{name_of(value.kind())}};
}

bool is_json(std::string_view text) {
  Arena arena;
  return parse_json(text, arena).has_value();
}

Value sign(BuiltinCall& call, std::string_view header_text, std::string_view payload,
           std::string_view jwk) {
  auto const keys = crypto::keys_of_jwk(jwk);
  if (!keys.problem.empty()) return call.fail("failed to parse a JWK key (set): " + keys.problem);
  if (keys.keys.empty()) return call.fail("no keys found in JWK set");

  auto const header = parse_json(header_text, call.arena);
  if (!header && !looks_like_a_number(header_text)) {
    return call.fail("missing or invalid 'alg' header: cannot parse JSON: " +
                     header.error().message);
  }
  auto const fields = header ? *header : Value{};
  auto const alg = member_of(fields, "alg");
  if (!alg.problem.empty()) return call.fail("missing or invalid 'alg' header: " + alg.problem);
  auto const* const algorithm = crypto::find_algorithm(alg.text);
  if (algorithm == nullptr) return call.fail("unknown JWS algorithm: " + std::string{alg.text});
  auto const type = member_of(fields, "typ");
  if ((!type.problem.empty() || type.text == "JWT") && !is_json(payload)) {
    return call.fail("type is JWT but payload is not JSON");
  }

  auto token = base64::encode_url(header_text) + '.' + base64::encode_url(payload);
  auto const signature = keys.keys.front().key.sign(*algorithm, token);
  if (!signature) {
    return call.fail("jwsbb.Sign: the key does not fit the algorithm " + std::string{alg.text});
  }
  token += '.';
  token += base64::encode_url(*signature);
  return Value::string(call.arena.copy(token));
}

Value encode_sign(BuiltinCall& call, Operands operands) {
  return sign(call, marshalled(operands[0]), marshalled(operands[1]), marshalled(operands[2]));
}

Value encode_sign_raw(BuiltinCall& call, Operands operands) {
  for (auto const i : {2, 0, 1}) {
    auto const operand = operands[static_cast<std::size_t>(i)];
    if (!operand.is(Kind::String)) return call.wrong_type(i + 1, "string", operand);
  }
  return sign(call, operands[0].as_string(), operands[1].as_string(), operands[2].as_string());
}

constexpr std::array kTable{
    Builtin{"io.jwt.encode_sign",
            "object[string: any], object[string: any], object[string: any] -> string", encode_sign,
            nullptr, Builtin::kNondeterministic},
    Builtin{"io.jwt.encode_sign_raw", "string, string, string -> string", encode_sign_raw, nullptr,
            Builtin::kNondeterministic},
};

}  // namespace

BuiltinTable jwt_sign() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
