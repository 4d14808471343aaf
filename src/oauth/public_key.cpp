#include "src/oauth/public_key.hpp"

#include "src/base/assert.hpp"
#include "src/base/base64.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace sallyport::oauth {
namespace {

constexpr int kMinimumRsaBits = 2048;
constexpr int kMaximumRsaBits = 8192;        // verification takes time with the square of it
constexpr std::size_t kMaxExponentSize = 8;  // bytes; a huge exponent makes it slow as well

struct FreeEach {
  void operator()(BIGNUM* number) const noexcept { BN_free(number); }
  void operator()(OSSL_PARAM_BLD* builder) const noexcept { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const noexcept { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
  void operator()(unsigned char* bytes) const noexcept { OPENSSL_free(bytes); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeEach>;

unsigned char const* bytes_of(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

Owned<BIGNUM> number_of(std::string_view bytes) {
  return Owned<BIGNUM>{BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr)};
}

// A member that is base64url text; nothing when it is absent, empty or not.
std::optional<std::string> bytes_member(json::Object const& jwk, std::string_view name) {
  auto const* text = json::find_string(jwk, name);
  if (text == nullptr || text->empty()) return std::nullopt;
  return base64::decode_url(json::view(*text));
}

struct Curve {
  KeyType type;
  std::string_view jwk_name;
  char const* group;
  std::size_t size;  // of one number, in bytes
};
constexpr std::array kCurves = {Curve{KeyType::P256, "P-256", "prime256v1", 32},
                                Curve{KeyType::P384, "P-384", "secp384r1", 48},
                                Curve{KeyType::P521, "P-521", "secp521r1", 66}};

// RFC 7518, section 3.4: two numbers of the size of the curve. SECURITY: the exact size is what
// refuses DER and with it a second spelling of the same signature.
std::optional<std::string> der_of(std::string_view signature, KeyType type) {
  auto const curve = std::ranges::find(kCurves, type, &Curve::type);
  if (curve == kCurves.end() || signature.size() != 2 * curve->size) return std::nullopt;
  Owned<ECDSA_SIG> const numbers{ECDSA_SIG_new()};
  auto r = number_of(signature.substr(0, curve->size));
  auto s = number_of(signature.substr(curve->size));
  if (!numbers || !r || !s) return std::nullopt;
  // Takes both over; it fails for nullptr only.
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());
  unsigned char* raw = nullptr;
  auto const size = i2d_ECDSA_SIG(numbers.get(), &raw);
  Owned<unsigned char> const der{raw};
  if (size <= 0) return std::nullopt;
  return std::string{reinterpret_cast<char const*>(raw), static_cast<std::size_t>(size)};
}

bool use_pss(EVP_PKEY_CTX* context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0;
}

// RFC 7517, sections 4.2 and 4.3.
bool is_for_signatures(json::Object const& jwk) {
  if (auto const* use = json::find(jwk, "use")) {
    auto const* text = use->if_string();
    if (text == nullptr || *text != "sig") return false;
  }
  if (auto const* operations = json::find(jwk, "key_ops")) {
    auto const* list = operations->if_array();
    if (list == nullptr) return false;
    return std::ranges::any_of(*list, [](json::Value const& operation) {
      return operation.is_string() && operation.get_string() == "verify";
    });
  }
  return true;
}

}  // namespace

struct KeyMaker {
  using Handle = PublicKey::Handle;

  static Handle from_parameters(char const* type, OSSL_PARAM_BLD* builder) {
    Owned<OSSL_PARAM> const parameters{OSSL_PARAM_BLD_to_param(builder)};
    Owned<EVP_PKEY_CTX> const context{EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr)};
    EVP_PKEY* key = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
      return nullptr;
    }
    return Handle{key};
  }

  static std::optional<PublicKey> rsa(json::Object const& jwk) {
    auto const modulus = bytes_member(jwk, "n");
    auto const exponent = bytes_member(jwk, "e");
    if (!modulus || !exponent || exponent->size() > kMaxExponentSize) return std::nullopt;
    if (modulus->size() > kMaximumRsaBits / 8) return std::nullopt;
    auto const n = number_of(*modulus);
    auto const e = number_of(*exponent);
    if (BN_num_bits(n.get()) < kMinimumRsaBits || BN_is_odd(n.get()) == 0) return std::nullopt;
    if (BN_is_odd(e.get()) == 0 || BN_is_one(e.get()) == 1) return std::nullopt;
    Owned<OSSL_PARAM_BLD> const builder{OSSL_PARAM_BLD_new()};
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
    auto key = from_parameters("RSA", builder.get());
    if (!key) return std::nullopt;
    return PublicKey{KeyType::Rsa, std::move(key)};
  }

