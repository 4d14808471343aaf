#include "src/rego/builtins/jwt_decode_verify.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/crypto/key.hpp"
#include "src/rego/crypto/token.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace sallyport::rego::builtins {
namespace {

using crypto::Family;
using crypto::Hash;
using crypto::Problem;
using crypto::Token;

constexpr std::string_view kQuotes = "\"'";

std::string_view without_quotes(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(kQuotes);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kQuotes) - first + 1);
}

Value array_of(Arena& arena, std::initializer_list<Value> values) {
  auto const items = arena.allocate_span<Value>(values.size());
  std::ranges::uninitialized_copy(values, items);
  return Value::array(items);
}

// A token in a token is opened in turn; each is a quarter smaller than the one around it.
Value decode(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  std::string text{operands[0].as_string()};
  while (true) {
    Token token;
    Value header;
    std::string payload;
    if (auto problem = split(text, token); !problem.empty()) return call.fail(problem);
    if (auto problem = decode_header(token, call.arena, header); !problem.empty()) {
      return call.fail(problem);
    }
    if (auto problem = decode_payload(token, payload); !problem.empty()) return call.fail(problem);
    if (auto const type = get(header, "cty"); type.is(Kind::String) && type.as_string() == "JWT") {
      text = std::string{without_quotes(payload)};
      continue;
    }
    Value claims;
    std::string signature;
    if (auto problem = crypto::parse_object(payload, call.arena, claims); !problem.empty()) {
      return call.fail(problem);
    }
    if (auto const problem = decode_signature(token, signature); !problem.empty()) {
      return call.fail("JWT signature had invalid encoding: " + problem);
    }
    auto const hex = Value::string(call.arena.copy(crypto::to_hex(signature)));
    return array_of(call.arena, {header, claims, hex});
  }
}

struct PreparedKeys : Prepared {
  crypto::Keys keys;
};

std::unique_ptr<Prepared const> prepare_keys(Operands constants) {
  if (constants.size() < 2 || !constants[1].is(Kind::String)) return nullptr;
  auto prepared = std::make_unique<PreparedKeys>();
  prepared->keys = crypto::keys_of_text(constants[1].as_string());
  if (!prepared->keys.problem.empty()) return nullptr;
  return prepared;
}

// A private key verifies nothing here, as in OPA.
bool verifies(crypto::Key const& key, crypto::Algorithm const& algorithm, Token const& token,
              std::string_view signature) {
  return !key.is_private() && key.verify(algorithm, token.signed_text(), signature);
}

bool any_verifies(crypto::Keys const& keys, crypto::Algorithm const& algorithm,
                  crypto::HeaderFields const& fields, Token const& token,
                  std::string_view signature) {
  for (auto const& key : keys.keys) {
    if (!fields.kid.empty() && key.id == fields.kid) {
      return verifies(key.key, algorithm, token, signature);
    }
  }
  return std::ranges::any_of(keys.keys, [&](crypto::NamedKey const& key) {
    return (key.algorithm.empty() || key.algorithm == fields.alg) &&
           verifies(key.key, algorithm, token, signature);
  });
}

Value verify_with_keys(BuiltinCall& call, Operands operands, crypto::Algorithm const& algorithm) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  Token token;
  if (auto problem = split(operands[0].as_string(), token); !problem.empty()) {
    return call.fail(problem);
  }
  if (!operands[1].is(Kind::String)) return call.wrong_type(2, "string", operands[1]);
  crypto::Keys parsed;
  auto const* const prepared = static_cast<PreparedKeys const*>(call.prepared);
  if (prepared == nullptr) parsed = crypto::keys_of_text(operands[1].as_string());
  auto const& keys = prepared == nullptr ? parsed : prepared->keys;
  if (!keys.problem.empty()) return call.fail(keys.problem);
  std::string signature;
  if (auto problem = decode_signature(token, signature); !problem.empty()) {
    return call.fail(problem);
  }
  Value header;
  crypto::HeaderFields fields;
  if (auto problem = decode_header(token, call.arena, header); !problem.empty()) {
    return call.fail(problem);
  }
  if (auto problem = read_fields(header, fields); !problem.empty()) return call.fail(problem);
  return Value::boolean(any_verifies(keys, algorithm, fields, token, signature));
}

Value verify_with_secret(BuiltinCall& call, Operands operands, crypto::Algorithm const& algorithm) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  if (!operands[1].is(Kind::String)) return call.wrong_type(2, "string", operands[1]);
  Token token;
  std::string signature;
  if (auto problem = split(operands[0].as_string(), token); !problem.empty()) {
    return call.fail(problem);
  }
  if (auto problem = decode_signature(token, signature); !problem.empty()) {
    return call.fail(problem);
  }
  crypto::Key const key{std::string{operands[1].as_string()}};
  return Value::boolean(key.verify(algorithm, token.signed_text(), signature));
}

// The algorithm is the function's own; what the token says about it is not asked.
template <crypto::Family kFamily, crypto::Hash kHash>
Value verify(BuiltinCall& call, Operands operands) {
  static constexpr crypto::Algorithm kAlgorithm{.name = {}, .family = kFamily, .hash = kHash};
  return kFamily == Family::Hmac ? verify_with_secret(call, operands, kAlgorithm)
                                 : verify_with_keys(call, operands, kAlgorithm);
}

constexpr std::string_view kVerify = "string, string -> boolean";

constexpr std::array kTable{
    Builtin{"io.jwt.decode", "string -> array<object[any: any], object[any: any], string>", decode},
    Builtin{"io.jwt.decode_verify",
            "string, object[string: any] -> array<boolean, object[any: any], object[any: any]>",
            jwt_decode_verify, prepare_jwt_decode_verify, Builtin::kNondeterministic},
    Builtin{"io.jwt.verify_eddsa", kVerify, verify<Family::EdDsa, Hash::Sha512>, prepare_keys},
    Builtin{"io.jwt.verify_es256", kVerify, verify<Family::Ecdsa, Hash::Sha256>, prepare_keys},
    Builtin{"io.jwt.verify_es384", kVerify, verify<Family::Ecdsa, Hash::Sha384>, prepare_keys},
    Builtin{"io.jwt.verify_es512", kVerify, verify<Family::Ecdsa, Hash::Sha512>, prepare_keys},
    Builtin{"io.jwt.verify_hs256", kVerify, verify<Family::Hmac, Hash::Sha256>},
    Builtin{"io.jwt.verify_hs384", kVerify, verify<Family::Hmac, Hash::Sha384>},
    Builtin{"io.jwt.verify_hs512", kVerify, verify<Family::Hmac, Hash::Sha512>},
    Builtin{"io.jwt.verify_ps256", kVerify, verify<Family::RsaPss, Hash::Sha256>, prepare_keys},
    Builtin{"io.jwt.verify_ps384", kVerify, verify<Family::RsaPss, Hash::Sha384>, prepare_keys},
    Builtin{"io.jwt.verify_ps512", kVerify, verify<Family::RsaPss, Hash::Sha512>, prepare_keys},
    Builtin{"io.jwt.verify_rs256", kVerify, verify<Family::Rsa, Hash::Sha256>, prepare_keys},
    Builtin{"io.jwt.verify_rs384", kVerify, verify<Family::Rsa, Hash::Sha384>, prepare_keys},
    Builtin{"io.jwt.verify_rs512", kVerify, verify<Family::Rsa, Hash::Sha512>, prepare_keys},
};

}  // namespace

BuiltinTable jwt() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
