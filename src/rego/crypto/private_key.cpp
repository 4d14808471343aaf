#include "src/rego/crypto/private_key.hpp"

#include "src/base/base64.hpp"
#include "src/rego/build.hpp"
#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/go_values.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/pem.hpp"

#include <array>

namespace sallyport::rego::crypto {
namespace {

Key::Handle parse_typed(int type, std::string_view der) {
  auto const* at = bytes_of(der);
  return Key::Handle{d2i_PrivateKey(type, nullptr, &at, static_cast<long>(der.size()))};
}

Key::Handle parse_pkcs8(std::string_view der) {
  auto const* at = bytes_of(der);
  Owned<PKCS8_PRIV_KEY_INFO> const info{
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, static_cast<long>(der.size()))};
  return Key::Handle{info ? EVP_PKCS82PKEY(info.get()) : nullptr};
}

struct Number {
  std::string_view member;
  char const* parameter;
};

Owned<BIGNUM> number(EVP_PKEY* key, char const* parameter) {
  BIGNUM* out = nullptr;
  EVP_PKEY_get_bn_param(key, parameter, &out);
  return Owned<BIGNUM>{out};
}

Value number_member(EVP_PKEY* key, char const* parameter, Arena& arena) {
  auto const value = number(key, parameter);
  return value ? number_value(value.get(), arena) : Value::null();
}

Value rsa_value(EVP_PKEY* key, Arena& arena) {
  ObjectBuilder precomputed{arena, 4};
  precomputed.add("Dp", number_member(key, OSSL_PKEY_PARAM_RSA_EXPONENT1, arena));
  precomputed.add("Dq", number_member(key, OSSL_PKEY_PARAM_RSA_EXPONENT2, arena));
  precomputed.add("Qinv", number_member(key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, arena));
  precomputed.add("CRTValues", Value::array({}));
  ArrayBuilder primes{arena, 2};
  primes.add(number_member(key, OSSL_PKEY_PARAM_RSA_FACTOR1, arena));
  primes.add(number_member(key, OSSL_PKEY_PARAM_RSA_FACTOR2, arena));
  ObjectBuilder object{arena, 5};
  object.add("N", number_member(key, OSSL_PKEY_PARAM_RSA_N, arena));
  object.add("E", number_member(key, OSSL_PKEY_PARAM_RSA_E, arena));
  object.add("D", number_member(key, OSSL_PKEY_PARAM_RSA_D, arena));
  object.add("Primes", primes.finish());
  object.add("Precomputed", precomputed.finish());
  return object.finish();
}

Value ecdsa_value(EVP_PKEY* key, Arena& arena) {
  ObjectBuilder object{arena, 4};
  object.add("Curve", ObjectBuilder{arena}.finish());
  object.add("X", number_member(key, OSSL_PKEY_PARAM_EC_PUB_X, arena));
  object.add("Y", number_member(key, OSSL_PKEY_PARAM_EC_PUB_Y, arena));
  object.add("D", number_member(key, OSSL_PKEY_PARAM_PRIV_KEY, arena));
  return object.finish();
}

using RawPart = int (*)(EVP_PKEY const*, unsigned char*, std::size_t*);

std::string raw_part(EVP_PKEY* key, RawPart read) {
  std::array<unsigned char, 64> bytes{};
  auto size = bytes.size();
  return read(key, bytes.data(), &size) == 1 ? text_of(bytes.data(), size) : std::string{};
}

Value base64url_value(std::string_view bytes, Arena& arena) {
  return Value::string(arena.copy(base64::encode_url(bytes)));
}

Value rsa_jwk(EVP_PKEY* key, Arena& arena) {
  static constexpr std::array kNumbers{
      Number{"n", OSSL_PKEY_PARAM_RSA_N},          Number{"e", OSSL_PKEY_PARAM_RSA_E},
      Number{"d", OSSL_PKEY_PARAM_RSA_D},          Number{"p", OSSL_PKEY_PARAM_RSA_FACTOR1},
      Number{"q", OSSL_PKEY_PARAM_RSA_FACTOR2},    Number{"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1},
      Number{"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2}, Number{"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1},
  };
  ObjectBuilder jwk{arena, 9};
  jwk.add("kty", Value::string("RSA"));
  for (auto const& [member, parameter] : kNumbers) {
    auto const value = number(key, parameter);
    if (value) jwk.add(member, base64url_value(bytes_of_number(value.get()), arena));
  }
  return jwk.finish();
}

// RFC 7518, section 6.2: numbers are as long as the curve's.
Value ec_jwk(EVP_PKEY* key, Arena& arena) {
  std::array<char, 32> group{};
  EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr);
  std::string_view const name{group.data()};
  auto const curve = name == "prime256v1" ? "P-256" : name == "secp384r1" ? "P-384" : "P-521";
  auto const size = static_cast<std::size_t>(EVP_PKEY_get_bits(key) + 7) / 8;
  ObjectBuilder jwk{arena, 5};
  jwk.add("kty", Value::string("EC"));
  jwk.add("crv", Value::string(curve));
  for (auto const& [member, parameter] :
       {Number{"x", OSSL_PKEY_PARAM_EC_PUB_X}, Number{"y", OSSL_PKEY_PARAM_EC_PUB_Y},
        Number{"d", OSSL_PKEY_PARAM_PRIV_KEY}}) {
    auto const value = number(key, parameter);
    if (!value) continue;
    auto bytes = bytes_of_number(value.get());
    if (bytes.size() < size) bytes.insert(0, size - bytes.size(), '\0');
    jwk.add(member, base64url_value(bytes, arena));
  }
  return jwk.finish();
}

Value okp_jwk(EVP_PKEY* key, Arena& arena) {
  ObjectBuilder jwk{arena, 4};
  jwk.add("kty", Value::string("OKP"));
  jwk.add("crv", Value::string("Ed25519"));
  jwk.add("x", base64url_value(raw_part(key, EVP_PKEY_get_raw_public_key), arena));
  jwk.add("d", base64url_value(raw_part(key, EVP_PKEY_get_raw_private_key), arena));
  return jwk.finish();
}

}  // namespace