  static std::optional<PublicKey> ec(json::Object const& jwk) {
    auto const* name = json::find_string(jwk, "crv");
    auto const x = bytes_member(jwk, "x");
    auto const y = bytes_member(jwk, "y");
    if (name == nullptr || !x || !y) return std::nullopt;
    auto const curve = std::ranges::find(kCurves, json::view(*name), &Curve::jwk_name);
    if (curve == kCurves.end() || x->size() != curve->size || y->size() != curve->size) {
      return std::nullopt;
    }
    auto const point = '\x04' + *x + *y;  // SEC 1, uncompressed
    Owned<OSSL_PARAM_BLD> const builder{OSSL_PARAM_BLD_new()};
    OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve->group, 0);
    OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                     point.size());
    auto key = from_parameters("EC", builder.get());
    if (!key) return std::nullopt;
    Owned<EVP_PKEY_CTX> const check{EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr)};
    if (EVP_PKEY_public_check(check.get()) != 1) return std::nullopt;
    return PublicKey{curve->type, std::move(key)};
  }

  // RFC 8037, section 2.
  static std::optional<PublicKey> okp(json::Object const& jwk) {
    auto const* curve = json::find_string(jwk, "crv");
    auto const x = bytes_member(jwk, "x");
    if (curve == nullptr || *curve != "Ed25519" || !x || x->size() != 32) return std::nullopt;
    Handle key{EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*x), x->size())};
    if (!key) return std::nullopt;
    return PublicKey{KeyType::Ed25519, std::move(key)};
  }

  static std::optional<PublicKey> of_type(json::Object const& jwk) {
    auto const* type = json::find_string(jwk, "kty");
    if (type == nullptr) return std::nullopt;
    if (*type == "RSA") return rsa(jwk);
    if (*type == "EC") return ec(jwk);
    if (*type == "OKP") return okp(jwk);
    return std::nullopt;  // "oct" above all: a shared secret is no public key
  }
};

void PublicKey::Free::operator()(EVP_PKEY* key) const noexcept {
  EVP_PKEY_free(key);
}

std::optional<PublicKey> PublicKey::from_jwk(json::Object const& jwk) {
  if (!is_for_signatures(jwk)) return std::nullopt;
  auto key = KeyMaker::of_type(jwk);
  ERR_clear_error();
  if (!key) return std::nullopt;
  if (auto const* kid = json::find_string(jwk, "kid")) key->kid_ = json::view(*kid);
  if (auto const* pinned = json::find(jwk, "alg")) {
    auto const* name = pinned->if_string();
    if (name == nullptr) return std::nullopt;
    key->pinned_ = parse_algorithm(json::view(*name));
    if (!key->pinned_ || key_type_of(*key->pinned_) != key->type_) return std::nullopt;
  }
  return key;
}

bool PublicKey::suits(Algorithm algorithm) const noexcept {
  return key_type_of(algorithm) == type_ && (!pinned_ || *pinned_ == algorithm);
}

bool PublicKey::verify(Algorithm algorithm, std::string_view signed_text,
                       std::string_view signature) const {
  // SECURITY: the algorithm comes from the token, the key's type does not.
  if (!suits(algorithm)) return false;
  std::optional<std::string> der;
  if (type_ == KeyType::P256 || type_ == KeyType::P384 || type_ == KeyType::P521) {
    der = der_of(signature, type_);
    if (!der) return false;
    signature = *der;
  }
  Owned<EVP_MD_CTX> const context{EVP_MD_CTX_new()};
  EVP_PKEY_CTX* parameters = nullptr;
  bool const valid = EVP_DigestVerifyInit_ex(context.get(), &parameters, digest_name_of(algorithm),
                                             nullptr, nullptr, handle_.get(), nullptr) == 1 &&
                     (!is_pss(algorithm) || use_pss(parameters)) &&
                     EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(),
                                      bytes_of(signed_text), signed_text.size()) == 1;
  ERR_clear_error();  // a failed verification leaves an entry in this thread's queue
  return valid;
}

}  // namespace sallyport::oauth
