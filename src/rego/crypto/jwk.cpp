// Keys from JWKs (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).
#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/key.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace sallyport::rego::crypto {
namespace {

constexpr std::size_t kLargestModulus = 16'384 / 8;  // bytes; more only costs time
constexpr std::size_t kLargestExponent = 8;
constexpr std::size_t kMostKeys = 1000;

// Of base64 text; nothing where it is absent, empty, or none.
std::optional<std::string> bytes_member(Value jwk, std::string_view name) {
  auto const text = get(jwk, name);
  if (!text.is(Kind::String)) return std::nullopt;
  auto decoded = decode_any_base64(text.as_string());
  if (!decoded.problem.empty() || decoded.bytes.empty()) return std::nullopt;
  return std::move(decoded.bytes);
}

std::string text_member(Value jwk, std::string_view name) {
  auto const text = get(jwk, name);
  return text.is(Kind::String) ? std::string{text.as_string()} : std::string{};
}

class Parameters {
 public:
  void add_number(char const* name, std::string_view bytes) {
    // Kept until make(): the builder only points to them.
    numbers_.push_back(number_of(bytes));
    if (numbers_.back()) OSSL_PARAM_BLD_push_BN(builder_.get(), name, numbers_.back().get());
  }

  void add_text(char const* name, char const* text) {
    OSSL_PARAM_BLD_push_utf8_string(builder_.get(), name, text, 0);
  }

  void add_bytes(char const* name, std::string bytes) {
    auto const& kept = texts_.emplace_back(std::move(bytes));
    OSSL_PARAM_BLD_push_octet_string(builder_.get(), name, kept.data(), kept.size());
  }

  Key::Handle make(char const* type, bool is_private) {
    Owned<OSSL_PARAM> const parameters{OSSL_PARAM_BLD_to_param(builder_.get())};
    Owned<EVP_PKEY_CTX> const context{EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr)};
    EVP_PKEY* key = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
                          parameters.get()) != 1) {
      return nullptr;
    }
    return Key::Handle{key};
  }

 private:
  Owned<OSSL_PARAM_BLD> builder_{OSSL_PARAM_BLD_new()};
  std::vector<Owned<BIGNUM>> numbers_;
  std::deque<std::string> texts_;
};

std::optional<Key> rsa_key(Value jwk) {
  auto const modulus = bytes_member(jwk, "n");
  auto const exponent = bytes_member(jwk, "e");
  if (!modulus || !exponent) return std::nullopt;
  if (modulus->size() > kLargestModulus || exponent->size() > kLargestExponent) return std::nullopt;
  Parameters parameters;
  parameters.add_number(OSSL_PKEY_PARAM_RSA_N, *modulus);
  parameters.add_number(OSSL_PKEY_PARAM_RSA_E, *exponent);
  auto const secret = bytes_member(jwk, "d");
  if (secret) {
    if (secret->size() > kLargestModulus) return std::nullopt;
    parameters.add_number(OSSL_PKEY_PARAM_RSA_D, *secret);
    static constexpr std::array<std::pair<std::string_view, char const*>, 5> kParts{{
        {"p", OSSL_PKEY_PARAM_RSA_FACTOR1},
        {"q", OSSL_PKEY_PARAM_RSA_FACTOR2},
        {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1},
        {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2},
        {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1},
    }};
    std::array<std::optional<std::string>, kParts.size()> values;
    for (std::size_t i = 0; i < kParts.size(); ++i) values[i] = bytes_member(jwk, kParts[i].first);
    // They only make signing quicker: all of them, or none.
    auto const is_usable = [](auto const& value) {
      return value.has_value() && value->size() <= kLargestModulus;
    };
    if (std::ranges::all_of(values, is_usable)) {
      for (std::size_t i = 0; i < kParts.size(); ++i) {
        parameters.add_number(kParts[i].second, *values[i]);
      }
    }
  }
  auto handle = parameters.make("RSA", secret.has_value());
  if (!handle) return std::nullopt;
  return Key{std::move(handle), secret.has_value()};
}

struct Curve {
  std::string_view name;
  char const* group;
  std::size_t size;  // of a coordinate, in bytes
};
constexpr std::array kCurves{Curve{"P-256", "prime256v1", 32}, Curve{"P-384", "secp384r1", 48},
                             Curve{"P-521", "secp521r1", 66}};

