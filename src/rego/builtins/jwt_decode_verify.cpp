#include "src/rego/builtins/jwt_decode_verify.hpp"

#include "src/base/ascii.hpp"
#include "src/rego/build.hpp"
#include "src/rego/crypto/key.hpp"
#include "src/rego/crypto/token.hpp"
#include "src/rego/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

using crypto::Problem;
using crypto::Token;

struct PreparedCertificate : Prepared {
  crypto::Keys keys;
};

struct Constraints {
  crypto::Keys const* keys{nullptr};
  std::optional<crypto::Key> secret;
  std::string_view alg;
  std::string_view iss;
  std::string_view aud;
  std::optional<double> time;  // nanoseconds

  crypto::Keys own_keys;  // where they were not prepared
};

Problem read_time(Value value, std::optional<double>& time) {
  if (!value.is(Kind::Number)) return "token time constraint: must be a number";
  auto const number = static_cast<double>(to_float(value));
  if (!std::isfinite(number)) return "token time constraint: unvalid float64";
  if (number < 0) return "token time constraint: must not be negative";
  time = number;
  return {};
}

Problem read_text(std::string_view name, Value value, std::string_view& text) {
  if (!value.is(Kind::String)) return std::string{name} + " constraint: must be a string";
  text = value.as_string();
  return {};
}

Problem read_certificate(Value value, Prepared const* prepared, Constraints& constraints) {
  if (!value.is(Kind::String)) return "cert constraint: must be a string";
  if (prepared != nullptr) {
    constraints.keys = &static_cast<PreparedCertificate const*>(prepared)->keys;
    return {};
  }
  constraints.own_keys = crypto::keys_of_text(value.as_string());
  constraints.keys = &constraints.own_keys;
  return constraints.own_keys.problem;
}

Problem read_constraint(std::string_view name, Value value, Prepared const* prepared,
                        Constraints& constraints) {
  if (name == "cert") return read_certificate(value, prepared, constraints);
  if (name == "alg") return read_text(name, value, constraints.alg);
  if (name == "iss") return read_text(name, value, constraints.iss);
  if (name == "aud") return read_text(name, value, constraints.aud);
  if (name == "time") return read_time(value, constraints.time);
  if (name == "secret") {
    std::string_view secret;
    auto problem = read_text(name, value, secret);
    if (!secret.empty()) constraints.secret.emplace(std::string{secret});
    return problem;
  }
  // SECURITY: a constraint with a typing error must not be one that always holds.
  return "unknown token validation constraint: " + std::string{name};
}

Problem read_constraints(BuiltinCall const& call, Value object, Constraints& constraints) {
  for (auto const& [key, value] : object.entries()) {
    if (!key.is(Kind::String)) return "token validation constraints must have names";
    auto problem = read_constraint(key.as_string(), value, call.prepared, constraints);
    if (!problem.empty()) return problem;
  }
  if (!constraints.time) constraints.time = static_cast<double>(call.now.count());
  if (constraints.keys != nullptr && constraints.secret) return "duplicate key constraints";
  if (constraints.keys == nullptr && !constraints.secret) return "no key constraint";
  return {};
}

// SECURITY: which kind of key is used is the policy's to say: with public keys there is no way to
// an HMAC that has one of them as its secret.
bool has_valid_signature(Constraints const& constraints, crypto::HeaderFields const& fields,
                         Token const& token, std::string_view signature) {
  auto const* const algorithm = crypto::find_algorithm(fields.alg);
  if (algorithm == nullptr) return false;
  auto const text = token.signed_text();
  if (constraints.keys == nullptr) return constraints.secret->verify(*algorithm, text, signature);
  auto const& keys = constraints.keys->keys;
  if (!fields.kid.empty()) {
    auto const named = std::ranges::find(keys, fields.kid, &crypto::NamedKey::id);
    if (named != keys.end()) return named->key.verify(*algorithm, text, signature);
  }
  return std::ranges::any_of(keys, [&](crypto::NamedKey const& key) {
    return (key.algorithm.empty() || key.algorithm == fields.alg) &&
           key.key.verify(*algorithm, text, signature);
  });
}

struct Opened {
  Value header;
  std::string payload;
  bool is_verified{false};
};