Problem private_keys_of_text(std::string_view text, std::vector<Key::Handle>& out) {
  ErrorsForgotten const forgotten;
  auto const decoded = decode_base64(text, Base64::Standard);
  auto rest = decoded.problem.empty() ? std::string_view{decoded.bytes} : text;
  while (auto const block = next_pem_block(rest)) {
    Key::Handle key;
    if (block->type == "RSA PRIVATE KEY") {
      key = parse_typed(EVP_PKEY_RSA, block->bytes);
      if (!key) return "x509: failed to parse private key: not in PKCS #1";
    } else if (block->type == "PRIVATE KEY") {
      key = parse_pkcs8(block->bytes);
      if (!key) return "x509: failed to parse private key: not in PKCS #8";
    } else if (block->type == "EC PRIVATE KEY") {
      key = parse_typed(EVP_PKEY_EC, block->bytes);
      if (!key) return "x509: failed to parse EC private key";
    }
    if (key) out.push_back(std::move(key));
  }
  return {};
}

Value private_key_value(EVP_PKEY* key, Arena& arena) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: return rsa_value(key, arena);
    case EVP_PKEY_EC: return ecdsa_value(key, arena);
    case EVP_PKEY_ED25519: {
      auto const seed = raw_part(key, EVP_PKEY_get_raw_private_key);
      return bytes_value(seed + raw_part(key, EVP_PKEY_get_raw_public_key), arena);
    }
    default: return ObjectBuilder{arena}.finish();
  }
}

Value private_key_jwk(EVP_PKEY* key, Arena& arena) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: return rsa_jwk(key, arena);
    case EVP_PKEY_EC: return ec_jwk(key, arena);
    case EVP_PKEY_ED25519: return okp_jwk(key, arena);
    default: return Value::null();
  }
}

}  // namespace sallyport::rego::crypto