std::optional<Key> ec_key(Value jwk) {
  auto const name = text_member(jwk, "crv");
  auto const curve = std::ranges::find(kCurves, name, &Curve::name);
  auto x = bytes_member(jwk, "x");
  auto y = bytes_member(jwk, "y");
  if (curve == kCurves.end() || !x || !y) return std::nullopt;
  if (x->size() > curve->size || y->size() > curve->size) return std::nullopt;
  x->insert(0, curve->size - x->size(), '\0');
  y->insert(0, curve->size - y->size(), '\0');
  auto const secret = bytes_member(jwk, "d");
  if (secret && secret->size() > curve->size) return std::nullopt;
  Parameters parameters;
  parameters.add_text(OSSL_PKEY_PARAM_GROUP_NAME, curve->group);
  parameters.add_bytes(OSSL_PKEY_PARAM_PUB_KEY, '\x04' + *x + *y);  // SEC 1, uncompressed
  if (secret) parameters.add_number(OSSL_PKEY_PARAM_PRIV_KEY, *secret);
  auto handle = parameters.make("EC", secret.has_value());
  if (!handle) return std::nullopt;
  // SECURITY: a point off the curve gives away what is computed with it.
  Owned<EVP_PKEY_CTX> const check{EVP_PKEY_CTX_new_from_pkey(nullptr, handle.get(), nullptr)};
  if (!check || EVP_PKEY_public_check(check.get()) != 1) return std::nullopt;
  return Key{std::move(handle), secret.has_value()};
}

std::optional<Key> okp_key(Value jwk) {
  auto const curve = text_member(jwk, "crv");
  auto const type = curve == "Ed25519" ? EVP_PKEY_ED25519 : EVP_PKEY_X25519;
  if (curve != "Ed25519" && curve != "X25519") return std::nullopt;
  auto const public_part = bytes_member(jwk, "x");
  if (!public_part) return std::nullopt;
  auto const secret = bytes_member(jwk, "d");
  auto const& bytes = secret ? *secret : *public_part;
  Key::Handle handle{
      secret ? EVP_PKEY_new_raw_private_key(type, nullptr, bytes_of(bytes), bytes.size())
             : EVP_PKEY_new_raw_public_key(type, nullptr, bytes_of(bytes), bytes.size())};
  if (!handle) return std::nullopt;
  return Key{std::move(handle), secret.has_value()};
}

std::optional<Key> key_of(Value jwk) {
  auto const type = text_member(jwk, "kty");
  if (type == "RSA") return rsa_key(jwk);
  if (type == "EC") return ec_key(jwk);
  if (type == "OKP") return okp_key(jwk);
  if (type == "oct") {
    auto secret = bytes_member(jwk, "k");
    if (secret) return Key{std::move(*secret)};
  }
  return std::nullopt;
}

bool add_key(Value jwk, Keys& keys) {
  auto key = jwk.is(Kind::Object) ? key_of(jwk) : std::nullopt;
  if (!key) return false;
  keys.keys.push_back({.algorithm = text_member(jwk, "alg"),
                       .id = text_member(jwk, "kid"),
                       .key = std::move(*key)});
  return true;
}

}  // namespace

Keys keys_of_jwk(std::string_view json) {
  ErrorsForgotten const forgotten;
  Arena arena;
  auto const parsed = parse_json(json, arena);
  if (!parsed) return {.keys = {}, .problem = parsed.error().message};
  if (!parsed->is(Kind::Object)) return {.keys = {}, .problem = "not a JSON object"};
  Keys keys;
  auto const list = get(*parsed, "keys");
  if (!list.is_defined()) {
    if (!add_key(*parsed, keys)) keys.problem = "not a key of a kind that is known";
    return keys;
  }
  if (!list.is(Kind::Array)) return {.keys = {}, .problem = "\"keys\" is not a list"};
  if (list.size() > kMostKeys) return {.keys = {}, .problem = "too many keys"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (add_key(list.items()[i], keys)) continue;
    return {.keys = {}, .problem = "failed to decode key #" + std::to_string(i) + " in \"keys\""};
  }
  return keys;
}

}  // namespace sallyport::rego::crypto