// A token in a token is opened in turn, each with its signature.
Problem open(BuiltinCall& call, Constraints const& constraints, std::string text, Opened& opened) {
  while (true) {
    Token token;
    crypto::HeaderFields fields;
    std::string signature;
    if (auto problem = split(text, token); !problem.empty()) return problem;
    if (auto problem = decode_header(token, call.arena, opened.header); !problem.empty()) {
      return problem;
    }
    if (auto problem = read_fields(opened.header, fields); !problem.empty()) return problem;
    if (fields.alg.empty() || fields.has_unknown_critical) return {};
    if (!constraints.alg.empty() && constraints.alg != fields.alg) return {};
    if (auto problem = decode_signature(token, signature); !problem.empty()) return problem;
    if (!has_valid_signature(constraints, fields, token, signature)) return {};
    if (auto problem = decode_payload(token, opened.payload); !problem.empty()) return problem;
    if (lowered(fields.cty) != "jwt") break;
    text = opened.payload;
  }
  opened.is_verified = true;
  return {};
}

bool is_for_audience(Value audience, std::string_view wanted) noexcept {
  auto const is_wanted = [wanted](Value name) {
    return name.is(Kind::String) && name.as_string() == wanted;
  };
  if (audience.is(Kind::Array)) return std::ranges::any_of(audience.items(), is_wanted);
  return is_wanted(audience);
}

// As OPA computes it: a double, then compared by its shortest digits.
Value seconds_of(double nanoseconds, Arena& arena) {
  std::array<char, 32> buffer{};
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), nanoseconds / 1e9).ptr;
  return make_number({buffer.data(), end}, arena);
}

// Empty problem and false: a claim is not met.
Problem check_claims(Constraints const& constraints, Value claims, Arena& arena, bool& are_met) {
  are_met = false;
  if (!constraints.iss.empty()) {
    auto const issuer = get(claims, "iss");
    if (!issuer.is(Kind::String) || issuer.as_string() != constraints.iss) return {};
  }
  auto const audience = get(claims, "aud");
  if (audience.is_defined() ? !is_for_audience(audience, constraints.aud)
                            : !constraints.aud.empty()) {
    return {};
  }
  auto const now = seconds_of(*constraints.time, arena);
  if (auto const expiry = get(claims, "exp"); expiry.is_defined()) {
    if (!expiry.is(Kind::Number)) return "exp value must be a number";
    if (compare_numbers(now, expiry) >= 0) return {};
  }
  if (auto const start = get(claims, "nbf"); start.is_defined()) {
    if (!start.is(Kind::Number)) return "nbf value must be a number";
    if (compare_numbers(now, start) < 0) return {};
  }
  are_met = true;
  return {};
}

Value answer(Arena& arena, bool is_verified, Value header, Value claims) {
  auto const items = arena.allocate_span<Value>(3);
  std::construct_at(&items[0], Value::boolean(is_verified));
  std::construct_at(&items[1], header);
  std::construct_at(&items[2], claims);
  return Value::array(items);
}

}  // namespace

std::unique_ptr<Prepared const> prepare_jwt_decode_verify(Operands constants) {
  if (constants.size() < 2 || !constants[1].is(Kind::Object)) return nullptr;
  auto const certificate = get(constants[1], "cert");
  if (!certificate.is(Kind::String)) return nullptr;
  auto prepared = std::make_unique<PreparedCertificate>();
  prepared->keys = crypto::keys_of_text(certificate.as_string());
  if (!prepared->keys.problem.empty()) return nullptr;
  return prepared;
}

Value jwt_decode_verify(BuiltinCall& call, Operands operands) {
  if (!operands[1].is(Kind::Object)) return call.wrong_type(2, "object", operands[1]);
  Constraints constraints;
  if (auto problem = read_constraints(call, operands[1], constraints); !problem.empty()) {
    return call.fail(problem);
  }
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  Opened opened;
  auto problem = open(call, constraints, std::string{operands[0].as_string()}, opened);
  if (!problem.empty()) return call.fail(problem);
  auto const nothing = ObjectBuilder{call.arena}.finish();
  auto const refused = answer(call.arena, false, nothing, nothing);
  if (!opened.is_verified) return refused;
  Value claims;
  bool are_met = false;
  problem = crypto::parse_object(opened.payload, call.arena, claims);
  if (problem.empty()) problem = check_claims(constraints, claims, call.arena, are_met);
  if (!problem.empty()) return call.fail(problem);
  return are_met ? answer(call.arena, true, opened.header, claims) : refused;
}

}  // namespace sallyport::rego::builtins
